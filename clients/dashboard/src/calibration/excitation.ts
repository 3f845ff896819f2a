// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/calibration/excitation.ts - a motion worth recording: designed by the service, seen before it is run, simulated or taken along.
import { column } from '../curves/series.ts';
import { finished } from '../base/events.ts';
import { motionUnit, number } from '../base/format.ts';
import { html, useMemo, useState, type VNode } from '../base/html.ts';
import { json, robotPath } from '../base/http.ts';
import { Fault, FieldFault, save, say } from '../base/parts.ts';
import { Player } from '../curves/player.ts';
import { Plot, type Curve } from '../curves/plot.ts';
import { axesOf } from '../robots/pose.ts';
import { degrees, route, Store } from '../base/store.ts';
import { View3d } from '../scene/view3d.ts';
import type { Job, Robot } from '../base/types.ts';

interface Score {
  condition: number | null;
  torque_error: number | null;
  effort_used: number;
}

interface Designed {
  fourier: object;
  t: number[];
  q: number[][];
  qd: number[][];
  score: Score;
  first_random: Score;
  tries: number;
  base_parameters: string[];
}

const reach = (values: number[]): number => Math.max(...values) - Math.min(...values);

interface Props {
  robot: Robot;
  onrun: (id: string) => void; // of a simulation of it that has ended
  onclose: () => void;
}

export function Excitation({ robot, onrun, onclose }: Props): VNode {
  const [setup, set] = useState({ period: 10, harmonics: 0, acceleration: 0, tries: 300 });
  const [found, keep] = useState<Designed | null>(null);
  const [fault, fail] = useState<Error | null>(null);
  const [busy, work] = useState('');
  const time = useMemo(() => new Store(0), []);
  const now = time.use();
  const angles = degrees.use();
  // what a calibration left open, from its page: kinds of parameters to be judged, joints that must move
  const [wanted] = useState(() => Object.fromEntries(['shows', 'move'].map((key) => [key, (route.value.query.get(key) ?? '').split('\n').filter(Boolean)])) as { shows: string[]; move: string[] });
  const axes = useMemo(() => axesOf(robot), [robot]);
  const guard = async (text: string, act: () => Promise<void>): Promise<void> => {
    work(text);
    try {
      await act();
      fail(null);
    } catch (wrong) {
      fail(wrong as Error);
    }
    work('');
  };
  const design = (event: Event): void => {
    event.preventDefault();
    void guard('Designing\u2026', async () => {
      const body = { frequency_hz: 1 / setup.period, harmonics: setup.harmonics || undefined, tries: setup.tries, interval_s: setup.period / 400, ...(wanted.shows.length > 0 ? { parameters: wanted.shows } : {}), ...(setup.acceleration > 0 ? { limits: { acceleration: new Array<number>(robot.nv).fill(setup.acceleration) } } : {}) };
      const job = await json<Job>('POST', robotPath(robot.name, 'excitation'), { body, headers: { Prefer: 'respond-async' } });
      keep(await finished<Designed>(job));
      time.set(0);
    });
  };
  const simulate = (): Promise<void> => guard('Simulating\u2026', async () => {
    const job = await json<Job>('POST', robotPath(robot.name, 'simulate'), { headers: { Prefer: 'respond-async' },
      body: { initial: { q: found!.q[0], qd: found!.qd[0] }, duration_s: setup.period, output: { interval_s: 0.01 }, input: { kind: 'computed-torque', kp: 100, kd: 20, reference: { fourier: found!.fourier } } } });
    await finished(job, 'verdict');
    onrun(job.id);
    say('The simulated run is among the logs');
  });
  const table = (): void => {
    const names = axes.map((one) => `"${one.name.replaceAll('"', '""')}"`);
    save(`${robot.name}-excitation.csv`, new Blob([`t,${names.join(',')}\n${found!.t.map((t, k) => [t, ...found!.q[k]!].join(',')).join('\n')}\n`], { type: 'text/csv' }));
  };
  const positions = useMemo<Curve[]>(() => (found ? axes.map((one, k) => ({ name: one.name, values: column(found.q, k, motionUnit(one.joint, 0).factor) })) : []), [found, angles]);
  const speeds = useMemo<Curve[]>(() => (found ? axes.map((one, k) => ({ name: one.name, values: column(found.qd, k, motionUnit(one.joint, 1).factor) })) : []), [found, angles]);
  const units = (order: 0 | 1): string => [...new Set(axes.map((one) => motionUnit(one.joint, order).name))].join(', ');
  const field = (label: string, key: keyof typeof setup, unit: string, pointers: string[], hint = ''): VNode => html`<label>${label}<span class="with-unit"><input type="number" step="any" min="0" placeholder=${hint} value=${setup[key] || ''} onInput=${(event: Event) => set({ ...setup, [key]: Number((event.target as HTMLInputElement).value) })} /><span class="unit">${unit}</span></span><${FieldFault} fault=${fault} pointers=${pointers} /></label>`;
  const row = found ? Math.min(found.t.length - 1, Math.round((now / (found.t.at(-1) || 1)) * (found.t.length - 1))) : 0;
  return html`<section class="panel form" aria-label="Motion to record"><div class="panel-head"><h2>A motion worth recording</h2><button type="button" class="small" onClick=${onclose}>Close</button></div>
    <p class="dim">It shows every parameter as evenly as was found, and keeps the robot\u2019s limits of position, speed and torque. Collisions are not looked for: watch it first.</p>
    ${wanted.move.length > 0 && html`<p>For ${wanted.move.join(', ')}: what the logs left open there is judged with all else${wanted.shows.length > 0 ? `, ${wanted.shows.join(', ')} of the joints included` : ''}.</p>`}
    <div class="fields">${field('Period', 'period', 's', ['/frequency_hz'])}${field('Harmonics', 'harmonics', '', ['/harmonics'], 'default')}${field('Largest acceleration', 'acceleration', 'rad/s\u00b2, m/s\u00b2', ['/limits'], 'any')}${field('Motions tried', 'tries', '', ['/tries'])}</div>
    <div class="row"><button type="button" class="first" disabled=${busy !== ''} onClick=${design}>${busy === 'Designing\u2026' ? busy : found ? 'Design again' : 'Design the motion'}</button>
      ${found && html`<button type="button" disabled=${busy !== ''} onClick=${simulate}>${busy === 'Simulating\u2026' ? busy : 'Simulate it as a log'}</button><button type="button" onClick=${table}>Positions, CSV</button>`}</div>
    <${Fault} fault=${fault} />
    ${found && html`<ul class="verdicts"><li class=${(found.score.condition ?? Infinity) < 100 ? 'good' : 'bad'}>${(found.score.condition ?? Infinity) < 100 ? '\u2713' : '?'} A fit to one period gives the torque to ${number(found.score.torque_error, 3)} times its noise; the first random motion, to ${number(found.first_random.torque_error, 3)} times. Condition ${number(found.score.condition, 3)} for ${found.base_parameters.length} parameters.</li>
        <li>${found.score.effort_used ? `It uses ${number(100 * found.score.effort_used, 3)} % of the torque limits.` : 'The robot states no torque limits.'}</li>
        ${axes.map((one, k) => wanted.move.includes(one.joint.name) && html`<li>${one.name} moves over ${number(reach(column(found.q, k, motionUnit(one.joint, 0).factor)), 3)} ${motionUnit(one.joint, 0).name}, at up to ${number(Math.max(...column(found.qd, k, motionUnit(one.joint, 1).factor).map(Math.abs)), 3)} ${motionUnit(one.joint, 1).name}.</li>`)}</ul>
      <div class="excitation-view"><${View3d} robot=${robot} q=${found.q[row]!} /></div>
      <${Player} time=${time} end=${found.t.at(-1)!} />
      <div class="plots"><${Plot} title="Positions to be followed" unit=${units(0)} t=${found.t} curves=${positions} time=${time} /><${Plot} title="Speeds" unit=${units(1)} t=${found.t} curves=${speeds} time=${time} /></div>`}</section>`;
}
