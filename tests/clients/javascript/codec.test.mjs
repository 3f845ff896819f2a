// SPDX-License-Identifier: Apache-2.0
// tests/clients/javascript/codec.test.mjs - CBOR, NPY and NDArray: bits in, bits out.
import assert from "node:assert/strict";
import { test } from "node:test";

import { NDArray, decodeCbor, decodeNpy, encodeCbor, encodeNpy } from "../../../clients/javascript/torqued.js";

const hex = (bytes) => Buffer.from(bytes).toString("hex");
const of = (text) => new Uint8Array(Buffer.from(text.replaceAll(" ", ""), "hex"));
const ODD = [0, -0, 5e-324, -2.2250738585072014e-308, 1.7976931348623157e308, 0.1, Math.PI];

test("CBOR is that of RFC 8949, appendix A", () => {
  for (const [value, bytes] of [[0, "00"], [23, "17"], [24, "1818"], [1000, "1903e8"], [1000000, "1a000f4240"], [1000000000000, "1b000000e8d4a51000"], [-1, "20"], [-1000, "3903e7"],
    [1.1, "fb3ff199999999999a"], [-0, "fb8000000000000000"], [false, "f4"], [true, "f5"], [null, "f6"], ["", "60"], ["\u00fc", "62c3bc"], [[], "80"],
    [[1, [2, 3]], "8201820203"], [{ a: 1, b: [2, 3] }, "a26161016162820203"]]) {
    assert.equal(hex(encodeCbor(value)), bytes);
    assert.deepStrictEqual(decodeCbor(of(bytes)), value);
  }
  assert.deepStrictEqual(decodeCbor(of("bf 6161 01 6162 9f 02 03 ff ff")), { a: 1, b: [2, 3] });
  assert.equal(hex(encodeCbor({ a: undefined, b: 1 })), "a1616201");
  assert.throws(() => encodeCbor({ a: () => 1 }), TypeError);
});

test("a document that is cut anywhere, or has an unknown tag, is refused", () => {
  const whole = encodeCbor({ a: Float64Array.from(ODD), b: new NDArray(ODD.slice(1), [2, 3]), c: ["text", 1.5, -70000] });
  decodeCbor(whole);
  for (let n = 0; n < whole.length; n++) assert.throws(() => decodeCbor(whole.subarray(0, n)), RangeError, `${n} bytes`);
  assert.throws(() => decodeCbor(of("c001")), /tag 0/);
});

test("typed arrays keep every bit, at any alignment", () => {
  for (let pad = 0; pad < 9; pad++) {
    const { x, y } = decodeCbor(encodeCbor({ ["k".repeat(pad)]: pad, x: Float64Array.from(ODD), y: new NDArray(ODD.slice(1), [3, 2]) }));
    assert.deepStrictEqual(Array.from(x), ODD);
    assert.deepStrictEqual([y.shape, Array.from(y.data)], [[3, 2], ODD.slice(1)]);
  }
  assert.equal(hex(encodeCbor(Float64Array.of(1.5))), "d85648000000000000f83f");
  assert.equal(hex(encodeCbor(Float32Array.of(1.5))), "d85648000000000000f83f");
  assert.deepStrictEqual(decodeCbor(encodeCbor({ none: new Float64Array(0) })), { none: [] });
  const large = new Float64Array(100000).map((_, i) => Math.sin(i));
  assert.deepStrictEqual(decodeCbor(encodeCbor([large]))[0], large);
});

test("NPY is numpy's own", () => {
  // numpy.save of numpy.array([[1.0, 2.0], [3.0, 4.0], [5.0, -0.0]])
  const head = "934e554d505901007600" + Buffer.from("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }".padEnd(117) + "\n").toString("hex");
  const bytes = encodeNpy(new NDArray([1, 2, 3, 4, 5, -0], [3, 2]));
  assert.equal(hex(bytes), head + hex(new Uint8Array(Float64Array.of(1, 2, 3, 4, 5, -0).buffer)));
  const back = decodeNpy(bytes);
  assert.deepStrictEqual([back.shape, Array.from(back.data)], [[3, 2], [1, 2, 3, 4, 5, -0]]);
  assert.deepStrictEqual(decodeNpy(encodeNpy(Float64Array.from(ODD))), Float64Array.from(ODD));
  for (const n of [1, 11, 123, 1234567]) assert.equal(encodeNpy(new Float64Array(n)).length % 64, (8 * n) % 64);
});

test("NPY of other types and versions", () => {
  const file = (version, descr, fortran, shape, data) => {
    const text = `{'descr': '${descr}', 'fortran_order': ${fortran}, 'shape': ${shape}, }\n`;
    const size = version > 1 ? [text.length & 255, text.length >> 8, 0, 0] : [text.length & 255, text.length >> 8];
    return new Uint8Array([0x93, ...Buffer.from("NUMPY"), version, 0, ...size, ...Buffer.from(text), ...new Uint8Array(data.buffer)]);
  };
  assert.deepStrictEqual(decodeNpy(file(2, "<f4", "False", "(2,)", Float32Array.of(0.5, 2))), Float64Array.of(0.5, 2));
  assert.deepStrictEqual(decodeNpy(file(1, "<i8", "False", "(2,)", BigInt64Array.of(-3n, 4n))), Float64Array.of(-3, 4));
  assert.deepStrictEqual(decodeNpy(file(1, "|u1", "False", "()", Uint8Array.of(7))), Float64Array.of(7));
  assert.throws(() => decodeNpy(file(1, ">f8", "False", "(1,)", Float64Array.of(1))), /not read here/);
  assert.throws(() => decodeNpy(file(1, "<f8", "True", "(1, 1)", Float64Array.of(1))), /not read here/);
  assert.throws(() => decodeNpy(file(1, "<c16", "False", "(1,)", Float64Array.of(1, 2))), /not read here/);
});

test("NDArray has rows and goes to JSON as nested lists", () => {
  const cube = NDArray.from([[[1, 2], [3, 4]], [[5, 6], [7, 8]]]);
  assert.deepStrictEqual(cube.shape, [2, 2, 2]);
  assert.equal(cube.length, 2);
  assert.deepStrictEqual(cube.row(1).row(0), Float64Array.of(5, 6));
  assert.equal(JSON.stringify({ cube }), '{"cube":[[[1,2],[3,4]],[[5,6],[7,8]]]}');
  assert.deepStrictEqual([...NDArray.from([Float64Array.of(1, 2), [3, 4]])].map((row) => row[1]), [2, 4]);
  cube.row(0).row(0)[0] = 9;
  assert.equal(cube.data[0], 9);
  assert.throws(() => new NDArray([1, 2, 3], [2, 2]), RangeError);
  assert.throws(() => NDArray.from([[1, 2], [3]]), RangeError);
});

test("a Buffer of a pool is read where it lies", () => {
  // readFile and Buffer.concat hand out views, whose `slice` copies nothing
  const pool = Buffer.alloc(4096, 0xff);
  for (const [encode, decode] of [[encodeNpy, decodeNpy], [(array) => encodeCbor({ array }), (bytes) => decodeCbor(bytes).array]]) {
    const bytes = encode(new NDArray(ODD.slice(0, 6), [3, 2]));
    const view = pool.subarray(17, 17 + bytes.length);
    view.set(bytes);
    assert.deepEqual(decode(view), new NDArray(ODD.slice(0, 6), [3, 2]));
  }
});
