// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/simulation/simulation.ts - a simulation's result: verdict and audit in words, playback in 3D, curves under one time cursor.
import { rowOf, unfold, usePart, type Series } from '../curves/series.ts';
import type { Contacts } from './contacts.ts';
import { fetchJobs, jobs } from '../base/events.ts';
import { Exports } from './export.ts';
import { ago, effortUnit, motionUnit, number } from '../base/format.ts';
import { html, useEffect, useMemo, useRef, useState, type VNode } from '../base/html.ts';
import { json, lastCall, robotPath } from '../base/http.ts';
import { Fault, useLoaded } from '../base/parts.ts';
import { Player } from '../curves/player.ts';
import { Plot, type Curve, type Mark } from '../curves/plot.ts';
import { axesOf } from '../robots/pose.ts';
import { degrees, numbersOf, remember, route, Store } from '../base/store.ts';
import { posesOf, View3d } from '../scene/view3d.ts';
import type { Arrow } from '../scene/scene.ts';
import type { Frame, Job, Robot, Solid } from '../base/types.ts';

interface Summary {
  verdict: { outcome: string; t: number; reason?: string; joint?: string; term?: string; loop?: string; growth_rate_per_s?: number | null; doubling_time_s?: number | null;
    horizon?: { tolerated_error?: number; t?: number | null; t_reason?: string } };
  stats: { method: string; steps: number; rejected: number; evaluations: number };
  audit?: { energy?: { kinetic_max?: number; potential_change?: number; work?: number; dissipated?: number; external?: number; contact_friction?: number; contact_impacts?: number; residual_max?: number; relative?: number | null; finding?: string } };
  events: { t: number; on: string; joint?: string; a?: string; b?: string; value: number }[];
  contacts?: { pairs: { a: string; b: string; touches: number }[]; impacts: number };
  tracking?: { max?: number[]; rms?: number[]; final?: number[] };
}

const FRAMES = 500;
const ROWS_LEAST = 10;

const some3 = (names: string[]): string => (names.length > 3 ? `${names.slice(0, 2).join('; ')} and ${names.length - 2} more pairs` : names.join('; '));

/** What happened, in sentences. */
export function sentences(result: Summary): { text: string; kind: 'good' | 'bad' | '' }[] {
  const { verdict, audit, stats } = result;
  const list: { text: string; kind: 'good' | 'bad' | '' }[] = [];
  const told: Record<string, string> = { completed: `\u2713 It ran to its end at ${number(verdict.t)} s.`, stopped: `\u25a0 An event stopped it at ${number(verdict.t)} s.`, diverged: `\u2715 It diverged at ${number(verdict.t)} s.`, unfinished: `\u2715 It is unfinished: too many steps by ${number(verdict.t)} s.` };
  list.push({ text: told[verdict.outcome] ?? verdict.outcome, kind: verdict.outcome === 'completed' ? 'good' : verdict.outcome === 'stopped' ? '' : 'bad' });
  if (verdict.reason) list.push({ text: `${verdict.reason}${verdict.joint ? ` (joint ${verdict.joint}${verdict.term ? `, ${verdict.term} acts most on it` : ''})` : ''}.`, kind: 'bad' });
  const growth = verdict.growth_rate_per_s;
  if (growth !== null && growth !== undefined) {
    list.push({ kind: '', text: growth > 1e-6 ? `Small errors grow at first: they double each ${number(verdict.doubling_time_s ?? Math.LN2 / growth, 3)} s${verdict.loop === 'open' ? ', as they do without a controller that sees the state' : ''}.`
      : growth < -1e-6 ? `Small errors die out at first: by half each ${number(-Math.LN2 / growth, 3)} s.` : 'Small errors neither grow nor die out at first.' });
  }
  const until = verdict.horizon?.t;
  if (until !== null && until !== undefined) list.push({ kind: 'bad', text: `Not to be trusted beyond ${number(until)} s: by then errors reach ${number(verdict.horizon!.tolerated_error)} rad or m.` });
  const energy = audit?.energy;
  if (energy && energy.relative !== undefined) {
    const part = energy.relative;
    list.push({ kind: energy.finding ? 'bad' : 'good', text: `${energy.finding ? '\u2715' : '\u2713'} Energy balances to ${number(energy.residual_max, 2)} J${part === null ? '' : `, ${number(part, 2)} of the largest kinetic energy`}: work ${number(energy.work)} J, lost to friction ${number(energy.dissipated)} J, from outside ${number(energy.external)} J.${energy.finding ? ` ${energy.finding}.` : ''}` });
  }
  if (result.contacts) {
    const met = result.contacts.pairs.filter((one) => one.touches);
    list.push({ kind: '', text: met.length ? `${some3(met.map((one) => `${one.a} and ${one.b}`))} touched, with ${result.contacts.impacts.toLocaleString('en')} ${result.contacts.impacts === 1 ? 'impact' : 'impacts'} in all${energy?.contact_friction || energy?.contact_impacts ? `: sliding took ${number(energy.contact_friction)} J, impacts ${number(energy.contact_impacts)} J` : ''}.` : 'Nothing touched.' });
  }
  list.push({ kind: '', text: `${stats.steps} steps of ${stats.method}${stats.rejected ? `, ${stats.rejected} tried in vain` : ''}.` });
  return list;
}

const ONS: Record<string, string> = { lower_limit: 'lower limit', upper_limit: 'upper limit', stick: 'sticks', slip: 'slips', rest: 'rests', leave: 'leaves', touch: 'touch', lift: 'part' };
const whoOf = (event: Summary['events'][number]): string => (event.a ? `${event.a}, ${event.b}` : event.joint ?? '');

/** What an event has measured: the speed that arrives at a limit, what holds a joint, the speed of approach. */
function measured({ on, joint, value }: Summary['events'][number], robot: Robot): string {
  const of = robot.joints.find((one) => one.name === joint);
  const unit = /_limit$/.test(on) ? motionUnit(of, 1) : { factor: 1, name: /^(stick|slip|rest|leave)$/.test(on) ? effortUnit(of) : on === 'touch' ? 'm/s' : '' };
  return `${number(value * unit.factor)} ${unit.name}`;
}

/** The robot at the time cursor; of a frame nothing else of the page is made anew. */
function Playback({ robot, t, q, frames, time, solids, forces }: { robot: Robot; t: number[]; q: number[][]; frames: Frame[]; time: Store<number>; solids?: Solid[]; forces: (k: number) => Arrow[] }): VNode {
  const [k, show] = useState(0);
  useEffect(() => {
    const at = (now: number): void => {
      let low = 0;
      let high = t.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (t[middle]! <= now) low = middle;
        else high = middle - 1;
      }
      show(low);
    };
    at(time.value);
    return time.follow(at);
  }, [t]);
  const poses = useMemo(() => posesOf(frames, k), [frames, k]);
  const arrows = useMemo(() => forces(k), [forces, k]);
  return html`<${View3d} robot=${robot} q=${q[k]!} poses=${poses} solids=${solids} arrows=${arrows} />`;
}

/** Forces of contact on the solids of links, at their centres, along the world's axes; of each kept row. */
function forcesOf(points: Series, rows: number[], contacts: Contacts | undefined, pairs: { a: string; b: string }[]): (k: number) => Arrow[] {
  const columns = new Map(points.series.map((one) => [one.name, one.min]));
  const solids = new Map(contacts?.shapes.map((one) => [one.name, one]));
  return (k) => pairs.flatMap(({ a, b }, pair) => {
    const force = [0, 1, 2].map((axis) => columns.get(`contact_force_${3 * pair + axis}`)?.[rows[k]!] ?? 0);
    // on b by a, and back
    return ([[b, 1], [a, -1]] as const).flatMap(([name, sign]) => {
      const solid = solids.get(name);
      return solid?.link && Math.hypot(...force) > 0 ? [{ link: solid.link, at: solid.pose?.position ?? [0, 0, 0], force: force.map((one) => sign * one) }] : [];
    });
  });
}

function Loaded({ job, robot, summary, points, contacts, other, otherId }: { job: Job; robot: Robot; summary: Summary; points: Series; contacts?: Contacts; other: Series | null; otherId: string }): VNode {
  const angles = degrees.use();
  const axes = useMemo(() => axesOf(robot), [robot]);
  const time = useMemo(() => new Store(numbersOf(route.value.query.get('t'))?.[0] ?? 0), []);
  const stage = useRef<HTMLDivElement>(null);
  const end = useMemo(() => (unfold(points, 't').at(-1) as number | undefined) ?? 0, [points]);
  // of a part of the rows as many points as of the whole
  const [part, zoom] = usePart(true);
  const [finer, notFiner] = useLoaded(() => (part ? Promise.all([readPoints(job.id, part), otherId ? readPoints(otherId, part).catch(() => null) : null]) : Promise.resolve(null)), `${part} ${otherId}`);
  const [curves, curvesOfOther] = part && finer ? finer : [points, other];
  const t = useMemo(() => unfold(curves, 't') as number[], [curves]);
  const look = (from: number, size: number): void => {
    const n = Math.max(ROWS_LEAST, Math.min(points.rows, Math.round(size)));
    const first = Math.max(0, Math.min(points.rows - n, Math.round(from)));
    zoom(n >= points.rows ? null : [first, first + n]);
  };
  const rowAt = (at: number): number => {
    const k = t.findIndex((one) => one >= at);
    return rowOf(curves, k < 0 ? t.length - 1 : k);
  };
  const size = part ? part[1] - part[0] : points.rows;
  const frames = useMemo(() => {
    const times = points.series.find((one) => one.name === 't')!.min as number[];
    const every = Math.max(1, Math.ceil(times.length / FRAMES));
    const rows = times.map((_, k) => k).filter((k) => k % every === 0 || k === times.length - 1);
    return { t: rows.map((k) => times[k]!), forces: forcesOf(points, rows, contacts, summary.contacts?.pairs ?? []), q: rows.map((k) => Array.from({ length: robot.nq }, (_, j) => points.series.find((one) => one.name === `q_${j}`)?.min[k] ?? 0)) };
  }, [points]);
  const [poses, wrong] = useLoaded(() => json<{ frames: Frame[] }>('POST', `/v1/robots/${encodeURIComponent(`${robot.name}@${job.robot_digest}`)}/kinematics`, { body: { q: frames.q }, quiet: true })
    .catch(() => json<{ frames: Frame[] }>('POST', robotPath(robot.name, 'kinematics'), { body: { q: frames.q }, quiet: true })), job.id);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const share = time.follow((now) => {
      clearTimeout(timer);
      timer = setTimeout(() => remember({ t: now ? now.toFixed(3) : '' }), 300);
    });
    return () => { share(); clearTimeout(timer); };
  }, []);
  const marks = useMemo<Mark[]>(() => summary.events.map((event) => ({ t: event.t, text: `${whoOf(event)} ${ONS[event.on] ?? event.on}`.trim() })), [summary]);
  const scaled = (source: Series, name: string, factor: number): (number | null)[] => unfold(source, name).map((value) => (value === null ? null : value * factor));
  const group = (base: string, factor: (k: number) => number): Curve[] => axes.flatMap((axis, j) => {
    const values = scaled(curves, `${base}_${j}`, factor(j));
    if (!values.length) return [];
    const own: Curve = { name: axis.name, values, tone: j };
    const same = curvesOfOther && unfold(curvesOfOther, 't').length === t.length ? scaled(curvesOfOther, `${base}_${j}`, factor(j)) : [];
    return same.length ? [own, { name: `${axis.name}, other run`, values: same, tone: j, dash: [2, 4] }] : [own];
  });
  const units = (order: 0 | 1 | 2): string => [...new Set(axes.map((axis) => motionUnit(axis.joint, order).name))].join(', ');
  const plots = useMemo(() => {
    const floating = robot.nq !== robot.nv;
    const coordinates: Curve[] = floating ? Array.from({ length: robot.nq }, (_, j) => ({ name: `q ${j}`, values: scaled(curves, `q_${j}`, 1) })) : group('q', (j) => motionUnit(axes[j]!.joint, 0).factor);
    const energies: Curve[] = [['kinetic_energy', 'kinetic'], ['potential_energy', 'potential']].flatMap(([key, name]) => {
      const values = unfold(curves, key!);
      return values.length ? [{ name: name!, values }] : [];
    });
    if (energies.length === 2) energies.push({ name: 'total', values: energies[0]!.values && Array.from(energies[0]!.values as (number | null)[], (value, i) => (value ?? 0) + ((energies[1]!.values[i] as number) ?? 0)), wide: true, tone: 7, dash: [] });
    return [
      { title: 'Positions', unit: floating ? 'm, unit quaternions, rad' : units(0), curves: coordinates },
      { title: 'Speeds', unit: units(1), curves: group('qd', (j) => motionUnit(axes[j]!.joint, 1).factor) },
      { title: 'Torques as applied', unit: [...new Set(axes.map((axis) => effortUnit(axis.joint)))].join(', '), curves: group('tau', () => 1) },
      { title: 'Forces of contact', unit: 'N', curves: (summary.contacts?.pairs ?? []).flatMap(({ a, b, touches }, pair) => {
        const parts = [0, 1, 2].map((axis) => unfold(curves, `contact_force_${3 * pair + axis}`));
        return touches && parts[0]!.length ? [{ name: `${a}, ${b}`, values: parts[0]!.map((x, k) => Math.hypot(x ?? 0, parts[1]![k] ?? 0, parts[2]![k] ?? 0)) }] : [];
      }).slice(0, 16) },
      { title: 'Tracking error', unit: units(0), curves: group('tracking_error', (j) => motionUnit(axes[j]!.joint, 0).factor) },
      { title: 'Energy', unit: 'J', curves: energies },
    ].filter((one) => one.curves.length);
  }, [curves, curvesOfOther, angles]);
  return html`<section class="panel verdict" aria-label="Verdict"><h2 class="away">Verdict</h2><ul class="verdicts">${sentences(summary).map((one) => html`<li class=${one.kind}>${one.text}</li>`)}</ul>
      ${summary.tracking?.max && html`<p class="dim">Largest tracking error: ${summary.tracking.max.map((value, j) => ({ value, axis: axes[j] })).filter((one) => one.axis).map(({ value, axis }) => `${axis!.name} ${number(value * motionUnit(axis!.joint, 0).factor, 3)} ${motionUnit(axis!.joint, 0).name}`).join(', ')}.</p>`}</section>
    <${Fault} fault=${wrong} />
    <div class="bench played"><div class="stage" ref=${stage}>
        ${poses && html`<${Playback} robot=${robot} t=${frames.t} q=${frames.q} frames=${poses.frames} time=${time} solids=${contacts?.shapes} forces=${frames.forces} />`}
        <div class="panel"><${Player} time=${time} end=${end} />
          <div class="row tight"><${Exports} canvas=${() => stage.current?.querySelector('canvas') ?? null} time=${time} end=${end} />
          ${summary.events.length > 0 && html`<details class="events"><summary>${summary.events.length} ${summary.events.length === 1 ? 'event' : 'events'}</summary><ol>${summary.events.slice(0, 200).map((event) => html`<li><button class="small" onClick=${() => time.set(event.t)}>${number(event.t, 5)} s</button> ${whoOf(event)} ${ONS[event.on] ?? event.on} <span class="dim">${measured(event, robot)}</span></li>`)}</ol></details>`}</div></div></div>
      <div class="panel plots tall">${points.rows_per_point > 1 && html`<div class="row tight plot-tools"><div class="choice" role="group" aria-label="Part of the run">
          <button type="button" onClick=${() => look(rowAt(time.value) - size / 4, size / 2)} disabled=${size <= ROWS_LEAST}>Closer</button><button type="button" onClick=${() => look(part![0] - size / 2, size * 2)} disabled=${!part}>Wider</button><button type="button" onClick=${() => zoom(null)} disabled=${!part}>All</button></div>
        <p class="dim">${points.rows.toLocaleString('en')} rows${part ? `, of these ${part[0].toLocaleString('en')} to ${(part[1] - 1).toLocaleString('en')}` : ''}${curves.rows_per_point > 1 ? `, the least and the greatest value of each ${curves.rows_per_point} are drawn` : ''}. Drag across for finer points, double-click for all.</p></div>`}
        <${Fault} fault=${notFiner} />${plots.map((one) => html`<${Plot} key=${one.title} ...${one} t=${t} marks=${marks} time=${time}
          onzoom=${(a: number, b: number) => { if (curves.rows_per_point > 1) look(rowAt(a), rowAt(b) - rowAt(a) + 1); }} onall=${() => zoom(null)} />`)}</div></div>`;
}

/** Those of these keys that a result has: asked as the request lets expect, and once more where it has fewer. */
async function some<T>(path: string, keys: string[], rest: string, quiet: boolean): Promise<T> {
  try {
    return await json<T>('GET', `${path}?${rest}fields=${keys.join(',')}`, { quiet });
  } catch (wrong) {
    const has = /it has ([\w, ]+)/.exec((wrong as Error).message)?.[1]?.split(', ');
    const left = keys.filter((key) => has?.includes(key));
    if (!has || !left.length || left.length === keys.length) throw wrong;
    return json<T>('GET', `${path}?${rest}fields=${left.join(',')}`, { quiet });
  }
}

interface Asked {
  include?: string[];
  contacts?: Contacts;
}
const askedOf = (id: string): Promise<Asked> => json<Asked>('GET', `/v1/jobs/${encodeURIComponent(id)}/request`, { quiet: true }).catch(() => ({}));
const curvesOf = ({ include = [], contacts }: Asked): string[] => ['t', 'q', 'qd', 'tau', ...(contacts ? ['contact_force'] : []), ...(include.includes('tracking_error') ? ['tracking_error'] : []), ...(include.includes('energy') ? ['kinetic_energy', 'potential_energy'] : [])];

/** Curves over a part of the rows: [first, end). */
async function readPoints(id: string, part: [number, number]): Promise<Series> {
  return some<Series>(`/v1/jobs/${encodeURIComponent(id)}/result`, curvesOf(await askedOf(id)), `points=3000&rows=${part.join(',')}&`, true);
}

async function readRun(id: string, quiet: boolean): Promise<{ summary: Summary; points: Series; contacts?: Contacts }> {
  const path = `/v1/jobs/${encodeURIComponent(id)}/result`;
  const asked = await askedOf(id);
  const tracked = asked.include?.includes('tracking_error');
  const [summary, points] = await Promise.all([
    some<Summary>(path, ['verdict', 'stats', 'audit', 'events', ...(tracked ? ['tracking'] : []), ...(asked.contacts ? ['contacts'] : [])], '', true),
    some<Series>(path, curvesOf(asked), 'points=3000&', quiet)]);
  return { summary, points, contacts: asked.contacts };
}

interface Compared {
  rows: number;
  columns: { name: string; max: number | null; rms?: number | null; max_t?: number }[];
}

/** Another run of the same robot, drawn dashed; how far the two are apart. */
function Comparison({ job, other, onother }: { job: Job; other: string; onother: (id: string) => void }): VNode | null {
  const all = jobs.use();
  useEffect(() => void fetchJobs(`&kind=simulate&state=succeeded&robot=${encodeURIComponent(job.robot!)}`).catch(() => {}), [job.id]);
  const [found, fault] = useLoaded(() => (other ? json<Compared>('POST', '/v1/compare', { body: { a: { job: job.id }, b: { job: other } } }) : Promise.resolve(null)), other);
  const runs = [...all.values()].filter((one) => one.kind === 'simulate' && one.robot === job.robot && one.state === 'succeeded' && one.id !== job.id).sort((a, b) => (a.created < b.created ? 1 : -1)).slice(0, 30);
  if (!runs.length && !other) return null;
  const largest = (found?.columns ?? []).filter((one) => (one.max ?? 0) > 0).sort((a, b) => b.max! - a.max!).slice(0, 12);
  return html`<section class="panel" aria-label="Comparison"><label class="inline">Compare with<select value=${other} onChange=${(event: Event) => onother((event.target as HTMLSelectElement).value)}><option value="">no other run</option>
      ${other && !runs.some((one) => one.id === other) && html`<option value=${other}>${other.slice(0, 6)}</option>`}${runs.map((one) => html`<option value=${one.id}>${one.id.slice(0, 6)}, ${ago(one.created)}</option>`)}</select></label>
    <${Fault} fault=${fault} />
    ${found && html`<p>${found.rows} rows compared${largest.length ? '' : ': they are the same'}. The other run is drawn dotted where its times are the same.</p>
      ${largest.length > 0 && html`<details><summary>Largest differences</summary><div class="scroll"><table><thead><tr><th scope="col">Column</th><th class="num" scope="col">Largest</th><th class="num" scope="col">RMS</th><th class="num" scope="col">At</th></tr></thead>
      <tbody>${largest.map((one) => html`<tr><th scope="row">${one.name}</th><td class="num">${number(one.max)}</td><td class="num">${number(one.rms ?? null)}</td><td class="num">${one.max_t === undefined ? '' : `${number(one.max_t)} s`}</td></tr>`)}</tbody></table></div></details>`}`}</section>`;
}

export function SimulationView({ job }: { job: Job }): VNode {
  const [compared, compare] = useState(route.value.query.get('with') ?? '');
  const [loaded, fault] = useLoaded(async () => {
    const [robot, own, other] = await Promise.all([
      json<Robot>('GET', `/v1/robots/${encodeURIComponent(`${job.robot}@${job.robot_digest}`)}`, { quiet: true }),
      readRun(job.id, lastCall.value?.method === 'POST'),
      compared ? readRun(compared, true) : null]);
    return { robot, ...own, other: other?.points ?? null };
  }, `${job.id} ${compared}`);
  const choose = (id: string): void => {
    compare(id);
    remember({ with: id });
  };
  return html`<${Fault} fault=${fault} />${loaded && html`<${Loaded} job=${job} otherId=${compared} ...${loaded} />`}<${Comparison} job=${job} other=${compared} onother=${choose} />`;
}
