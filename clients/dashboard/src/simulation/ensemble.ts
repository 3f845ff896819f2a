// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/simulation/ensemble.ts - many runs that differ: bands over time, members on demand.
import { column } from '../curves/series.ts';
import { finished } from '../base/events.ts';
import { motionUnit, number } from '../base/format.ts';
import { html, useMemo, useState, type VNode } from '../base/html.ts';
import { json, robotPath } from '../base/http.ts';
import { Choice, Fault, useLoaded } from '../base/parts.ts';
import { Player } from '../curves/player.ts';
import { Plot, type Curve } from '../curves/plot.ts';
import { axesOf, moving } from '../robots/pose.ts';
import { degrees, remember, route, Store } from '../base/store.ts';
import type { Job, Robot } from '../base/types.ts';

interface Statistics {
  mean: number[][];
  least: number[][];
  largest: number[][];
  quantiles?: number[][][];
}

interface Found {
  members: number;
  t: number[];
  alive: number[];
  q: Statistics;
  qd: Statistics;
  findings: string[];
  outcomes: Record<string, number>;
  ended: { member: number; outcome: string; t: number; reason: string }[];
}

interface Member {
  member: number;
  values: number[];
  outcome: string;
  q: number[][];
  qd: number[][];
}

export const VARIED: [string, string, string][] = [['none', 'nothing: one run', ''], ['q', 'the start', 'rad, m'], ['mass_factor', 'the masses', '%'], ['viscous_factor', 'viscous friction', '%'], ['coulomb_factor', 'Coulomb friction', '%']];

/** What varies from member to member: normally spread, each joint or link by itself; 64 of them at most. */
export function variations(robot: Robot, of: string, spread: number): object[] {
  if (of === 'mass_factor') return robot.links.filter((link) => link.mass > 0).map((link) => ({ of, link: link.name, normal: { deviation: spread / 100 } })).slice(0, 64);
  const joints = moving(robot).filter((joint) => joint.v.count === 1);
  return joints.map((joint) => ({ of, joint: joint.name, normal: { deviation: of === 'q' ? spread : spread / 100 } })).slice(0, 64);
}

const QUANTILES = [0.05, 0.5, 0.95];
/** The request of a simulation as one of an ensemble: without what only a single run can say. */
export function ensembleOf(request: Record<string, unknown>, robot: Robot, of: string, spread: number, members: number): object {
  const { include: _include, verdict: _verdict, ...rest } = request;
  return { ...rest, output: { interval_s: (request['duration_s'] as number) / 300 }, vary: variations(robot, of, spread), members, seed: 1, quantiles: QUANTILES };
}

export function EnsembleView({ job }: { job: Job }): VNode {
  const path = `/v1/jobs/${encodeURIComponent(job.id)}`;
  const [loaded, fault] = useLoaded(async () => {
    const [found, request, robot] = await Promise.all([json<Found>('GET', `${path}/result`, { quiet: true }), json<Record<string, unknown>>('GET', `${path}/request`, { quiet: true }),
      json<Robot>('GET', `/v1/robots/${encodeURIComponent(`${job.robot}@${job.robot_digest}`)}`, { quiet: true })]);
    return { found, request, robot };
  }, job.id);
  const [order, show] = useState<'q' | 'qd'>(route.value.query.get('show') === 'qd' ? 'qd' : 'q');
  const [members, keep] = useState<Member[]>([]);
  const [wrong, fail] = useState<Error | null>(null);
  const [asked, ask] = useState(() => Number(route.value.query.get('member')) || 0);
  const [busy, work] = useState(false);
  const time = useMemo(() => new Store(0), []);
  const angles = degrees.use();
  const axes = useMemo(() => (loaded ? axesOf(loaded.robot) : []), [loaded]);
  const fetchMember = async (k: number): Promise<void> => {
    if (!loaded || members.some((one) => one.member === k)) return;
    work(true);
    try {
      // member k has the same bits whoever the others are
      const again = await json<Job>('POST', robotPath(`${job.robot}@${job.robot_digest}`, 'ensemble'), { body: { ...loaded.request, only: [k], return_members: [0], quantiles: [] }, headers: { Prefer: 'respond-async' } })
        .catch(() => json<Job>('POST', robotPath(job.robot!, 'ensemble'), { body: { ...loaded.request, only: [k], return_members: [0], quantiles: [] }, headers: { Prefer: 'respond-async' } }));
      const { returned_members: got } = await finished<{ returned_members: Member[] }>(again, 'returned_members');
      keep((old) => [...old, ...got.map((one) => ({ ...one, member: k }))].slice(-6));
      fail(null);
    } catch (mistake) {
      fail(mistake as Error);
    }
    work(false);
  };
  const plots = useMemo(() => {
    if (!loaded || loaded.robot.nq !== loaded.robot.nv) return [];
    const { found } = loaded;
    return axes.map((axis, j) => {
      const { factor, name: unit } = motionUnit(axis.joint, order === 'q' ? 0 : 1);
      const table = (rows: number[][] | undefined): number[] => column(rows ?? [], j, factor);
      const of = found[order];
      const curves: Curve[] = [{ name: '5 %', values: table(of.quantiles?.[0]), tone: 0, dash: [] }, { name: '95 %', values: table(of.quantiles?.[2]), tone: 0, dash: [] },
        { name: 'least', values: table(of.least), tone: 7, dash: [2, 3] }, { name: 'greatest', values: table(of.largest), tone: 7, dash: [2, 3] }, { name: 'median', values: table(of.quantiles?.[1] ?? of.mean), tone: 0, dash: [], wide: true },
        ...members.map((one, k) => ({ name: `member ${one.member}`, values: table(one[order]), tone: 1 + (k % 6), dash: [7, 3] }))];
      return { title: axis.name, unit, curves };
    });
  }, [loaded, order, members, angles]);
  if (!loaded) return html`<${Fault} fault=${fault} />`;
  const { found, request } = loaded;
  const count = (key: string, text: string): string[] => (found.outcomes[key] ? [`${found.outcomes[key]} ${text}`] : []);
  const named = request['vary'] as { of: string; joint?: string; link?: string }[];
  return html`<section class="panel" aria-label="Verdict"><ul class="verdicts"><li class=${found.outcomes['completed'] === found.members ? 'good' : 'bad'}>${found.outcomes['completed'] === found.members ? '\u2713' : '\u2715'} ${[`Of ${found.members} runs ${found.outcomes['completed'] ?? 0} came to their end`, ...count('stopped', 'were stopped by an event'), ...count('diverged', 'ran away'), ...count('unfinished', 'took too many steps')].join(', ')}.</li>
      ${found.findings.map((text) => html`<li>${text}</li>`)}</ul>
      ${found.ended.length > 0 && html`<details><summary>The runs that ended early</summary><ol class="checks">${found.ended.slice(0, 100).map((one) => html`<li><button class="small" disabled=${busy} onClick=${() => fetchMember(one.member)}>Member ${one.member}</button> ${one.outcome} at ${number(one.t)} s <span class="dim">${one.reason}</span></li>`)}</ol></details>`}</section>
    <section class="panel" aria-label="Bands"><div class="panel-head"><h2>Nine of ten runs lie in the band</h2><div class="row tight"><${Choice} label="Quantity" value=${order} options=${[['q', 'Positions'], ['qd', 'Speeds']]} onpick=${(key: string) => { show(key as 'q' | 'qd'); remember({ show: key === 'qd' ? key : '' }); }} />
        <label class="inline">Member<input type="number" min="0" max=${found.members - 1} step="1" value=${asked} onInput=${(event: Event) => { const k = Number((event.target as HTMLInputElement).value); ask(k); remember({ member: k ? String(k) : '' }); }} /></label><button disabled=${busy} onClick=${() => fetchMember(Math.max(0, Math.min(found.members - 1, Math.round(asked))))}>${busy ? 'Running it\u2026' : 'Show it'}</button>
        ${members.length > 0 && html`<button onClick=${() => keep([])}>Hide members</button>`}</div></div>
      <${Fault} fault=${wrong} />
      ${members.length > 0 && html`<ul class="reasons members">${members.map((one) => html`<li>Member ${one.member} ${one.outcome}: ${one.values.slice(0, 8).map((value, k) => `${named[k]?.joint ?? named[k]?.link ?? ''} ${number(value, 3)}`).join(', ')}${one.values.length > 8 ? '\u2026' : ''}</li>`)}</ul>`}
      <${Player} time=${time} end=${found.t.at(-1) ?? 0} />
      ${plots.length ? html`<div class="plots">${plots.map((one) => html`<${Plot} key=${one.title} ...${one} t=${found.t} band=${true} time=${time} />`)}</div>` : html`<p class="dim">Bands are drawn of joints with one freedom each; the result has the tables of all.</p>`}</section>`;
}
