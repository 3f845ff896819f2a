// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/frame/commands.ts - a call of the page as a line for a shell, Python, or torquectl.
import type { Call } from '../base/http.ts';

// of a service with credentials: the token is in a file, as for the clients
const FILE = '"$TORQUED_TOKEN_FILE"';

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

export function curl(call: Call, origin: string, secured: boolean): string {
  const words = ['curl', '-s'];
  if (call.file !== undefined) words.push('-T', quoted(call.file));
  else if (call.body !== undefined) words.push('--json', quoted(call.body));
  if (call.method !== (call.file !== undefined ? 'PUT' : call.body !== undefined ? 'POST' : 'GET')) words.push('-X', call.method);
  for (const [name, value] of Object.entries(call.headers)) {
    if (name !== 'Content-Type' && name !== 'Authorization') words.push('-H', quoted(`${name}: ${value}`));
  }
  if (secured) words.push('-H', `"Authorization: Bearer $(head -n 1 ${FILE})"`);
  return [...words, quoted(origin + call.path)].join(' ');
}

function literal(value: unknown): string {
  if (value === null) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value === 'object') return `{${Object.entries(value as object).map(([key, one]) => `${JSON.stringify(key)}: ${literal(one)}`).join(', ')}}`;
  return JSON.stringify(value);
}

const own = (call: Call): Record<string, string> => Object.fromEntries(Object.entries(call.headers).filter(([name]) => name !== 'Content-Type' && name !== 'Authorization'));
const nameOf = (path: string, kind: string): string | null => {
  const found = new RegExp(`^/v1/${kind}/([^/?]+)$`).exec(path);
  return found ? decodeURIComponent(found[1]!) : null;
};
const operationOf = (path: string): { robot: string; operation: string } | null => {
  const found = /^\/v1\/robots\/([^/?]+)\/([a-z-]+)$/.exec(path);
  return found ? { robot: decodeURIComponent(found[1]!), operation: found[2]! } : null;
};
const JOBS = new Set(['simulate', 'calibrate', 'payload', 'excitation', 'ensemble']);

/** With the package `torqued`, whose calls have the fields of a request as arguments. */
export function python(call: Call, origin: string, secured: boolean): string {
  const begin = `import torqued\n\nclient = torqued.Client(${JSON.stringify(origin)})\n`;
  const made = operationOf(call.path);
  if (made && call.body !== undefined) {
    const words = Object.entries(JSON.parse(call.body) as object).map(([key, value]) => `${key}=${literal(value)}`).join(', ');
    const kind = JOBS.has(made.operation) && own(call)['Prefer'] === 'respond-async' ? 'jobs.' : '';
    return `${begin}result = client.robot(${JSON.stringify(made.robot)}).${kind}${made.operation.replaceAll('-', '_')}(${words})`;
  }
  const extra = `${call.file !== undefined ? `, content=open(${JSON.stringify(call.file)}, "rb").read()` : call.body !== undefined ? `, json=${literal(JSON.parse(call.body))}` : ''}`;
  const headers = [...Object.entries(own(call)).map(([name, value]) => `${literal(name)}: ${literal(value)}`), ...(secured ? ['"Authorization": "Bearer " + open(os.environ["TORQUED_TOKEN_FILE"]).readline().strip()'] : [])];
  return `import httpx${secured ? '\nimport os' : ''}\n\nhttpx.request(${JSON.stringify(call.method)}, ${JSON.stringify(origin + call.path)}${extra}${headers.length ? `, headers={${headers.join(', ')}}` : ''}).json()`;
}

const SHORT: Record<string, string> = { 'inverse-dynamics': 'id', 'forward-dynamics': 'fd', kinematics: 'kin', 'inverse-kinematics': 'ik' };

/** With torquectl; null where it has no command for the call. */
export function torquectl(call: Call, origin: string, secured: boolean): string | null {
  const begin = `torquectl -s ${quoted(origin)}${secured ? ` --token-file ${FILE}` : ''}`;
  const made = operationOf(call.path);
  if (made && call.body !== undefined) {
    const detached = own(call)['Prefer'] === 'respond-async' ? ' --detach' : '';
    return `${begin} ${SHORT[made.operation] ?? made.operation} ${quoted(made.robot)}${detached} -i - <<'END'\n${call.body}\nEND`;
  }
  for (const kind of ['robots', 'datasets', 'jobs']) {
    if (call.method === 'GET' && call.path.split('?')[0] === `/v1/${kind}`) return `${begin} ${kind} list`;
    const name = nameOf(call.path, kind);
    if (name === null) continue;
    if (call.method === 'PUT' && call.file !== undefined) return `${begin} ${kind} put ${quoted(name)} ${quoted(call.file)}`;
    if (call.method === 'GET') return `${begin} ${kind} ${kind === 'datasets' ? 'describe' : 'get'} ${quoted(name)}`;
    if (call.method === 'DELETE') return `${begin} ${kind} delete ${quoted(name)}`;
  }
  return null;
}
