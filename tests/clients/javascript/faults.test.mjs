// SPDX-License-Identifier: Apache-2.0
// tests/clients/javascript/faults.test.mjs - connections killed at every tenth byte: it ends right or says so, and nothing is computed twice.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";

import { Client, ConnectionError, NDArray } from "../../../clients/javascript/torqued.js";
import { cutting } from "./cut.mjs";
import { FALL, URL_OF_DAEMON, client, eventually, same } from "./common.mjs";

const direct = client();
const through = (proxy, options) => new Client(proxy.url, { retryDelay: 1, ...options });
let serial = 0;
const own = process.pid; // a daemon that was tested before has jobs of other runs

async function jobsOf(robot) {
  const ids = [];
  for await (const job of direct.jobs.all({ robot })) ids.push(job);
  return ids;
}

/** How many bytes go up and down for one call. */
async function sizes(call) {
  const proxy = await cutting(URL_OF_DAEMON);
  await call(through(proxy));
  proxy.close();
  return proxy;
}

const everyTenth = (way, size) => Array.from({ length: Math.floor(size / 10) }, (_, i) => ({ [way]: 10 * i + 1 }));

/** `call` through a proxy that cuts the first connection at every tenth byte up and down; `check` gets what it returned. Eight side by side. */
async function walk(call, check) {
  const whole = await sizes(call);
  const left = [...everyTenth("up", whole.up), ...everyTenth("down", whole.down)];
  let cuts = 0;
  const lane = async () => {
    for (let at; (at = left.pop()); ) {
      const proxy = await cutting(URL_OF_DAEMON, at);
      try {
        await check(await call(through(proxy)), at);
      } finally {
        proxy.close();
        cuts += proxy.cuts > 0;
      }
    }
  };
  await Promise.all(Array.from({ length: 8 }, lane));
  assert.ok(cuts > (whole.up + whole.down) / 12, `${cuts} cuts of ${whole.up} + ${whole.down} bytes`);
}

test("a simulation: the same numbers, and one job for each call", async () => {
  await direct.robots.put(`cut-simulate-${own}`, await direct.robots.urdf("planar-2r"));
  const expected = await direct.robot(`cut-simulate-${own}`).simulate(FALL);
  let calls = 2; // the one above, the one that measures
  await walk((t) => t.robot(`cut-simulate-${own}`).simulate(FALL), (result) => {
    calls++;
    same(result, expected);
  });
  const jobs = await jobsOf(`cut-simulate-${own}`);
  assert.equal(jobs.length, calls);
  assert.ok(jobs.every((job) => job.document.attempts === 1));
});

test("a job that is followed to its result", async () => {
  await direct.robots.put(`cut-job-${own}`, await direct.robots.urdf("planar-2r"));
  const expected = await direct.robot(`cut-job-${own}`).simulate(FALL);
  let calls = 2;
  await walk(async (t) => (await t.robot(`cut-job-${own}`).submit("simulate", FALL)).result(), (result) => {
    calls++;
    same(result, expected);
  });
  assert.equal((await jobsOf(`cut-job-${own}`)).length, calls);
});

test("a stream of events: each once, in order", async () => {
  const job = await direct.robot("planar-2r").submit("simulate", FALL);
  await job.wait();
  const follow = async (t) => {
    const seen = [];
    for await (const event of t.job(job.id).events()) seen.push(`${event.id} ${event.data.state}`);
    return seen;
  };
  const expected = await follow(direct);
  assert.equal(expected.length, 3);
  await walk(follow, (seen, at) => assert.deepStrictEqual(seen, expected, JSON.stringify(at)));
});

test("an upload: whole or not there", async () => {
  const numbers = new NDArray(Float64Array.from({ length: 200 }, (_, i) => Math.sin(i)), [100, 2]);
  const { sha256 } = await direct.datasets.put("cut-upload", numbers);
  await walk((t) => t.datasets.put(`cut-upload-${own}-${++serial}`, numbers), async (stored) => {
    assert.equal(stored.sha256, sha256);
    assert.equal((await direct.datasets.get(stored.name)).sha256, sha256);
  });
});

test("an immediate answer, a robot, a deletion", async () => {
  const body = { q: new NDArray(new Float64Array(40), [20, 2]), qd: new NDArray(new Float64Array(40), [20, 2]), qdd: new NDArray(new Float64Array(40), [20, 2]) };
  const expected = await direct.robot("planar-2r").inverseDynamics(body);
  await walk((t) => t.robot("planar-2r").inverseDynamics(body), (result) => same(result, expected));
  await walk(async (t) => {
    const name = `cut-delete-${own}-${++serial}`;
    await direct.datasets.put(name, "t,q\n0,1\n");
    await t.datasets.delete(name);
    return name;
  }, (name) => assert.rejects(direct.datasets.get(name), { status: 404 }));
});

test("a stream of all jobs that is lost before its first event has no gap", async () => {
  await direct.robot("planar-2r").simulate(FALL); // the stream begins after these events
  const proxy = await cutting(URL_OF_DAEMON);
  const events = through(proxy, { retries: 1000 }).events();
  const first = events.next();
  await eventually(() => proxy.text.includes("\nid: ")); // the end of what a stream begins with
  proxy.refuse();
  const missed = await direct.robot("planar-2r").submit("simulate", FALL);
  await missed.wait();
  proxy.refuses = false;
  assert.deepStrictEqual([(await first).value.data.job, (await first).value.data.state], [missed.id, "queued"]);
  await events.return();
  proxy.close();
});

test("where no try succeeds, it says so", async () => {
  for (const at of [{ up: 5 }, { up: 50 }, { down: 1 }, { down: 100 }]) {
    const proxy = await cutting(URL_OF_DAEMON, { ...at, times: Infinity });
    const t = through(proxy, { retries: 2 });
    await assert.rejects(t.version(), (error) => error instanceof ConnectionError && error.attempts === 3 && error.cause instanceof TypeError);
    await assert.rejects(t.robot("planar-2r").simulate(FALL, { key: `key-${JSON.stringify(at)}` }), (error) => error.key.startsWith("key-") && /tried 3x/.test(error.message));
    await assert.rejects(async () => { for await (const event of t.job("0".repeat(26)).events()) assert.fail(event); }, ConnectionError);
    proxy.close();
  }
  await assert.rejects(new Client("http://127.0.0.1:1", { retries: 1, retryDelay: 1 }).health(), ConnectionError);
});

test("what cannot be sent twice is not: a stream that was read, a deletion that counts", async () => {
  for (const call of [(t) => t.datasets.put("cut-once", new Blob(["t,q\n0,1\n"]).stream()), (t) => t.jobs.delete({ robot: "nobody" }), (t) => t.request("POST", "/v1/jobs/x/cancel")]) {
    const proxy = await cutting(URL_OF_DAEMON, { up: 60 });
    await assert.rejects(call(through(proxy)), { name: "ConnectionError", attempts: 1 });
    proxy.close();
  }
});

test("an event stream that breaks off for good ends with an error", async () => {
  const proxy = await cutting(URL_OF_DAEMON, { down: 290, times: Infinity });
  const job = await direct.robot("planar-2r").submit("simulate", FALL);
  await assert.rejects(through(proxy, { retries: 2 }).job(job.id).wait(), { name: "ConnectionError" });
  proxy.close();
});

test("503 and 429 with Retry-After are waited for, without it they are the answer", async () => {
  const plan = [[503, "1"], [429, "1"], [200], [503, undefined], [502, "1"]];
  let asked = 0;
  const busy = createServer((request, response) => {
    const [status, after] = plan[asked++];
    response.writeHead(status, { ...(after && { "Retry-After": after }), "Content-Type": status === 200 ? "application/json" : "text/html" });
    response.end(status === 200 ? '{"name":"torqued"}' : "<h1>busy</h1>");
  });
  await new Promise((go) => busy.listen(0, "127.0.0.1", go));
  const t = new Client(`http://127.0.0.1:${busy.address().port}/`);
  assert.equal((await t.version()).name, "torqued");
  assert.equal(asked, 3);
  await assert.rejects(t.version(), { status: 503, retryAfter: undefined, type: "about:blank" });
  await assert.rejects(t.version(), { status: 502, retryAfter: 1 });
  busy.close();
});

test("an abort ends a call, a wait, a stream and a pause between tries; the job goes on", async () => {
  const long = { ...FALL, duration_s: 1e6, output: { interval_s: 1e5 } };
  const job = await direct.robot("planar-2r").submit("simulate", long);
  const calls = [
    (signal) => job.wait({ signal }), (signal) => job.result({ signal }),
    (signal) => direct.robot("planar-2r").simulate(long, { signal, prefer: "wait=60", key: "abort-1" }),
    (signal) => direct.robot("planar-2r").simulate(long, { signal, onProgress: () => {}, key: "abort-2" }),
    async (signal) => { for await (const event of direct.events({ signal })) void event; },
    (signal) => new Client("http://127.0.0.1:1", { retryDelay: 60000 }).health({ signal }),
  ];
  for (const call of calls) {
    await assert.rejects(call(AbortSignal.timeout(100)), { name: "TimeoutError" });
    await assert.rejects(call(AbortSignal.abort()), { name: "AbortError" });
  }
  const left = (await direct.jobs.list({ kind: "simulate", state: "queued,running" })).jobs;
  assert.ok(left.some((one) => one.id === job.id));
  for (const one of left) await one.cancel();
});

test("progress of a computation", async () => {
  const seen = [];
  const body = { ...FALL, duration_s: 1e6, output: { interval_s: 1e5 } };
  const stop = new AbortController();
  const call = direct.robot("planar-2r").simulate(body, { signal: stop.signal, onProgress: (progress, job) => {
    seen.push([progress.fraction, job.id]);
    stop.abort();
  } });
  await assert.rejects(call, { name: "AbortError" });
  assert.ok(seen.length >= 1 && seen[0][0] >= 0 && seen[0][1].length === 26);
  await direct.job(seen[0][1]).cancel();
});

test("a change whose answer is lost is not sent again", async () => {
  let n = 0;
  const losing = client({ fetch: async () => { n++; throw new TypeError("lost"); } });
  await assert.rejects(losing.robot("panda").change([{ op: "lock", joints: { joint7: 0.8 } }], { as: "lost" }), ConnectionError);
  await assert.rejects(losing.robot("panda").session({ initial: { q: [0, 0, 0, -1.5, 0, 1.5, 0] } }), ConnectionError);
  assert.equal(n, 2);
});

test("a step whose answer is lost is sent again, and made once", async () => {
  let isLost = false;
  const losing = client({
    retryDelay: 1,
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      if (!url.endsWith("/step") || (isLost = !isLost) === false) return response;
      await response.arrayBuffer();
      throw new TypeError("the answer is lost");
    },
  });
  const session = await losing.sessions.open({ robot: "pendulum", initial: { q: [0.3] } });
  for (const step of [1, 2, 3]) assert.equal((await session.step([0.5])).step, step);
  await session.close();
});

test("an answer that ends within its head is a lost connection, though a browser calls it an answer", async () => {
  for (const head of [{}, { "Content-Type": "application/json" }]) {
    let n = 0;
    const cut = client({ retryDelay: 1, fetch: async (...all) => (n++ ? fetch(...all) : new Response(new Uint8Array(0), { headers: head })) });
    assert.equal((await cut.version()).name, "torqued");
    assert.equal(n, 2);
  }
  const cut = client({ retries: 1, retryDelay: 1, fetch: async () => new Response(new Uint8Array(0)) });
  await assert.rejects(cut.robot("panda").urdf(), ConnectionError);
});
