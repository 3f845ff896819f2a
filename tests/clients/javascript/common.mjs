// SPDX-License-Identifier: Apache-2.0
// tests/clients/javascript/common.mjs - what the tests share: the daemon's address, numbers compared bit by bit.
import assert from "node:assert/strict";

import { Client, NDArray } from "../../../clients/javascript/torqued.js";

export const URL_OF_DAEMON = process.env.TORQUED_URL;
export const GUARDED = { url: process.env.TORQUED_GUARDED_URL, secret: process.env.TORQUED_SECRET };
export const client = (options) => new Client(URL_OF_DAEMON, options);

export const ARM = { q: [0.1, -0.2, 0.3, -1.5, 0.5, 1.8, 0.7], qd: [0.1, 0.2, -0.1, 0.3, 0, -0.2, 0.1], qdd: [1, 0, 0, 0, -0.5, 0, 0] };
export const FALL = { initial: { q: [0.1, 0], qd: [0, 0] }, duration_s: 0.5, output: { interval_s: 0.1 } };

/** Arrays of numbers as nested lists, so that answers in CBOR and JSON can be compared. */
export function plain(value) {
  if (value instanceof NDArray) return value.toJSON();
  if (ArrayBuffer.isView(value)) return Array.from(value);
  if (Array.isArray(value)) return value.map(plain);
  if (value && typeof value === "object") return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plain(one)]));
  return value;
}

/** deepStrictEqual distinguishes 0 from -0: equal numbers have equal bits. What differs from call to call is left out. */
export function same(a, b) {
  const without = (document) => JSON.parse(JSON.stringify(document, (key, value) => (key === "request_digest" ? undefined : Object.is(value, -0) ? "-0" : value)));
  assert.deepStrictEqual(without(plain(a)), without(plain(b)));
}

/** Until it holds. */
export async function eventually(condition) {
  for (let i = 0; i < 5000; i++) {
    const found = await condition();
    if (found) return found;
    await new Promise((go) => setTimeout(go, 20));
  }
  throw new Error("it does not come true");
}
