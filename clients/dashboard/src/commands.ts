// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/commands.ts - a call of the page as a line for a shell, Python, or torquectl.
import type { Call } from './http.ts';

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

export function curl(call: Call, origin: string): string {
  const words = ['curl', '-s'];
  if (call.file !== undefined) words.push('-T', quoted(call.file));
  else if (call.body !== undefined) words.push('--json', quoted(call.body));
  if (call.method !== (call.file !== undefined ? 'PUT' : call.body !== undefined ? 'POST' : 'GET')) words.push('-X', call.method);
  for (const [name, value] of Object.entries(call.headers)) {
    if (name !== 'Content-Type' && name !== 'Authorization') words.push('-H', quoted(`${name}: ${value}`));
  }
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

export function python(call: Call, origin: string): string {
  const url = JSON.stringify(origin + call.path);
  const headers = Object.entries(call.headers).filter(([name]) => name !== 'Content-Type' && name !== 'Authorization');
  const more = headers.length ? `, headers=${literal(Object.fromEntries(headers))}` : '';
  const verb = call.method.toLowerCase();
  if (call.file !== undefined) return `import requests\nrequests.${verb}(${url}, data=open(${JSON.stringify(call.file)}, "rb")${more}).json()`;
  if (call.body === undefined) return `import requests\nrequests.${verb}(${url}${more}).json()`;
  return `import requests\nrequests.${verb}(${url}, json=${literal(JSON.parse(call.body))}${more}).json()`;
}
