// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/simulation/gif.ts - pictures as an animated GIF (GIF89a): one palette for all, LZW.

const LEVELS = [6, 7, 6]; // of red, green, blue: 252 colours
const CODE_BITS = 8;
const CLEAR = 1 << CODE_BITS;
const END = CLEAR + 1;
const CODES_MAX = 4096;

const short = (value: number): number[] => [value & 255, value >> 8];

function palette(): number[] {
  const colours: number[] = [];
  for (let k = 0; k < 256; k++) {
    const parts = [Math.floor(k / 42), Math.floor(k / 6) % 7, k % 6];
    colours.push(...parts.map((part, i) => Math.round((Math.min(part, LEVELS[i]! - 1) * 255) / (LEVELS[i]! - 1))));
  }
  return colours;
}

function indexed(rgba: Uint8ClampedArray): Uint8Array {
  const out = new Uint8Array(rgba.length / 4);
  for (let k = 0; k < out.length; k++) {
    const level = (i: number): number => Math.round((rgba[4 * k + i]! * (LEVELS[i]! - 1)) / 255);
    out[k] = level(0) * 42 + level(1) * 6 + level(2);
  }
  return out;
}

/** LZW with codes of 9 to 12 bits, least significant bit first, in blocks of 255 bytes. */
export function compress(pixels: Uint8Array): number[] {
  const out: number[] = [];
  let block: number[] = [];
  let bits = 0;
  let held = 0;
  let size = CODE_BITS + 1;
  let next = END + 1;
  let known = new Map<number, number>(); // prefix code and pixel: code
  const flush = (): void => {
    if (block.length) out.push(block.length, ...block);
    block = [];
  };
  const put = (code: number): void => {
    held |= code << bits;
    bits += size;
    while (bits >= 8) {
      block.push(held & 255);
      if (block.length === 255) flush();
      held >>>= 8;
      bits -= 8;
    }
  };
  put(CLEAR);
  let prefix = pixels[0]!;
  for (let k = 1; k < pixels.length; k++) {
    const key = (prefix << 8) | pixels[k]!;
    const code = known.get(key);
    if (code !== undefined) {
      prefix = code;
      continue;
    }
    put(prefix);
    if (next === CODES_MAX) {
      put(CLEAR);
      known = new Map();
      size = CODE_BITS + 1;
      next = END + 1;
    } else {
      if (next === 1 << size) size++;
      known.set(key, next++);
    }
    prefix = pixels[k]!;
  }
  put(prefix);
  put(END);
  if (bits > 0) block.push(held & 255);
  flush();
  out.push(0);
  return out;
}

/** Frames of width x height pixels, RGBA, each shown for `delay` hundredths of a second, for ever. */
export class Gif {
  #parts: BlobPart[];
  constructor(private width: number, private height: number, private delay: number) {
    const text = [...'GIF89a'].map((one) => one.charCodeAt(0));
    const loop = [0x21, 0xff, 11, ...[...'NETSCAPE2.0'].map((one) => one.charCodeAt(0)), 3, 1, 0, 0, 0];
    this.#parts = [new Uint8Array([...text, ...short(width), ...short(height), 0xf7, 0, 0, ...palette(), ...loop])];
  }
  add(rgba: Uint8ClampedArray): void {
    const control = [0x21, 0xf9, 4, 0, ...short(this.delay), 0, 0];
    const image = [0x2c, 0, 0, 0, 0, ...short(this.width), ...short(this.height), 0, CODE_BITS];
    this.#parts.push(new Uint8Array([...control, ...image]), new Uint8Array(compress(indexed(rgba))));
  }
  blob(): Blob {
    return new Blob([...this.#parts, new Uint8Array([0x3b])], { type: 'image/gif' });
  }
}
