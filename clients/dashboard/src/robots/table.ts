// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/robots/table.ts - a robot as a table of Denavit and Hartenberg, to fill in.
import { nameFrom } from '../base/kept.ts';
import { html, useState, type VNode } from '../base/html.ts';

export function DhTable({ onput }: { onput: (name: string, text: string) => void }): VNode {
  const columns = ['a', 'alpha', 'd', 'theta', 'mass'] as const;
  const [rows, set] = useState<Record<string, string>[]>([{ kind: 'revolute', a: '0', alpha: '1.5708', d: '0.3', theta: '0', mass: '2' }, { kind: 'revolute', a: '0.4', alpha: '0', d: '0', theta: '0', mass: '1' }]);
  const [convention, pick] = useState('standard');
  const change = (k: number, key: string, value: string): void => set(rows.map((row, i) => (i === k ? { ...row, [key]: value } : row)));
  const make = (event: Event): void => {
    event.preventDefault();
    const name = nameFrom(String(new FormData(event.target as HTMLFormElement).get('name')));
    const joints = rows.map((row, k) => ({ name: `j${k + 1}`, kind: row['kind'], ...Object.fromEntries(['a', 'alpha', 'd', 'theta'].map((key) => [key, Number(row[key])])),
      // mass in the middle of a standard row: its frame is at the far end
      link: { mass: Number(row['mass']), com: convention === 'standard' ? [-Number(row['a']) / 2, 0, 0] : [0, 0, 0] } }));
    onput(name, JSON.stringify({ dh: { convention, joints }, gravity: [0, 0, -9.81] }, null, 2));
  };
  return html`<form onSubmit=${make}>
    <div class="row"><label>Name<input name="name" value="my-arm" required pattern="[A-Za-z0-9][\\w.\\-]*" /></label>
      <label>Convention<select value=${convention} onChange=${(event: Event) => pick((event.target as HTMLSelectElement).value)}><option>standard</option><option>modified</option></select></label></div>
    <div class="scroll"><table class="dh"><thead><tr><th scope="col">Joint</th><th scope="col">Kind</th><th scope="col">a (m)</th><th scope="col">alpha (rad)</th><th scope="col">d (m)</th><th scope="col">theta (rad)</th><th scope="col">mass (kg)</th><th></th></tr></thead>
      <tbody>${rows.map((row, k) => html`<tr><th scope="row">j${k + 1}</th>
        <td><select aria-label=${`kind of j${k + 1}`} value=${row['kind']} onChange=${(event: Event) => change(k, 'kind', (event.target as HTMLSelectElement).value)}><option>revolute</option><option>prismatic</option></select></td>
        ${columns.map((key) => html`<td><input type="number" step="any" required aria-label=${`${key} of j${k + 1}`} value=${row[key]} onInput=${(event: Event) => change(k, key, (event.target as HTMLInputElement).value)} /></td>`)}
        <td><button type="button" class="small" disabled=${rows.length < 2} onClick=${() => set(rows.filter((_, i) => i !== k))} aria-label=${`Remove j${k + 1}`}>\u2212</button></td></tr>`)}</tbody></table></div>
    <div class="row"><button type="button" class="small" onClick=${() => set([...rows, { kind: 'revolute', a: '0.2', alpha: '0', d: '0', theta: '0', mass: '1' }])}>Add a joint</button>
      <button class="first">Make this robot</button></div>
  </form>`;
}
