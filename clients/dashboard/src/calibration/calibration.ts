// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/calibration/calibration.ts - a calibration's result: verdict first, measured against predicted, parameters with their intervals.
import { nameFrom, put } from '../base/kept.ts';
import { column } from '../curves/series.ts';
import { compare, Numbers, words } from '../robots/differences.ts';
import { number, unitText } from '../base/format.ts';
import { html, useMemo, useState, type VNode } from '../base/html.ts';
import { json, send } from '../base/http.ts';
import { TextDifference } from './lines.ts';
import { NotIdentified, type Open } from './open.ts';
import { Choice, Fault, useLoaded } from '../base/parts.ts';
import { Plot, type Curve } from '../curves/plot.ts';
import { address, degrees, Store } from '../base/store.ts';
import type { Job, Robot } from '../base/types.ts';

interface Parameter {
  name: string;
  kind: string;
  joint?: string;
  link?: string;
  expression?: string;
  unit: string;
  value: number | null;
  value_reason?: string;
  standard_deviation?: number | null;
  interval?: [number, number] | null;
  relative_deviation?: number | null;
  consistency_measure?: number | null;
  verdict: string;
}

interface Judged {
  rmse: number;
  relative_error: number | null;
  worst: number;
}

interface ByJoint {
  joint: string;
  all?: Judged;
  moving?: Judged;
  standing?: Judged;
}

interface Found {
  verdict: string;
  reasons: string[];
  method: string;
  model: string;
  samples: number;
  confidence?: number;
  parameters: Parameter[];
  rank: { structural?: number; data?: number; columns?: number };
  condition: { column_scaled?: number | null };
  unidentifiable: Open[];
  feasibility: { least_eigenvalue?: number | null };
  fit: { by_joint?: ByJoint[] };
  validation: { kind?: string; by_joint?: ByJoint[] };
  datasets: { name: string; rows: number; samples: number; repairs?: { kind: string; meaning: string; count: number }[] }[];
  filter: { kind: string; cutoff_hz?: number };
  robot: Robot | null;
  robot_reason?: string;
  robot_note?: string;
  prediction: { name?: string; used_in_fit?: boolean; t?: number[]; tau_measured?: number[][]; tau_predicted?: number[][] }[];
}

/** What each verdict means for the use of the robot. */
const VERDICTS: Record<string, { mark: string; title: string; kind: string; text: string }> = {
  usable: { mark: '\u2713', title: 'Usable', kind: 'good', text: 'Each parameter is known well enough for a model-based controller.' },
  'robust-control-only': { mark: '\u25d0', title: 'For robust control only', kind: 'doubt', text: 'Some parameters spread: use them where the controller tolerates their error.' },
  incomplete: { mark: '\u25cc', title: 'Incomplete', kind: 'doubt', text: 'Part of the parameters is not known from these logs, or the model lacks something that the logs have.' },
  'physically-inconsistent': { mark: '\u2715', title: 'Physically inconsistent', kind: 'bad', text: 'No body has these inertias: a controller or a simulation that uses them may run away.' },
  'insufficient-excitation': { mark: '\u2715', title: 'The motion says too little', kind: 'bad', text: 'Another motion is needed: these logs leave parameters open.' },
};
const WORDS: Record<string, string> = { usable: '\u2713 usable', 'robust-control-only': '\u25d0 robust only', incomplete: '\u25cc open', unidentifiable: '\u2715 unidentifiable' };

/** A value with its interval on a scale that has zero: read without colour. */
function Whisker({ parameter, reach }: { parameter: Parameter; reach: number }): VNode | null {
  if (parameter.value === null || !parameter.interval) return null;
  const x = (value: number): number => 50 + Math.max(-48, Math.min(48, (value / reach) * 46));
  const [low, high] = parameter.interval;
  return html`<svg class="whisker" viewBox="0 0 100 12" preserveAspectRatio="none" aria-hidden="true"><path class="zero" d="M50 0V12" /><path d=${`M${x(low)} 6H${x(high)}M${x(low)} 2V10M${x(high)} 2V10`} /><path class="value" d=${`M${x(parameter.value)} 1V11`} /></svg>`;
}

const USABLE = 0.3;
const ROBUST = 0.8;
/** How far the logs' own fits of a parameter lie apart, on a scale with the two bounds of its verdict. */
function Bands({ part }: { part: number }): VNode {
  const x = (value: number): number => 4 + 76 * Math.min(1.2, value);
  return html`<svg class="whisker bands" viewBox="0 0 100 12" preserveAspectRatio="none" aria-hidden="true"><path class="zero" d=${`M4 6H96M${x(USABLE)} 1V11M${x(ROBUST)} 1V11`} /><path class="value" d=${`M4 6H${x(part)}M${x(part)} 2V10`} /></svg>`;
}

function Parameters({ found }: { found: Found }): VNode {
  const [order, sort] = useState('as');
  const [only, filter] = useState('all');
  const rows = useMemo(() => {
    const list = found.parameters.filter((one) => only === 'all' || one.verdict !== 'usable');
    return order === 'as' ? list : [...list].sort((a, b) => (b.relative_deviation ?? Infinity) - (a.relative_deviation ?? Infinity));
  }, [order, only]);
  // like quantities share a scale: those of one kind
  const reach = useMemo(() => {
    const map = new Map<string, number>();
    for (const one of found.parameters) map.set(one.kind, Math.max(map.get(one.kind) ?? 1e-12, ...(one.interval ?? [0]).map(Math.abs), Math.abs(one.value ?? 0)));
    return map;
  }, []);
  const open = found.parameters.filter((one) => one.verdict !== 'usable').length;
  const bandOf = (one: Parameter): number | null => one.consistency_measure ?? one.relative_deviation ?? null;
  const percent = (part: number | null | undefined): VNode => html`<td class="num">${part === null || part === undefined ? '' : `${number(100 * part, 3)} %`}</td>`;
  return html`<section class="panel" aria-label="Parameters"><div class="panel-head"><h2>${found.parameters.length} parameters, intervals of ${number(100 * (found.confidence ?? 0.95))} %</h2>
      <div class="row tight"><${Choice} label="Which" value=${only} options=${[['all', 'All'], ['doubt', `Not usable (${open})`]]} onpick=${filter} /><${Choice} label="Order" value=${order} options=${[['as', 'As in the model'], ['worst', 'Widest first']]} onpick=${sort} /></div></div>
    <p class="dim">Consistency: how far the fits of each log by itself lie apart, over their mean; where there are no two, the spread of the fit. Left of the first mark, below ${100 * USABLE} %, a parameter is usable; left of the second, below ${100 * ROBUST} %, for robust control only; beyond it is open. One whose spread moves no torque beyond the noise is usable at any.</p>
    <div class="scroll tall-scroll" tabindex="0" role="region" aria-label="Table of parameters"><table class="parameters"><thead><tr><th scope="col">Parameter</th><th class="num" scope="col">Value</th><th class="num" scope="col">From</th><th class="num" scope="col">To</th><th scope="col">Unit</th><th scope="col">Interval</th><th class="num" scope="col">Spread</th><th class="num" scope="col">Consistency</th><th scope="col">Bands</th><th scope="col">Verdict</th></tr></thead>
      <tbody>${rows.map((one) => html`<tr key=${one.name}><th scope="row" title=${one.expression ?? ''}>${one.name}${one.expression && one.expression !== one.name && html`<span class="dim expression">${one.expression}</span>`}</th>
        <td class="num">${one.value === null ? one.value_reason ?? 'none' : number(one.value)}</td><td class="num">${one.interval ? number(one.interval[0]) : ''}</td><td class="num">${one.interval ? number(one.interval[1]) : ''}</td><td>${unitText(one.unit)}</td>
        <td><${Whisker} parameter=${one} reach=${reach.get(one.kind) ?? 1} /></td>${percent(one.relative_deviation)}${percent(bandOf(one))}<td>${bandOf(one) !== null && html`<${Bands} part=${bandOf(one)} />`}</td><td class=${`word ${one.verdict}`}>${WORDS[one.verdict] ?? one.verdict}</td></tr>`)}</tbody></table></div></section>`;
}

function Predictions({ found, robot }: { found: Found; robot: string }): VNode {
  const [which, pick] = useState(0);
  const time = useMemo(() => new Store(0), []);
  const one = found.prediction[which];
  const joints = (found.fit.by_joint ?? []).map((row) => row.joint);
  const sets = useMemo(() => joints.map((_, j) => {
    const measured = column(one?.tau_measured ?? [], j);
    const predicted = column(one?.tau_predicted ?? [], j);
    return [{ name: 'measured', values: measured, tone: 0 }, { name: 'predicted', values: predicted, tone: 1, dash: [6, 3], wide: true }, { name: 'measured less predicted', values: measured.map((value, k) => value - predicted[k]!), tone: 2, dash: [2, 3] }] as Curve[];
  }), [one]);
  return html`<section class="panel" aria-label="Measured against predicted"><div class="panel-head"><h2>Torque, measured against predicted</h2>
      ${found.prediction.length > 1 && html`<label class="inline">Log<select value=${which} onChange=${(event: Event) => pick(Number((event.target as HTMLSelectElement).value))}>${found.prediction.map((row, k) => html`<option value=${k}>${row.name}${row.used_in_fit === false ? ' (not in the fit)' : ''}</option>`)}</select></label>`}</div>
    <div class="plots">${joints.map((joint, j) => {
      const fit = found.fit.by_joint?.[j]?.all;
      const validation = found.validation.by_joint?.[j]?.all;
      return html`<div key=${joint}><${Plot} title=${joint} unit="N\u00b7m or N" t=${one?.t ?? []} curves=${sets[j]} time=${time} height=${170} />
        <p class="dim">RMS of the difference ${number(fit?.rmse, 3)} in the fit${validation ? `, ${number(validation.rmse, 3)} where the fit has not seen the log` : ''}${fit?.relative_error !== null && fit?.relative_error !== undefined ? `; ${number(100 * fit.relative_error, 3)} % of the torque` : ''}</p></div>`;
    })}</div><p class="dim away">${robot}</p></section>`;
}

function UrdfDifference({ job }: { job: Job }): VNode {
  const [texts, fault] = useLoaded(() => Promise.all([`/v1/robots/${encodeURIComponent(`${job.robot}@${job.robot_digest}`)}?format=urdf`, `/v1/jobs/${encodeURIComponent(job.id)}/result/robot.urdf`].map((path) => send<string | Blob | ArrayBuffer | Uint8Array<ArrayBuffer>>('GET', path, { quiet: true }).then((text) => (typeof text === 'string' ? text : new Response(text).text())))), job.id);
  return html`<${Fault} fault=${fault} />${texts && html`<${TextDifference} before=${texts[0]} after=${texts[1]} label="URDF before and after" />`}`;
}

function Difference({ job, found, before }: { job: Job; found: Found; before?: Robot }): VNode | null {
  const [saved, keep] = useState('');
  const [wrong, fail] = useState<Error | null>(null);
  const [opened, open] = useState(false);
  degrees.use();
  const after = found.robot;
  if (!after) return html`<section class="panel" aria-label="Robot"><h2>No robot is given</h2><p class="dim">${found.robot_reason}</p></section>`;
  const save = async (event: Event): Promise<void> => {
    event.preventDefault();
    const name = nameFrom(String(new FormData(event.target as HTMLFormElement).get('name')));
    try {
      await put(name, JSON.stringify(after), `${name} is stored`);
      keep(name);
      fail(null);
    } catch (fault) {
      fail(fault as Error);
    }
  };
  const result = before ? compare(before, after) : null;
  const urdf = (job.attachments ?? []).some((one) => one.name === 'robot.urdf');
  return html`<section class="panel" aria-label="Robot before and after"><div class="panel-head"><h2>The robot, before and after</h2>
      <form class="row" onSubmit=${save}><label class="inline">Store it as<input name="name" value=${`${job.robot}-calibrated`} required pattern="[A-Za-z0-9][\\w.\\-]*" /></label><button class="first">Store</button>${saved && html`<a href=${address(['robots', saved])}>See ${saved}</a><a href=${address(['robots', saved, 'calibrate'], { for: 'load' })}>What does it carry?</a>`}</form></div>
    <${Fault} fault=${wrong} />
    ${found.robot_note && html`<p class="dim">${found.robot_note}</p>`}
    ${result && html`<ul class="reasons">${words(before!, after, 'the model', 'what was found').map((text) => html`<li>${text}</li>`)}</ul>
    <details><summary>${result.changed.length} of ${result.count} numbers differ</summary><${Numbers} changed=${result.changed} /></details>`}
    ${urdf && html`<details onToggle=${() => open(true)}><summary>Its URDF, before and after</summary>${opened && html`<${UrdfDifference} job=${job} />`}</details>`}</section>`;
}

export function CalibrationView({ job }: { job: Job }): VNode {
  const [found, fault] = useLoaded(() => json<Found>('GET', `/v1/jobs/${encodeURIComponent(job.id)}/result`, { quiet: true }), job.id);
  const [before, unknown] = useLoaded(() => json<Robot>('GET', `/v1/robots/${encodeURIComponent(`${job.robot}@${job.robot_digest}`)}`, { quiet: true }), job.id);
  if (!found) return html`<${Fault} fault=${fault} />`;
  const verdict = VERDICTS[found.verdict] ?? { mark: '', title: found.verdict, kind: '', text: '' };
  const repairs = found.datasets.flatMap((one) => (one.repairs ?? []).map((repair) => `${one.name}: ${repair.count} \u00d7 ${repair.meaning}`));
  return html`<section class=${`panel banner ${verdict.kind}`} aria-label="Verdict"><span class="banner-mark" aria-hidden="true">${verdict.mark}</span><div><h2>${verdict.title}</h2><p>${verdict.text}</p>
      ${found.reasons.length > 0 && html`<ul class="reasons">${found.reasons.slice(0, 5).map((one) => html`<li>${one}</li>`)}</ul>${found.reasons.length > 5 && html`<details><summary>${found.reasons.length - 5} more reasons</summary><ul class="reasons">${found.reasons.slice(5).map((one) => html`<li>${one}</li>`)}</ul></details>`}`}
      <p class="dim">${found.samples.toLocaleString('en')} samples of ${found.datasets.length} ${found.datasets.length === 1 ? 'log' : 'logs'}, method ${found.method}, model ${found.model}${found.filter.cutoff_hz ? `, filter at ${number(found.filter.cutoff_hz, 3)} Hz` : ''}; ${found.rank.data} of ${found.rank.structural} parameters that any motion could show, condition ${number(found.condition.column_scaled, 3)}.</p></div></section>
    <${Fault} fault=${unknown} />
    ${found.unidentifiable.length > 0 && before && html`<${NotIdentified} parameters=${found.parameters} open=${found.unidentifiable} robot=${before} />`}
    ${repairs.length > 0 && html`<section class="panel" aria-label="Repairs"><h2>Faults of the logs that were repaired</h2><ul class="reasons">${repairs.map((one) => html`<li>${one}</li>`)}</ul></section>`}
    <${Predictions} found=${found} robot=${job.robot ?? ''} />
    <${Parameters} found=${found} />
    <${Difference} job=${job} found=${found} before=${before} />`;
}
