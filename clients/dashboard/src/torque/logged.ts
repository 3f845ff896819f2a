// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/torque/logged.ts - torque along a recorded motion: by term, beside what was measured.
import { column } from '../curves/series.ts';
import { present, toneOf, type Ledger } from './bars.ts';
import { listDatasets } from '../datasets/datasets.ts';
import { effortUnit } from '../base/format.ts';
import { html, useMemo, useState, type VNode } from '../base/html.ts';
import { json, robotPath } from '../base/http.ts';
import { Fault, useLoaded } from '../base/parts.ts';
import { Player } from '../curves/player.ts';
import { Plot, type Curve } from '../curves/plot.ts';
import { axesOf } from '../robots/pose.ts';
import { remember, route, Store } from '../base/store.ts';
import type { Robot } from '../base/types.ts';

interface Answer {
  tau: number[][];
  tau_measured?: number[][];
  ledger: Ledger;
  log: { t: number[] };
}

const ROWS = 4000; // of the beginning: each has a torque for every term

export function LoggedPanel({ robot, extra }: { robot: Robot; extra: object }): VNode {
  const [name, choose] = useState(route.value.query.get('log') ?? '');
  const [axis, look] = useState(0);
  const [list] = useLoaded(() => listDatasets(true), 'logged');
  const [found, fault] = useLoaded(async () => {
    if (!name) return null;
    const rows = (list ?? (await listDatasets(true))).datasets.find((row) => row.name === name)?.rows ?? 0;
    return json<Answer>('POST', robotPath(robot.name, 'inverse-dynamics'), { body: { from: { dataset: name, ...(rows > ROWS ? { rows: [0, ROWS] } : {}) }, ...extra, include: ['ledger'] } });
  }, `${name} ${JSON.stringify(extra)}`);
  const time = useMemo(() => new Store(0), []);
  const axes = useMemo(() => axesOf(robot), [robot]);
  const curves = useMemo<Curve[]>(() => (found ? [...present(found.ledger).map((term) => ({ name: term, values: column(found.ledger[term] as number[][], axis), tone: toneOf(term) })),
    { name: 'sum', values: column(found.tau, axis), tone: 7, wide: true, dash: [] }, ...(found.tau_measured ? [{ name: 'measured', values: column(found.tau_measured, axis), tone: 1, dash: [6, 3], wide: true }] : [])] : []), [found, axis]);
  return html`<section class="panel" aria-label="Along a log"><div class="panel-head"><h2>Along a log</h2>
      <label class="inline"><span class="away">Log</span><select value=${name} onChange=${(event: Event) => { const next = (event.target as HTMLSelectElement).value; choose(next); remember({ log: next }); }}><option value="">choose a log</option>${(list?.datasets ?? []).map((row) => row.name && html`<option>${row.name}</option>`)}</select></label></div>
    <${Fault} fault=${fault} />
    ${found && html`<label class="inline">Terms of<select value=${axis} onChange=${(event: Event) => look(Number((event.target as HTMLSelectElement).value))}>${axes.map((one, k) => html`<option value=${k}>${one.name}</option>`)}</select></label>
      <${Player} time=${time} end=${found.log.t.at(-1) ?? 0} />
      <${Plot} title=${`Torque of ${axes[axis]?.name} along ${name}`} unit=${effortUnit(axes[axis]?.joint)} t=${found.log.t} curves=${curves} time=${time} />`}</section>`;
}
