// SPDX-License-Identifier: Apache-2.0
// tests/clients/javascript/contract.test.mjs - every operation of the contract, by its own examples, against plain fetch of JSON.
import assert from "node:assert/strict";
import { after, test } from "node:test";

import { NDArray, TorquedError } from "../../../clients/javascript/torqued.js";
import { ARM, FALL, GUARDED, URL_OF_DAEMON, client, same } from "./common.mjs";

const used = new Set();
const recorded = async (url, init) => {
  used.add(`${init.method} ${new URL(url).pathname}`);
  return fetch(url, init);
};
const t = client({ fetch: recorded });
const contract = await t.contract();

async function overJson(path, body, headers = {}) {
  const response = await fetch(URL_OF_DAEMON + path, {
    method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json", Prefer: "wait=60", ...headers },
  });
  return response.json();
}

const operations = Object.entries(contract.paths).filter(([, item]) => item.post?.requestBody && item.post.responses["202"]); // no resource
for (const [path, { post }] of operations) {
  test(`${post.operationId}: the numbers of JSON, from CBOR`, async () => {
    const [name, example] = Object.entries(post.requestBody.content["application/json"].examples).find(([, one]) => !JSON.stringify(one).includes('"job"'));
    const ofRobot = path.includes("{name}");
    const robot = example["x-robot"] ?? { statics: "puma560", excitation: "planar-2r" }[post.operationId];
    const names = [example.robot, robot, "panda", "planar-2r", "pendulum", "ur5e"].filter(Boolean);
    for (const robotName of ofRobot ? names : [""]) {
      const expected = await overJson(path.replace("{name}", robotName), example.value);
      if (expected.status >= 400 && robotName !== names.at(-1)) continue; // an example is of a robot that its summary names
      assert.ok(expected.provenance, `${name}: ${JSON.stringify(expected)}`);
      const of = ofRobot ? t.robot(robotName) : t;
      same(await of[post.operationId](example.value), expected);
      same(await of[post.operationId](example.value, { plain: true }), expected);
      break;
    }
  });
}

test("every operation is there under its name", () => {
  for (const [path, { post }] of operations) {
    assert.equal(typeof (path.includes("{name}") ? t.robot("panda") : t)[post.operationId], "function", post.operationId);
  }
});

test("one sample, a batch as lists, as rows and as one array: the same bits", async () => {
  const robot = t.robot("panda");
  const one = await robot.inverseDynamics(ARM);
  assert.ok(one.tau instanceof Float64Array && one.tau.length === 7);
  const rows = Object.fromEntries(Object.entries(ARM).map(([name, row]) => [name, [row, row]]));
  const typed = Object.fromEntries(Object.entries(rows).map(([name, two]) => [name, two.map((row) => Float64Array.from(row))]));
  const whole = Object.fromEntries(Object.entries(rows).map(([name, two]) => [name, NDArray.from(two)]));
  for (const body of [rows, typed, whole]) {
    const { tau } = await robot.inverseDynamics(body);
    assert.deepStrictEqual(tau.shape, [2, 7]);
    for (const row of tau) assert.deepStrictEqual(row, one.tau);
  }
});

test("a query, such as ?form=base", async () => {
  same(await t.robot("planar-2r").regressor({ q: [0.1, 0.2], qd: [1, 2], qdd: [3, 4] }, { query: { form: "base" } }),
    await overJson("/v1/robots/planar-2r/regressor?form=base", { q: [0.1, 0.2], qd: [1, 2], qdd: [3, 4] }));
});

test("a refusal has its place, a hint and the value that is there", async () => {
  const qdd = new NDArray([0, 0, 0, NaN], [2, 2]);
  const fault = await t.robot("planar-2r").inverseDynamics({ q: [[0, 0], [0, 0]], qd: [[0, 0], [0, 0]], qdd }).catch((error) => error);
  assert.ok(fault instanceof TorquedError && fault instanceof Error);
  assert.deepStrictEqual([fault.status, fault.type, fault.pointer, fault.value], [422, "/problems/not-finite", "/qdd/1/1", NaN]);
  assert.ok(fault.message.includes(fault.hint) && fault.requestId.length === 26);
  await assert.rejects(t.robot("nobody").terms({ q: [0], include: ["energy"] }), { status: 404, type: "/problems/unknown-robot", pointer: undefined });
  await assert.rejects(t.robot("planar-2r").inverseDynamics({ q: [0, 0], qd: [0, 0], qd_: [0, 0] }), { status: 400, pointer: "/qd_" });
});

const HOME = [0, -0.785, 0, -2.356, 0, 1.571, 0.785];
const LOCK = { op: "lock", joints: { joint7: 0.8 } };

test("a robot is changed: dry, under a name, if it is the version that is meant", async () => {
  const panda = t.robot("panda");
  const dry = await panda.change([LOCK], { as: "js-six", dryRun: true });
  assert.equal(dry.nv, 6);
  await assert.rejects(t.robots.get("js-six"), { status: 404 });
  const made = await panda.change([LOCK, { op: "gravity", gravity: [0, 0, -1.62] }], { as: "js-six" });
  assert.equal((await t.robot("js-six").document()).digest, made.digest);
  await assert.rejects(t.robots.change("js-six", [{ op: "gravity", gravity: [0, 0, 0] }], { ifMatch: "0".repeat(64) }), { status: 412 });
  await assert.rejects(panda.change([LOCK, { op: "lock", joints: { joint99: 1 } }], { as: "none" }),
    (fault) => fault instanceof TorquedError && fault.pointer.startsWith("/operations/1/joints") && fault.hint.length > 0);
});

test("a robot as URDF, MJCF and SDF", async () => {
  for (const [format, begins] of [["urdf", "<robot"], ["mjcf", "<mujoco"], ["sdf", "<sdf"]]) {
    assert.ok((await t.robot("panda").export(format)).includes(begins));
  }
});

test("a session: steps, the way back, a fork, the end", async () => {
  const session = await t.robot("panda").session({ initial: { q: HOME }, step_s: 0.002 });
  const tau = Float64Array.of(0, -20, 0, 15, 1, 2, 0);
  const first = await session.step(tau);
  assert.ok(first.q instanceof Float64Array && session.state === first && first.step === 1);
  const last = await session.step(tau, { steps: 9 });
  assert.equal(last.step, 10);
  assert.equal((await session.rewind(1)).hash, first.hash);
  assert.equal((await session.step(tau, { steps: 9 })).hash, last.hash);
  const fork = await session.fork({ step: 1 });
  assert.deepStrictEqual([fork.state.hash, fork.id === session.id], [first.hash, false]);
  assert.ok((await t.sessions.list()).some(({ id }) => id === fork.id));
  assert.equal((await t.sessions.get(session.id)).state.hash, last.hash);
  await fork.close();
  await session.close();
  await assert.rejects(session.step(tau), { status: 404 });
});

test("robots: put, read, export, replace if unchanged, delete", async () => {
  const urdf = await t.robots.urdf("planar-2r");
  assert.match(urdf, /^<\?xml|^<robot/);
  const report = await t.robot("mine").put(urdf, { format: "urdf" });
  assert.equal(report.name, "mine");
  const document = await t.robot("mine").document();
  assert.equal(document.joints.length, (await t.robots.get("planar-2r")).joints.length);
  assert.equal((await t.robots.put("mine", document, { ifMatch: report.digest })).digest.length, 64);
  await assert.rejects(t.robots.put("mine", document, { ifNoneMatch: "*" }), { status: 412 });
  assert.ok((await t.robots.list()).some((one) => one.name === "mine"));
  assert.equal(await t.robots.get("mine", { headers: { "If-None-Match": `"${(await t.robots.get("mine")).digest ?? report.digest}"` } }).then((one) => one?.name), undefined);
  await assert.rejects(t.robots.put("bad", "<robot"), { status: 400 });
  await t.robot("mine").delete();
  await assert.rejects(t.robot("mine").urdf(), { status: 404 });
});

test("datasets: every kind of data, progress, points, ranges", async () => {
  const csv = "t,q\n0,0.5\n1,0.25\n2,-0.5\n";
  assert.equal((await t.datasets.put("js-text", csv)).rows, 3);
  const numbers = new NDArray([0, 0.5, 1, 0.25, 2, -0.5], [3, 2]);
  assert.deepStrictEqual((await t.datasets.put("js-npy", numbers)).media_type, "application/x-npy");
  assert.deepStrictEqual((await t.datasets.put("js-npy", Float64Array.of(1, 2))).columns, 1);
  assert.equal((await t.datasets.put("js-blob", new Blob([csv]))).rows, 3);
  assert.equal((await t.datasets.put("js-bytes", new TextEncoder().encode(csv), { type: "text/csv", delimiter: "comma" })).rows, 3);
  assert.equal((await t.datasets.put("js-stream", new Blob([csv]).stream())).rows, 3);
  assert.equal((await t.datasets.put("js-maker", () => new Blob([csv]).stream(), { format: "csv" })).rows, 3);
  const seen = [];
  const large = "t,q\n" + Array.from({ length: 60000 }, (_, i) => `${i},${i / 7}\n`).join("");
  assert.equal((await t.datasets.put("js-large", large, { onProgress: (at) => seen.push(at) })).rows, 60000);
  assert.ok(seen.length > 1 && seen.every((at, i) => at.total === large.length && (i === 0 || at.loaded > seen[i - 1].loaded)));
  assert.equal(seen.at(-1).loaded, large.length);
  assert.equal((await t.datasets.get("js-large")).columns, 2);
  const plot = await t.datasets.points("js-large", 100);
  assert.ok(plot.points <= 100 && plot.series[1].max.length === plot.points);
  assert.equal(new TextDecoder().decode(await t.datasets.bytes("js-text")), csv);
  assert.equal(new TextDecoder().decode(await t.datasets.bytes("js-text", { range: [4, 8] })), csv.slice(4, 9));
  assert.equal(new TextDecoder().decode(await t.datasets.bytes("js-text", { range: [4] })), csv.slice(4));
  await assert.rejects(t.datasets.bytes("js-text", { range: [400] }), { status: 416 });
  const names = (await t.datasets.list()).map((one) => one.name).filter((name) => name.startsWith("js-"));
  assert.equal(names.length, 7);
  for (const name of names) await t.datasets.delete(name);
  await assert.rejects(t.datasets.get("js-text"), { status: 404 });
});

test("the service itself", async () => {
  assert.equal((await t.version()).name, "torqued");
  assert.equal((await t.index()).links.robots, "/v1/robots");
  assert.equal((await t.health()).status, "alive");
  assert.equal((await t.live()).status, "alive");
  const [node, ...more] = await t.nodes();
  assert.deepStrictEqual([more.length, (await t.resumeNode(node.name)).name], [0, node.name]);
  await assert.rejects(t.drainNode("nowhere"), { status: 404 }); // this one has jobs of other tests
  assert.equal((await t.ready()).status, "ready");
  assert.match(await t.metrics(), /^torqued_/m);
  assert.match(await t.docs(), /<html/);
  assert.ok((await t.problems()).problems.length > 30);
  assert.equal((await t.problem("unknown-field")).status, 400);
  const backup = await t.backup();
  assert.equal(Buffer.from(await backup.arrayBuffer()).toString("latin1", 0, 13), "manifest.json");
});

test("a token, given or fetched; a session in exchange", async () => {
  await assert.rejects(client().constructor && new t.constructor(GUARDED.url).version(), { status: 401 });
  for (const token of [GUARDED.secret, async () => GUARDED.secret]) {
    const guarded = new t.constructor(GUARDED.url, { token, fetch: recorded, client: "tests", headers: { "X-Other": "1" } });
    assert.equal((await guarded.version()).name, "torqued");
    assert.ok((await guarded.robot("planar-2r").inverseDynamics({ q: [0, 0], qd: [0, 0], qdd: [0, 0] })).tau);
    assert.equal(await guarded.beginSession(), undefined);
    assert.equal(await guarded.endSession(), undefined);
    assert.match((await guarded.ticket()).ticket, /^[0-9a-f]{64}$/);
  }
});

test("jobs, page by page, and all that one is", async () => {
  const robot = t.robot("planar-2r");
  const job = await robot.submit("simulate", FALL, { priority: 5, deadline: 600 });
  const kinds = [];
  for await (const event of job) kinds.push(event.event === "state" ? event.data.state : event.event);
  assert.deepStrictEqual(kinds.filter((kind) => kind !== "progress"), ["queued", "running", "succeeded"]);
  assert.ok(job.done && job.kind === "simulate");
  const result = await job.result();
  same(result, await overJson("/v1/robots/planar-2r/simulate", FALL));
  assert.deepStrictEqual((await job.field("q")).data, result.q.data);
  assert.deepStrictEqual(Object.keys(await job.result({ fields: ["t", "q"] })), ["t", "q"]);
  assert.ok((await job.result({ points: 2 })).series.length > 2);
  same(await job.request(), FALL);
  await assert.rejects(job.report(), { status: 404 });
  await assert.rejects(robot.submit("simulate", { ...FALL, duration_s: -1 }), { pointer: "/duration_s", value: -1 });
  const ids = [];
  for await (const one of t.jobs.all({ kind: "simulate", limit: 1 })) ids.push(one.id);
  assert.ok(ids.length >= 2 && ids.includes(job.id) && new Set(ids).size === ids.length);
  assert.equal((await t.jobs.get(job.id)).state, "succeeded");
  assert.ok((await t.jobs.delete({ kind: "simulate", state: "succeeded", dry_run: true })).matched >= 2);
  assert.equal(await job.delete(), undefined);
  await assert.rejects(job.refresh(), { status: 404 });
});

test("a job that is cancelled says so", async () => {
  const job = await t.robot("planar-2r").submit("simulate", { ...FALL, duration_s: 1e6, output: { interval_s: 1e5 } });
  await job.cancel();
  await assert.rejects(job.result(), (error) => error instanceof TorquedError && /cancelled/.test(error.message));
  assert.equal(job.state, "cancelled");
});

test("events of all jobs", async () => {
  const stop = new AbortController();
  const first = t.events({ lastEventId: 0, signal: stop.signal });
  const { value } = await first.next();
  assert.ok(value.id && value.data.job);
  stop.abort();
  await assert.rejects(first.next(), { name: "AbortError" });
});

after(() => {
  const templates = Object.entries(contract.paths).flatMap(([path, item]) => ["get", "put", "patch", "post", "delete"].filter((method) => item[method])
    .map((method) => [`${method.toUpperCase()} ${path}`, new RegExp(`^${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`)]));
  const others = ["GET /openapi/clients.json"]; // for generators of clients
  const missing = templates.filter(([name, pattern]) => !others.includes(name) && ![...used].some((one) => pattern.test(one))).map(([name]) => name);
  assert.deepStrictEqual(missing, [], "operations that the client does not reach");
});
