// SPDX-License-Identifier: Apache-2.0
// tests/clients/generated/typescript_client.ts - a user's program on the types of openapi-typescript and openapi-fetch; tsc reads it with --strict.
// usage: node typescript_client.js URL LOG.csv LOG.csv    prints torques, a simulation and a calibration as one JSON document
import { readFileSync } from "node:fs";
import createClient from "openapi-fetch";
import type { components, paths } from "./torqued.js";

const [url, ...logs] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl: url ?? "http://127.0.0.1:8420" });
const path = { name: "panda" };
const q = [0.1, -0.2, 0.3, -1.5, 0.5, 1.8, 0.7];

function good<T>(answer: { data?: T; error?: { title: string; detail?: string } }): T {
  if (answer.data === undefined) throw new Error(`${answer.error?.title}: ${answer.error?.detail}`);
  return answer.data;
}

/** A computation that came within the wait; a job has a `state`. */
function result<T extends object>(answer: T | components["schemas"]["Job"]): T {
  if ("state" in answer) throw new Error("it became a job");
  return answer as T;
}

const torques = result<components["schemas"]["InverseDynamicsResult"]>(good(await client.POST("/v1/robots/{name}/inverse-dynamics", {
  params: { path }, body: { q, qd: Array(7).fill(0.1), qdd: Array(7).fill(0.5) },
})));

const motion = result<components["schemas"]["SimulateResult"]>(good(await client.POST("/v1/robots/{name}/simulate", {
  params: { path, header: { Prefer: "wait=60" } },
  body: {
    initial: { q }, duration_s: 0.2, output: { interval_s: 0.1 }, solver: { method: "dopri87" },
    disturbance: [{ kind: "pulse", torque: [0, 0, 0, 1, 0, 0, 0], duration_s: 0.05 }],
  },
})));
const last: number[] | undefined = motion.q[motion.q.length - 1];

for (const [k, log] of logs.entries()) {
  const described = good(await client.PUT("/v1/datasets/{name}", {
    params: { path: { name: `run${k + 1}` } }, body: readFileSync(log, "utf8"), bodySerializer: (text) => text,
    headers: { "Content-Type": "text/csv" },
  }));
  const rows: number = described.rows;
  if (!(rows > 0)) throw new Error("no rows");
}
const fit = result<components["schemas"]["CalibrateResult"]>(good(await client.POST("/v1/robots/{name}/calibrate", {
  params: { path, header: { Prefer: "wait=60" } }, body: { datasets: ["run1", "run2"] },
})));

const outcome: "completed" | "stopped" | "diverged" | "unfinished" = motion.verdict.outcome;
const parameters: Record<string, number | null> = Object.fromEntries(fit.parameters.map((one) => [one.name, one.value]));
console.log(JSON.stringify({ tau: torques.tau, q: last, outcome, parameters }));
