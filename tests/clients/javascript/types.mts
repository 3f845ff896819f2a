// SPDX-License-Identifier: Apache-2.0
// tests/clients/javascript/types.mts - what the types allow and refuse; compiled, never run.
import { Client, NDArray, TorquedError } from "../../../clients/javascript/torqued.js";
const t = new Client("http://x", { token: async () => "a" });
const r = t.robot("panda");
const a = await r.inverseDynamics({ q: [1, 2], qd: new Float64Array(2), qdd: new NDArray([1], [1, 1]) });
if (a.tau instanceof NDArray) a.tau.row(0); else a.tau.subarray(1);
const b = await r.inverseDynamics({ q: [1], qd: [1], qdd: [1] }, { plain: true });
const n: number[] | number[][] = b.tau;
const j = await r.submit("simulate", { initial: { q: [0, 0], qd: [0, 0] }, duration_s: 1, output: { interval_s: 1 } });
const s = await j.result(); const tt: Float64Array = s.t;
const s2: number[] = (await j.result({ plain: true })).t;
await r.regressor({ q: [1], qd: [1], qdd: [1] }, { query: { form: "base" } });
// @ts-expect-error
await r.regressor({ q: [1], qd: [1], qdd: [1] }, { query: { form: "bas" } });
// @ts-expect-error
await r.inverseDynamics({ q: [1], qd: [1], qddd: [1] });
await t.drive({} as any);
const session = await r.session({ initial: { q: [0, 0] }, step_s: 0.001 });
const hash: string = (await session.step(new Float64Array(2), { steps: 3 })).hash;
await (await session.fork({ step: 1 })).close();
await r.change([{ op: "lock", joints: { joint7: 0.8 } }], { as: "six" });
// @ts-expect-error
await r.change([{ op: "unlock" }]);
const mjcf: string = await r.export("mjcf");
for await (const event of j) if (event.event === "state") event.data.state satisfies string | undefined;
await t.datasets.put("x", new Float64Array(3), { onProgress: ({ loaded, total }) => loaded / total });
await t.request("GET", "/v1/version", { signal: AbortSignal.timeout(1000) });
try {
  await t.version();
} catch (fault) {
  if (fault instanceof TorquedError) fault.errors.map(({ pointer, hint }) => `${pointer} ${hint}`);
}
