// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/calibration/payload.ts - what a calibrated robot carries: mass, centre and inertia found from logs, and where to go on with them.
import { nameFrom, put } from '../base/kept.ts';
import { number, unitText } from '../base/format.ts';
import { html, useMemo, useState, type VNode } from '../base/html.ts';
import { json } from '../base/http.ts';
import { Fault, useLoaded } from '../base/parts.ts';
import { address } from '../base/store.ts';
import type { Job } from '../base/types.ts';

interface Estimate {
  name: string;
  unit: string;
  value: number | null;
  value_reason?: string;
  interval?: [number, number];
}

interface Found {
  verdict: string;
  text: string;
  link: string;
  from: string;
  samples: number;
  segments?: number;
  poses?: number;
  confidence: number;
  estimates: Estimate[];
  payload: { link: string; mass: number; com?: number[] } | null;
  payload_reason?: string;
  payload_note?: string;
  by_joint: { joint: string; rmse_without?: number | null; rmse_with?: number | null }[];
  robot: object | null;
  robot_reason?: string;
}

const VERDICTS: Record<string, { mark: string; title: string; kind: string }> = {
  found: { mark: '\u2713', title: 'It carries a load', kind: 'good' }, none: { mark: '\u25cb', title: 'It carries nothing that the logs show', kind: '' },
  less: { mark: '?', title: 'It carries less than its model has', kind: 'doubt' }, open: { mark: '\u2715', title: 'The logs do not show what it carries', kind: 'bad' },
};
const NAMES: Record<string, string> = { mass: 'mass', com_x: 'centre of mass x', com_y: 'centre of mass y', com_z: 'centre of mass z' };

export function PayloadView({ job }: { job: Job }): VNode {
  const [found, fault] = useLoaded(() => json<Found>('GET', `/v1/jobs/${encodeURIComponent(job.id)}/result`, { quiet: true }), job.id);
  const [wrong, fail] = useState<Error | null>(null);
  const [saved, keep] = useState('');
  const largest = useMemo(() => Math.max(1e-12, ...(found?.by_joint ?? []).flatMap((one) => [one.rmse_without ?? 0, one.rmse_with ?? 0])), [found]);
  if (!found) return html`<${Fault} fault=${fault} />`;
  const store = async (event: Event): Promise<void> => {
    event.preventDefault();
    const name = nameFrom(String(new FormData(event.target as HTMLFormElement).get('name')));
    try {
      await put(name, JSON.stringify(found.robot), `${name} is stored`);
      keep(name);
      fail(null);
    } catch (mistake) {
      fail(mistake as Error);
    }
  };
  const verdict = VERDICTS[found.verdict] ?? { mark: '', title: found.verdict, kind: '' };
  const bar = (value: number | null | undefined): VNode => html`<span class="meter" aria-hidden="true" style=${{ '--part': (value ?? 0) / largest }}></span>`;
  return html`<section class=${`panel banner ${verdict.kind}`} aria-label="Verdict"><span class="banner-mark" aria-hidden="true">${verdict.mark}</span><div><h2>${verdict.title}</h2><p>${found.text}</p>
      ${[found.payload_note, found.payload_reason].map((text) => text && html`<p class="dim">${text}</p>`)}
      <p class="dim">${found.samples.toLocaleString('en')} samples of ${found.from === 'motion' ? `motion in ${found.segments ?? 0} segments` : `${found.poses ?? 0} poses at rest`}.</p></div></section>
    <section class="panel scroll" aria-label="What it carries"><h2>On ${found.link}, in the axes of this link; intervals of ${number(100 * found.confidence)} %</h2><table><thead><tr><th scope="col">Of the load</th><th class="num" scope="col">Value</th><th class="num" scope="col">From</th><th class="num" scope="col">To</th><th scope="col">Unit</th></tr></thead>
      <tbody>${found.estimates.map((one) => html`<tr><th scope="row">${NAMES[one.name] ?? `inertia ${one.name.slice(1)}`}</th>${one.value === null ? html`<td colspan="3" class="dim">${one.value_reason ?? 'not shown'}</td>` : html`<td class="num">${number(one.value)}</td><td class="num">${one.interval ? number(one.interval[0]) : ''}</td><td class="num">${one.interval ? number(one.interval[1]) : ''}</td>`}<td>${unitText(one.unit)}</td></tr>`)}</tbody></table></section>
    <section class="panel scroll" aria-label="Torque that the load explains"><h2>Torque that the model does not explain, RMS</h2><table><thead><tr><th scope="col">Joint</th><th class="num" scope="col">Without the load</th><th scope="col"></th><th class="num" scope="col">With it</th><th scope="col"></th></tr></thead>
      <tbody>${found.by_joint.map((one) => html`<tr><th scope="row">${one.joint}</th><td class="num">${number(one.rmse_without, 3)}</td><td>${bar(one.rmse_without)}</td><td class="num">${number(one.rmse_with, 3)}</td><td>${bar(one.rmse_with)}</td></tr>`)}</tbody></table></section>
    <section class="panel" aria-label="Go on with it"><div class="panel-head"><h2>Go on with it</h2>
      ${found.payload && job.robot && html`<a href=${address(['robots', job.robot, 'torque'], { payload: String(Number(found.payload.mass.toPrecision(6))), on: found.payload.link, com: (found.payload.com ?? []).map((one) => one.toFixed(5)).join(',') })}>Torques with this load \u2192</a>`}
      ${found.robot ? html`<form class="row" onSubmit=${store}><label class="inline">Store the robot with it as<input name="name" value=${`${job.robot}-loaded`} required pattern="[A-Za-z0-9][\\w.\\-]*" /></label><button class="first">Store</button>${saved && html`<a href=${address(['robots', saved])}>See ${saved}</a>`}</form>` : html`<p class="dim">${found.robot_reason}</p>`}</div><${Fault} fault=${wrong} /></section>`;
}
