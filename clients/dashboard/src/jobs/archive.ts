// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/jobs/archive.ts - several files as one: a ZIP archive (APPNOTE 6.3.3), stored as they are.

const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c;
});

/** CRC-32 of ISO 3309, which each entry has. */
export function crc32(data: Uint8Array): number {
  let c = 0xffffffff;
  for (const one of data) c = TABLE[(c ^ one) & 255]! ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}

const UTF8_NAMES = 0x0800;
const DAY_ONE = 0x21; // 1980-01-01: the same files give the same bytes

/** Little-endian fields: [value, bytes] each. */
function record(fields: [number, 2 | 4][]): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(fields.reduce((sum, [, n]) => sum + n, 0)));
  let at = 0;
  for (const [value, n] of fields) {
    if (n === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += n;
  }
  return new Uint8Array(view.buffer);
}

export function archiveOf(files: { name: string; data: Uint8Array<ArrayBuffer> }[]): Blob {
  const parts: BlobPart[] = [];
  const directory: BlobPart[] = [];
  let at = 0;
  let length = 0;
  for (const { name, data } of files) {
    const called = new TextEncoder().encode(name);
    // version needed, flags, method, time, date, crc, two sizes, length of the name, of extras
    const common: [number, 2 | 4][] = [[20, 2], [UTF8_NAMES, 2], [0, 2], [0, 2], [DAY_ONE, 2], [crc32(data), 4], [data.length, 4], [data.length, 4], [called.length, 2], [0, 2]];
    parts.push(record([[0x04034b50, 4], ...common]), called, data);
    directory.push(record([[0x02014b50, 4], [20, 2], ...common, [0, 2], [0, 2], [0, 2], [0, 4], [at, 4]]), called);
    at += 30 + called.length + data.length;
    length += 46 + called.length;
  }
  const end = record([[0x06054b50, 4], [0, 2], [0, 2], [files.length, 2], [files.length, 2], [length, 4], [at, 4], [0, 2]]);
  return new Blob([...parts, ...directory, end], { type: 'application/zip' });
}
