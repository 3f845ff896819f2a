// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/calibration/calibrate.ts - setting up a calibration: logs or runs, their columns and units, what is looked for.
import { endOf } from '../robots/held.ts';
import { datasetPath, DatasetPlot, isTime, listDatasets, LOGS, Refused, upload, type Dataset, type Refusal } from '../datasets/datasets.ts';
import { fetchJob, finished, jobs, fetchJobs, follow } from '../base/events.ts';
import { ago } from '../base/format.ts';
import { html, useEffect, useMemo, useRef, useState, type VNode } from '../base/html.ts';
import { json, robotPath } from '../base/http.ts';
import { Excitation } from './excitation.ts';
import { Findings, useFindings } from '../datasets/findings.ts';
import { Choice, Drop, Fault, FieldFault, useLoaded } from '../base/parts.ts';
import { moving, range } from '../robots/pose.ts';
import { RobotPicker, useRobot } from '../robots/chosen.ts';
import { address, go, remember, route } from '../base/store.ts';
import type { Job, Robot } from '../base/types.ts';

type Quantity = 'time' | 'q' | 'qd' | 'tau';
type Columns = { time: number | null; q: (number | null)[]; qd: (number | null)[]; tau: (number | null)[] };

/** Columns as their names suggest, in the order in which they are stored. */
function guess(dataset: Dataset, n: number): Columns {
  const names = dataset.statistics.map((one) => one.name ?? '');
  const pick = (pattern: RegExp): (number | null)[] => {
    const found = names.map((name, k) => ({ name, k })).filter(({ name }) => pattern.test(name)).map(({ k }) => k);
    return Array.from({ length: n }, (_, j) => found[j] ?? null);
  };
  const time = names.findIndex(isTime);
  return { time: time < 0 ? null : time, q: pick(/^(actual_)?(q|pos|position|joint_pos\w*)[_[ ]?\d*\]?$/i), qd: pick(/^(actual_)?(qd|dq|vel|velocity|joint_vel\w*)[_[ ]?\d*\]?$/i), tau: pick(/^(tau|torque|effort|eff|joint_torque\w*)[_[ ]?\w*\]?$/i) };
}

/** A motion within limits that shows much: sums of four sines for each joint, halved until no limit is passed. */
async function motionFor(robot: Robot, phase: number): Promise<{ fourier: object; q: number[]; qd: number[] }> {
  const joints = moving(robot);
  let part = 0.5;
  for (;;) {
    const size = (k: number, j: number, sign: number): number => {
      const [low, high] = range(joints[j]!);
      return ((part * Math.min(high - low, 3)) / 4 / (k + 1)) * sign;
    };
    const fourier = { frequency_hz: 0.1, offset: joints.map((joint) => (range(joint)[0] + range(joint)[1]) / 2),
      a: [0, 1, 2, 3].map((k) => joints.map((_, j) => size(k, j, (j * (k + 1) + phase) % 2 ? -1 : 1))), b: [0, 1, 2, 3].map((k) => joints.map((_, j) => size(k, j, Math.floor((j + k + phase) / 2) % 2 ? -0.8 : 0.8))) };
    const motion = await json<{ q: number[][]; qd: number[][]; violations: unknown[] }>('POST', robotPath(robot.name, 'trajectory'), { body: { fourier, interval_s: 0.02 }, quiet: true });
    if (!motion.violations.length || part < 0.01) return { fourier, q: motion.q[0]!, qd: motion.qd[0]! };
    part /= 2;
  }
}

/** Two runs of the model as a robot would be moved; the first one with a load. */
async function record(robot: Robot, load: number): Promise<string[]> {
  const ids: string[] = [];
  for (const phase of [0, 1]) {
    const { fourier, q, qd } = await motionFor(robot, phase);
    const job = await json<Job>('POST', robotPath(robot.name, 'simulate'), { headers: { Prefer: 'respond-async' },
      body: { initial: { q, qd }, duration_s: 10, output: { interval_s: 0.01 }, ...(load > 0 && phase === 0 ? { payload: { link: endOf(robot), mass: load, com: [0, 0, 0.05] } } : {}), input: { kind: 'computed-torque', kp: 100, kd: 20, reference: { fourier } } } });
    ids.push(job.id);
    await finished(job, 'verdict');
  }
  return ids;
}

interface MapperProps {
  robot: Robot;
  request: object; // how the log is read
  dataset: Dataset;
  names: string[];
  columns: Columns;
  oncolumns: (next: Columns) => void;
}

function Mapper({ robot, request, dataset, names, columns, oncolumns }: MapperProps): VNode {
  const [drawn, draw] = useState<Quantity>('q');
  const found = useFindings(robot, dataset, columns.q.every((k) => k !== null) ? request : null);
  const options = dataset.statistics.map((one, k) => html`<option value=${k}>${one.name ?? `column ${k}`}</option>`);
  const pick = (label: string, value: number | null, set: (k: number | null) => void): VNode => html`<select aria-label=${label} value=${value ?? ''} onChange=${(event: Event) => { const text = (event.target as HTMLSelectElement).value; set(text === '' ? null : Number(text)); }}><option value="">none</option>${options}</select>`;
  const change = (quantity: 'q' | 'qd' | 'tau', j: number, k: number | null): void => oncolumns({ ...columns, [quantity]: columns[quantity].map((old, i) => (i === j ? k : old)) });
  const head = (quantity: 'q' | 'qd' | 'tau', text: string): VNode => html`<th scope="col"><button type="button" class="small" aria-pressed=${drawn === quantity} onClick=${() => draw(quantity)} title="Draw these">${text}</button></th>`;
  const list = drawn === 'time' ? [] : columns[drawn].filter((k) => k !== null);
  return html`<section class="panel" aria-label=${`Columns of ${dataset.name}`}><div class="panel-head"><h2>Columns of ${dataset.name}</h2><label class="inline">Time${pick('column of time', columns.time, (time) => oncolumns({ ...columns, time }))}</label></div>
    <${DatasetPlot} name=${dataset.name!} columns=${list} x=${columns.time ?? -1} title=${{ q: 'Positions', qd: 'Speeds', tau: 'Torques', time: '' }[drawn]} unit="as stored" rows=${found.marks} />
    <${Findings} dataset=${dataset} source=${found.source} fault=${found.fault} />
    <div class="scroll"><table class="mapper"><thead><tr><th scope="col">Joint</th>${head('q', 'Position')}${head('qd', 'Speed')}${head('tau', 'Torque')}</tr></thead>
      <tbody>${names.map((name, j) => html`<tr><th scope="row">${name}</th>${(['q', 'qd', 'tau'] as const).map((quantity) => html`<td>${pick(`${quantity} of ${name}`, columns[quantity][j] ?? null, (k) => change(quantity, j, k))}</td>`)}</tr>`)}</tbody></table></div></section>`;
}

/** Columns as the request has them; speeds only where every joint has one. */
function columnsOf(columns: Columns): object {
  const whole = (list: (number | null)[]): boolean => list.every((k) => k !== null);
  return { ...(columns.time === null ? {} : { time: columns.time }), ...(whole(columns.q) ? { q: columns.q } : {}), ...(whole(columns.qd) ? { qd: columns.qd } : {}), ...(whole(columns.tau) ? { tau: columns.tau } : {}) };
}

/** What is chosen at first. */
const FIRST = {
  units: { time: 's', q: 'rad', tau: 'Nm' },
  gains: {} as Record<string, number>, // N m for each ampere, by joint
  setup: { kind: 'base', method: '', friction: 'auto', cutoff: '', rate: '', rotor: true },
  alone: [] as string[], // logs of the robot without its load
  carried: { link: '', from: 'auto', mass: 1.5 },
  columns: null as Columns | null, // as the names suggest
};

/** The choices that the address has. */
function chosenIn(query: URLSearchParams): typeof FIRST {
  let kept: Partial<typeof FIRST> = {};
  try {
    kept = JSON.parse(query.get('s') ?? '{}') as Partial<typeof FIRST>;
  } catch { /* a link that was cut */ }
  return { ...FIRST, ...kept, units: { ...FIRST.units, ...kept.units }, setup: { ...FIRST.setup, ...kept.setup }, carried: { ...FIRST.carried, ...kept.carried } };
}

const differs = (a: unknown, b: unknown): boolean => JSON.stringify(a) !== JSON.stringify(b);

function Bench({ robot }: { robot: Robot }): VNode {
  const [list, fault, again] = useLoaded(() => listDatasets(true), 'datasets');
  const [kept] = useState(() => chosenIn(route.value.query));
  const [chosen, choose] = useState<string[]>(() => (route.value.query.get('logs') ?? '').split(',').filter(Boolean));
  const [refused, refuse] = useState<Refusal[]>([]);
  const [wrong, fail] = useState<Error | null>(null);
  const [busy, work] = useState('');
  const [columns, map] = useState<Columns | null>(null);
  const [units, measure] = useState(kept.units);
  const [gains, scale] = useState(kept.gains);
  const [setup, set] = useState(kept.setup);
  const [designing, design] = useState(route.value.query.get('design') === '1');
  const plan = (open: boolean): void => {
    design(open);
    remember({ design: open ? '1' : '', ...(open ? {} : { shows: '', move: '' }) });
  };
  const [goal, aim] = useState(route.value.query.get('for') === 'load' ? 'load' : 'robot');
  const [alone, set1] = useState(kept.alone);
  const [carried, carry] = useState(kept.carried);
  const loaded = goal === 'load';
  const all = jobs.use();
  useEffect(() => {
    follow();
    void fetchJobs(`&kind=simulate&robot=${encodeURIComponent(robot.name)}&state=succeeded`).catch(() => {});
  }, []);
  const runs = [...all.values()].filter((job) => job.kind === 'simulate' && job.robot === robot.name && job.state === 'succeeded').sort((a, b) => (a.created < b.created ? 1 : -1)).slice(0, 8);
  const first = chosen.find((one) => !one.startsWith('job:'));
  const [dataset] = useLoaded(() => (first ? json<Dataset>('GET', datasetPath(first), { quiet: true }) : Promise.resolve(null)), first ?? '');
  const names = useMemo(() => moving(robot).map((joint) => joint.name), [robot]);
  const linked = useRef(kept.columns);
  useEffect(() => {
    map(dataset ? (linked.current?.q?.length === names.length ? linked.current : guess(dataset, names.length)) : null);
    if (dataset) linked.current = null;
  }, [dataset]);
  useEffect(() => {
    if (first && !columns) return; // what the address says of its columns is not taken yet
    const now = { units, gains, setup, alone, carried, columns: dataset && columns && differs(columns, guess(dataset, names.length)) ? columns : null };
    const changed = Object.entries(now).filter(([key, value]) => differs(value, FIRST[key as keyof typeof FIRST]));
    remember({ logs: chosen.join(','), s: changed.length ? JSON.stringify(Object.fromEntries(changed)) : '' });
  }, [chosen, units, gains, setup, alone, carried, columns]);
  const toggle = (key: string): void => choose(chosen.includes(key) ? chosen.filter((one) => one !== key) : [...chosen, key]);
  const drop = async (files: File[]): Promise<void> => {
    work('Storing\u2026');
    const done = await upload(files);
    refuse(done.refused);
    again();
    choose([...new Set([...chosen, ...done.names])]);
    work('');
  };
  const simulate = async (): Promise<void> => {
    work('Recording two runs\u2026');
    try {
      const ids = (await record(robot, loaded ? carried.mass : 0)).map((id) => `job:${id}`);
      choose(ids);
      set1(ids.slice(1));
      // a model without friction or rotors has none to be found
      set({ ...setup, friction: robot.joints.every((joint) => !joint.damping && !joint.friction?.coulomb) ? 'none' : setup.friction, rotor: robot.joints.some((joint) => joint.rotor?.inertia) });
      fail(null);
    } catch (fault) {
      fail(fault as Error);
    }
    work('');
  };
  // how logs are read, as the request has it: what is usual is left out
  const other = Object.fromEntries(Object.entries(units).filter(([key, value]) => value !== FIRST.units[key as keyof typeof units]));
  const reading = { ...(columns && Object.keys(columnsOf(columns)).length ? { columns: columnsOf(columns) } : {}), ...(Object.keys(other).length ? { units: { ...other, ...(other['q'] === 'deg' ? { qd: 'deg/s' } : {}) } } : {}), ...(units.tau.endsWith('A') ? { scale: { tau: names.map((name) => gains[name] ?? 1) } } : {}), ...(setup.rate ? { rate_hz: Number(setup.rate) } : {}) };
  const run = async (event: Event): Promise<void> => {
    event.preventDefault();
    work('Sending\u2026');
    const logged = chosen.some((one) => !one.startsWith('job:'));
    const read = { ...(logged ? reading : {}), ...(setup.rate && !logged ? { rate_hz: Number(setup.rate) } : {}), ...(setup.cutoff ? { filter: { cutoff_hz: Number(setup.cutoff) } } : {}) };
    const logs = (list: string[]): (string | object)[] => list.map((one) => (one.startsWith('job:') ? { job: one.slice(4) } : one));
    const friction = { auto: {}, none: { friction: [] }, plain: { friction: ['viscous', 'coulomb', 'offset'] }, stribeck: { friction: ['viscous', 'coulomb', 'offset', 'stribeck'] } }[setup.friction] ?? {};
    const reference = chosen.filter((one) => alone.includes(one));
    const body = loaded ? { datasets: logs(chosen.filter((one) => !alone.includes(one))), ...(reference.length ? { reference: logs(reference) } : {}), ...read, ...(carried.link ? { link: carried.link } : {}), ...(carried.from === 'auto' ? {} : { from: carried.from }) }
      : { datasets: logs(chosen), ...read, ...(setup.method ? { method: setup.method } : {}),
        ...(setup.kind !== 'base' || setup.friction !== 'auto' || !setup.rotor ? { model: { ...(setup.kind !== 'base' ? { kind: setup.kind } : {}), ...friction, ...(setup.rotor ? {} : { rotor: false }) } } : {}) };
    try {
      const job = await json<Job>('POST', robotPath(robot.name, loaded ? 'payload' : 'calibrate'), { body, headers: { Prefer: 'respond-async' } });
      await fetchJob(job.id);
      go(['jobs', job.id]);
    } catch (fault) {
      fail(fault as Error);
      work('');
    }
  };
  const select = (label: string, value: string, options: [string, string][], onpick: (value: string) => void, pointers: string[]): VNode => html`<label>${label}<select value=${value} onChange=${(event: Event) => onpick((event.target as HTMLSelectElement).value)}>${options.map(([key, text]) => html`<option value=${key}>${text}</option>`)}</select><${FieldFault} fault=${wrong} pointers=${pointers} /></label>`;
  const bare = (key: string, name: string): VNode | false => loaded && chosen.includes(key) && html`<label class="check bare"><input type="checkbox" checked=${alone.includes(key)} aria-label=${`${name} was recorded without the load`} onChange=${() => set1(alone.includes(key) ? alone.filter((one) => one !== key) : [...alone, key])} />without the load</label>`;
  const ready = chosen.some((one) => !loaded || !alone.includes(one));
  return html`<form class="bench calibrate" onSubmit=${run}>
    <div class="side"><section class="panel form" aria-label="Logs"><h2>1. Logs</h2>
        <${Drop} accept=${LOGS} title="Choose logs" ondrop=${drop}>or drop them here: CSV, NPY or NPZ of time, positions, torques. Each is one experiment; two or more let each be predicted by the others.<//><${Refused} list=${refused} again=${drop} />
        <${Fault} fault=${fault} />
        ${(list?.datasets.length ?? 0) > 0 && html`<ul class="checks">${list!.datasets.filter((row) => row.name && !row.damaged).map((row) => html`<li><label class="check"><input type="checkbox" checked=${chosen.includes(row.name!)} onChange=${() => toggle(row.name!)} /><span>${row.name} <span class="dim">${row.rows.toLocaleString('en')} rows, ${row.columns} columns</span></span></label>${bare(row.name!, row.name!)}</li>`)}</ul>`}
        ${runs.length > 0 && html`<h3>Simulated runs of this robot</h3><ul class="checks">${runs.map((job) => html`<li><label class="check"><input type="checkbox" checked=${chosen.includes(`job:${job.id}`)} onChange=${() => toggle(`job:${job.id}`)} /><span><a href=${address(['jobs', job.id])}>${job.id.slice(0, 6)}</a> <span class="dim">${ago(job.created)}</span></span></label>${bare(`job:${job.id}`, job.id.slice(0, 6))}</li>`)}</ul>`}
        ${robot.nq === robot.nv && !robot.constraints?.length && html`<div class="row"><button type="button" aria-expanded=${designing} onClick=${() => plan(!designing)}>Design a motion to record</button></div>
          <p class="dim">No logs at hand? Let the service move the model as a robot would be moved, ten seconds twice, and use these runs as logs: what is found must then be the model.</p>
          ${loaded && html`<label>Load of the first run<span class="with-unit"><input type="number" min="0.01" step="any" value=${carried.mass} onInput=${(event: Event) => carry({ ...carried, mass: Number((event.target as HTMLInputElement).value) })} /><span class="unit">kg</span></span></label>`}
          <div class="row"><button type="button" disabled=${busy !== ''} onClick=${simulate}>Record two simulated runs</button></div>`}
        <${FieldFault} fault=${wrong} pointers=${['/datasets']} /></section>
      <section class="panel form" aria-label="What is looked for"><h2>${first ? '3' : '2'}. What is looked for</h2><${Choice} label="What is looked for" value=${goal} options=${[['robot', 'The robot\u2019s parameters'], ['load', 'What it carries']]} onpick=${(key: string) => { aim(key); remember({ for: key === 'load' ? key : '' }); }} />
        ${loaded ? html`<p class="dim">The robot\u2019s own parameters are taken as true: calibrate it first. Logs without the load, where there are some, show the error of the model, which is then taken off.</p><div class="fields">
          ${select('Carried by', carried.link, [['', 'last moving link'], ...robot.links.map((link) => [link.name, link.name] as [string, string])], (link) => carry({ ...carried, link }), ['/link'])}
          ${select('Shown by', carried.from, [['auto', 'what the logs have'], ['motion', 'motion'], ['poses', 'poses at rest']], (from) => carry({ ...carried, from }), ['/from'])}</div>` : html`<div class="fields">
        ${select('Model', setup.kind, [['base', 'what the motion shows'], ['full', 'that, and each link\u2019s parameters'], ['per-joint', 'each joint by itself']], (kind) => set({ ...setup, kind }), ['/model'])}
        ${select('Friction', setup.friction, [['auto', 'as the logs show'], ['plain', 'viscous, Coulomb, offset'], ['stribeck', 'and Stribeck'], ['none', 'none']], (friction) => set({ ...setup, friction }), ['/model/friction'])}
        ${select('Method', setup.method, [['', 'as the noise asks for'], ...['feasible', 'ols', 'wls', 'irls', 'tls', 'ridge', 'bounded', 'iv', 'feasible-iv'].map((one) => [one, one] as [string, string])], (method) => set({ ...setup, method }), ['/method'])}
        <label>Filter\u2019s cut-off<span class="with-unit"><input type="number" min="0" step="any" placeholder="from the spectra" value=${setup.cutoff} onInput=${(event: Event) => set({ ...setup, cutoff: (event.target as HTMLInputElement).value })} /><span class="unit">Hz</span></span><${FieldFault} fault=${wrong} pointers=${['/filter']} /></label></div>
        <label class="check"><input type="checkbox" checked=${setup.rotor} onChange=${(event: Event) => set({ ...setup, rotor: (event.target as HTMLInputElement).checked })} />Inertias of the motors\u2019 rotors</label>`}
        <${Fault} fault=${wrong} />
        <button class="first large" disabled=${busy !== '' || !ready}>${busy || (chosen.length ? `${loaded ? 'Find the load' : 'Calibrate'} with ${chosen.length} ${chosen.length === 1 ? 'log' : 'logs'}` : 'Choose logs first')}</button></section></div>
    <div class="side">${designing && html`<${Excitation} robot=${robot} onclose=${() => plan(false)} onrun=${(id: string) => choose((old) => [...old, `job:${id}`])} />`}
    ${dataset && columns ? html`<section class="panel form" aria-label="Columns and units"><h2>2. Columns and units</h2><div class="fields">
          ${select('Time in', units.time, ['s', 'ms', 'us', 'ns'].map((one) => [one, one] as [string, string]), (time) => measure({ ...units, time }), ['/units/time', '/columns/time'])}
          ${select('Positions in', units.q, [['rad', 'rad (m)'], ['deg', 'degrees'], ['mrad', 'mrad'], ['rev', 'turns'], ['mm', 'mm']], (q) => measure({ ...units, q }), ['/units/q', '/columns/q'])}
          ${select('Torques in', units.tau, [['Nm', 'N\u00b7m (N)'], ['mNm', 'mN\u00b7m'], ['A', 'A, motor current'], ['mA', 'mA, motor current']], (tau) => measure({ ...units, tau }), ['/units/tau', '/columns/tau'])}
          ${columns.time === null && html`<label>Rows in a second<span class="with-unit"><input type="number" min="0" step="any" value=${setup.rate} onInput=${(event: Event) => set({ ...setup, rate: (event.target as HTMLInputElement).value })} /><span class="unit">Hz</span></span><${FieldFault} fault=${wrong} pointers=${['/rate_hz']} /></label>`}</div>
          ${units.tau.endsWith('A') && html`<div class="fields">${names.map((name) => html`<label>${name}<span class="with-unit"><input type="number" step="any" value=${gains[name] ?? 1} onInput=${(event: Event) => scale((old) => ({ ...old, [name]: Number((event.target as HTMLInputElement).value) }))} /><span class="unit">N\u00b7m/A</span></span></label>`)}</div><${FieldFault} fault=${wrong} pointers=${['/scale']} />`}
          <p class="dim">Where a position or a torque is left at \u201cnone\u201d, the service goes by the names of the columns itself. What cannot be meant, such as degrees as radians, it refuses with a hint.</p></section>
        <${Mapper} robot=${robot} request=${reading} dataset=${dataset} names=${names} columns=${columns} oncolumns=${map} />`
      : !designing && html`<div class="empty"><h2>What comes out</h2>${loaded ? html`<p>The mass of what it carries, its centre and its inertia, each with its interval; how much of the torque this explains, joint by joint; and the way on: torques with this load, or the robot with it as a part of its link.</p>` : html`<p>First a verdict: can a controller use what was found? Then the torque that was measured against what the model predicts, joint by joint; each parameter with its interval; what the motion did not show; and the robot with what was found, to store or to take along as URDF.</p>`}</div>`}</div>
  </form>`;
}

export function CalibratePage({ name }: { name: string }): VNode {
  const [robot, fault] = useRobot(name);
  return html`<div class="page workbench"><div class="title"><h1>Calibration</h1><${RobotPicker} name=${name} page="calibrate" /><span class="dim">Masses, inertias and friction from logs of the real robot.</span></div>
    <${Fault} fault=${fault} />${robot && html`<${Bench} key=${robot.digest} robot=${robot} />`}</div>`;
}
