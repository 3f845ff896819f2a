// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/robots/robots.ts - the list of robots, and the way in for new ones.
import { nameFrom, put, replacing, texts } from '../base/kept.ts';
import { html, useEffect, useState, type VNode } from '../base/html.ts';
import { json, Problem, robotPath, send } from '../base/http.ts';
import { keepMeshes } from '../scene/meshes.ts';
import { Drop, Fault, say, useLoaded } from '../base/parts.ts';
import { saidOf, SourceView } from './source.ts';
import { address, go } from '../base/store.ts';
import type { Report, RobotRow } from '../base/types.ts';

type List = { robots: RobotRow[] };
const askList = (): Promise<List> => json('GET', '/v1/robots');
let early: Promise<List> | undefined;
let first: List | undefined;
/** Asks for the robots before there is a page that shows them; the first page takes this answer. */
export async function askEarly(): Promise<void> {
  early = askList();
  first = await early.catch(() => undefined);
}

export function RobotsPage(): VNode {
  const [known] = useState(first);
  const [list, fault, again] = useLoaded(() => {
    const now = early ?? askList();
    early = first = undefined;
    return now;
  }, 'robots', known);
  useEffect(() => { early = first = undefined; }, []);
  const [dh, openDh] = useState(false);
  const [rest, away] = useLoaded(() => (dh ? import('./robot.ts') : Promise.resolve(null)), dh);
  const [attempt, set] = useState<{ name: string; text: string; fault: Error } | null>(null);
  const [busy, work] = useState(false);
  const [search, find] = useState('');
  const put1 = async (name: string, text: string): Promise<void> => {
    work(true);
    try {
      await put(name, text);
      set(null);
      go(['robots', name], { show: 'text' });
    } catch (wrong) {
      set({ name, text, fault: wrong as Error });
    }
    work(false);
  };
  /** Files that name each other, as one archive: its text is not kept, the service's own document is. */
  const putArchive = async (name: string, file: File): Promise<void> => {
    work(true);
    try {
      const report = await replacing(name, () => json<Report>('PUT', robotPath(name), { body: file, file: file.name, headers: { 'Content-Type': 'application/zip' } }));
      texts.set(report.digest, { text: JSON.stringify(await json<unknown>('GET', robotPath(name), { quiet: true }), null, 2), report });
      go(['robots', name], { show: 'text' });
    } catch (wrong) {
      set({ name, text: '', fault: wrong as Error });
    }
    work(false);
  };
  const drop = async (files: File[]): Promise<void> => {
    await keepMeshes(files);
    const file = files.find((one) => /\.(urdf|xml|mjcf|json|xacro|sdf|zip)$/i.test(one.name)) ?? files[0]!;
    if (/\.zip$/i.test(file.name)) await putArchive(nameFrom(file.name), file);
    else await put1(nameFrom(file.name), await file.text());
  };
  const remove = async (row: RobotRow): Promise<void> => {
    const document = await json<unknown>('GET', robotPath(row.name), { quiet: true });
    try {
      await send('DELETE', robotPath(row.name));
    } catch (wrong) {
      return say((wrong as Error).message);
    }
    again();
    say(`${row.name} is removed`, () => {}, () => void put(row.name, JSON.stringify(document)).then(again));
  };
  const rows = (list?.robots ?? []).filter((row) => row.name.toLowerCase().includes(search.toLowerCase()));
  const own = rows.filter((row) => !row.builtin);
  const card = (row: RobotRow): VNode => html`<li class="card"><a href=${address(['robots', row.name])}><b>${row.name}</b>
    <span class="dim">${row.nv} DoF \u00b7 ${row.source === 'document' ? 'document' : row.source.toUpperCase()}</span></a>
    ${!row.builtin && html`<button class="small" onClick=${() => remove(row)} aria-label=${`Remove ${row.name}`}>Remove</button>`}</li>`;
  return html`<div class="page robots">
    <h1>Robots</h1>
    <${Drop} accept=".urdf,.xml,.mjcf,.xacro,.sdf,.zip,.json,.stl,.obj,.dae" title="Choose a robot file" ondrop=${drop}>or drop one here: URDF (with its STL, OBJ or Collada meshes, to draw it), MJCF, SDF, xacro, a zip of them with the files that they name, or a robot document. What was understood, what was ignored and what looks wrong is said line by line.<//>
    <details class="panel" onToggle=${() => openDh(true)}><summary>From a table of Denavit and Hartenberg</summary><${Fault} fault=${away} />${rest && html`<${rest.DhTable} onput=${put1} />`}</details>
    ${attempt && html`<section class="panel" aria-label="Refused"><div class="panel-head"><h2>${attempt.name} was not taken</h2><button class="small" onClick=${() => set(null)}>Close</button></div>
      ${!(attempt.fault instanceof Problem && attempt.fault.document.errors?.length) && html`<${Fault} fault=${attempt.fault} />`}
      <${SourceView} text=${attempt.text} said=${saidOf(attempt.text, null, attempt.fault)} busy=${busy} onput=${(text: string) => put1(attempt.name, text)} /></section>`}
    <${Fault} fault=${fault} />
    ${list && html`<div class="row between"><h2>Yours</h2><input type="search" placeholder="Find a robot" aria-label="Find a robot" value=${search} onInput=${(event: Event) => find((event.target as HTMLInputElement).value)} /></div>
      ${own.length ? html`<ul class="cards">${own.map(card)}</ul>` : html`<p class="dim">${search ? 'None has this name.' : 'None yet. Drop a file above, or begin with one of the built-in robots: they cannot be changed by accident.'}</p>`}
      <h2>Built in</h2><ul class="cards">${rows.filter((row) => row.builtin).map(card)}</ul>`}
  </div>`;
}
