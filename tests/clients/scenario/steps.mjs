// SPDX-License-Identifier: Apache-2.0
// tests/clients/scenario/steps.mjs - the scenario by clients/javascript, in Node and in a browser: {step: what came, as bytes}.

const APART = ["provenance", "created", "digest"]; // of this run; of the bytes that were sent
const camel = (operation) => operation.replaceAll(/-(\w)/g, (_, letter) => letter.toUpperCase());

/** Numbers as the hexadecimal digits of their bytes, by the path of their field: the same for every client (`flat` of test_scenario.py). */
export function flat(value, path = "", to = {}) {
  const put = (text) => (to[path] = (to[path] ?? "") + text);
  if (typeof value === "number") {
    const bytes = new Uint8Array(Float64Array.of(value).buffer);
    put(Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(""));
  } else if (value === null || typeof value !== "object") put(`<${value}>`);
  else if (value[Symbol.iterator]) for (const one of value) flat(one, path, to);
  else for (const [key, one] of Object.entries(value)) if (!APART.includes(key)) flat(one, `${path}.${key}`, to);
  return to;
}

/** The states of a session; a fork goes on in its place. */
async function drive(client, step) {
  let session = await client.sessions.open(step.body);
  const states = [session.state];
  for (const [move, first, steps] of step.go) {
    if (move === "step") await session.step(first, { steps });
    else if (move === "rewind") await session.rewind(first);
    else session = await session.fork({ step: first });
    states.push(session.state);
  }
  return { states };
}

export async function run(client, scenario, files) {
  const results = {};
  for (const step of scenario.steps) {
    const of = step.robot ? client.robot(step.robot) : client;
    const name = camel(step.operation ?? "");
    const take = {
      "put robot": () => of.put(step.text ?? step.document, { format: step.format }),
      "put dataset": () => client.datasets.put(step.dataset, files[step.file]),
      call: () => of[name](step.body, { query: step.query }),
      job: async () => (await of.submit(name, step.body)).result(),
      read: () => client.request("GET", step.path),
      export: async () => ({ text: await of.export(step.format) }),
      "change robot": () => of.change(step.operations, { as: step.as }),
      session: () => drive(client, step),
      refused: () => of[name](step.body).then(
        () => "not refused",
        ({ status, type, pointer, hint }) => ({ status, type, pointer: pointer ?? null, hint: hint ?? null }),
      ),
    };
    results[step.name] = flat(await take[step.do]());
  }
  return results;
}
