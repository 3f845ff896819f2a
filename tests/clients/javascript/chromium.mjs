// SPDX-License-Identifier: Apache-2.0
// tests/clients/javascript/chromium.mjs - in a page of another origin: what differs between a browser and Node.
import { Client, ConnectionError, NDArray, TorquedError } from "../../../clients/javascript/torqued.js";

function is(found, expected, what) {
  if (JSON.stringify(found) !== JSON.stringify(expected)) throw new Error(`${what}: ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`);
}

async function fault(promise) {
  return promise.then(() => undefined, (error) => error);
}

async function uploads(t) {
  const numbers = new NDArray(new Float64Array(2e6).map((_, i) => i), [500000, 4]);
  const seen = [];
  const stored = await t.datasets.put("chromium", numbers, { onProgress: (at) => seen.push(at) });
  is([stored.rows, stored.columns], [500000, 4], "what is stored");
  is([seen.length > 0, seen.at(-1)?.loaded, seen.at(-1)?.total], [true, stored.bytes, stored.bytes], "progress");
  const refused = await fault(t.datasets.put("chromium", "a,b\n1,2\n", { onProgress() {}, ifMatch: "0".repeat(64) }));
  is([refused instanceof TorquedError, refused.status], [true, 412], "a refusal by XMLHttpRequest");
  const stop = new AbortController();
  const aborted = await fault(t.datasets.put("chromium", numbers, { signal: stop.signal, onProgress: () => stop.abort() }));
  is(aborted.name, "AbortError", "an aborted upload");
  is((await fault(t.datasets.put("chromium", "t\n1\n", { signal: stop.signal, onProgress() {} }))).name, "AbortError", "aborted before");
  const nowhere = new Client("http://127.0.0.1:1", { retries: 1, retryDelay: 1 });
  const lost = await fault(nowhere.datasets.put("chromium", "t\n1\n", { onProgress() {} }));
  is([lost instanceof ConnectionError, lost.attempts], [true, 2], "no connection");
  is((await t.datasets.bytes("chromium", { range: [1, 5] })).length, 5, "a range");
}

async function nodes(t) {
  const [{ name }] = await t.nodes();
  is([(await t.drainNode(name)).state, (await t.drainNode(name)).state], ["drained", "drained"], "a drained node");
  const job = await t.robot("planar-2r").submit("simulate", { initial: { q: [0.1, 0], qd: [0, 0] }, duration_s: 0.1, output: { interval_s: 0.1 } });
  is((await job.refresh(), job.state), "queued", "a job of a drained node");
  is((await t.resumeNode(name)).state, "active", "a resumed node");
  is((await job.wait()).state, "succeeded", "its job");
}

async function jobs(t) {
  const body = { initial: { q: [0.1, 0], qd: [0, 0] }, duration_s: 0.5, output: { interval_s: 0.1 } };
  const job = await t.robot("planar-2r").submit("simulate", body);
  const states = [];
  for await (const event of job) if (event.event === "state") states.push(event.data.state);
  is(states, ["queued", "running", "succeeded"], "events with a token");
  const result = await job.result();
  is([result.t instanceof Float64Array, result.q.shape], [true, [6, 2]], "the result");
  const all = t.events({ lastEventId: 0 });
  is((await all.next()).value.data.state, "queued", "events of all jobs");
  await all.return();
  const stop = new AbortController();
  const long = await t.robot("planar-2r").submit("simulate", { ...body, duration_s: 1e6, output: { interval_s: 1e5 } });
  const waiting = fault(long.wait({ signal: stop.signal, onProgress: () => stop.abort() }));
  is((await waiting).name, "AbortError", "an aborted wait");
  await long.cancel();
  const named = new Client(t.url, { ...t.options, client: "page" });
  const other = await named.robot("planar-2r").submit("simulate", body, { priority: 1, deadline: 600, key: "a-key" });
  is((await named.robot("planar-2r").submit("simulate", body, { priority: 1, deadline: 600, key: "a-key" })).id, other.id, "the same key");
  await t.robots.put("chromium", await t.robots.urdf("planar-2r"), { ifNoneMatch: "*" });
  is((await fault(t.robots.put("chromium", await t.robots.urdf("planar-2r"), { ifNoneMatch: "*" }))).status, 412, "a condition");
  is((await fault(long.result())).status, 409, "a cancelled job");
}

/** Connections cut at many places: the same result, and one job for each call. */
async function cuts(direct, through, token) {
  const body = { initial: { q: [0.1, 0], qd: [0, 0] }, duration_s: 0.5, output: { interval_s: 0.1 } };
  const numbers = new Float64Array(500).map((_, i) => Math.sin(i));
  await direct.robots.put("chromium-cut", await direct.robots.urdf("planar-2r"));
  const expected = await direct.robot("chromium-cut").simulate(body, { plain: true });
  const whole = await direct.datasets.put("chromium-cut", numbers);
  let calls = 1;
  const places = ["down=1", ...Array.from({ length: 24 }, (_, i) => `${i % 3 ? "down" : "up"}=${150 * i + 40}`)];
  for (const place of places) {
    const t = new Client(await (await fetch(`${through}/?${place}`)).text(), { token, retryDelay: 1 });
    const job = await t.robot("chromium-cut").submit("simulate", body);
    calls++;
    const states = [];
    for await (const event of job) if (event.event === "state") states.push(event.data.state);
    is(states, ["queued", "running", "succeeded"], `events, ${place}`);
    const result = await job.result({ plain: true });
    is([result.q, result.tau], [expected.q, expected.tau], `numbers, ${place}`);
    is((await t.datasets.put("chromium-cut", numbers, { onProgress() {} })).sha256, whole.sha256, `an upload, ${place}`);
  }
  let jobs = 0;
  for await (const job of direct.jobs.all({ robot: "chromium-cut" })) jobs += job.document.attempts === 1;
  is(jobs, calls, "jobs");
}

export async function run(url, token, through) {
  const t = new Client(url, { token });
  is((await fault(new Client(url).version())).status, 401, "no token");
  await uploads(t);
  await jobs(t);
  await nodes(t);
  await cuts(t, through, token);
  const refused = await fault(t.robot("planar-2r").inverseDynamics({ q: [0, 0], qd: [0, NaN], qdd: [0, 0] }));
  is([refused.pointer, Object.is(refused.value, NaN)], ["/qd/1", true], "a refusal");
  is((await fault(new Client("http://127.0.0.1:1", { retries: 1, retryDelay: 1 }).version())).name, "ConnectionError", "no server");
  return "right";
}
