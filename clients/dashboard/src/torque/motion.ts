// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/torque/motion.ts - a motion between poses, by the daemon's timing laws: its torque by term over time, played in 3D.
import { column } from '../curves/series.ts';
import { html, useEffect, useMemo, useState, type VNode } from '../base/html.ts';
import { json, robotPath } from '../base/http.ts';
import { effortUnit, motionUnit, number } from '../base/format.ts';
import { Fault, FieldFault } from '../base/parts.ts';
import { Player } from '../curves/player.ts';
import { Plot, type Curve } from '../curves/plot.ts';
import { axesOf } from '../robots/pose.ts';
import { present, toneOf, type Ledger, type Term } from './bars.ts';
import { degrees, numbersOf, remember, route, Store } from '../base/store.ts';
import { posesOf } from '../scene/view3d.ts';
import type { Poses } from '../scene/scene.ts';
import type { Frame, Robot } from '../base/types.ts';

interface Motion {
  t: number[];
  q: number[][];
  qd: number[][];
  qdd: number[][];
  violations: { joint: string; limit: string; bound: number; worst: number; t: number }[];
}

export interface Instant {
  q: number[];
  tau: number[];
  ledger: Partial<Record<Term, number[]>>;
  poses: Poses;
}

interface Props {
  robot: Robot;
  q: number[];
  onq: (q: number[]) => void;
  extra: object;
  onframe: (instant: Instant | null) => void;
}

const LAWS: [string, string][] = [['quintic', 'quintic, in a time'], ['cubic', 'cubic, in a time'], ['trapezoid', 'trapezoid, in a time'], ['limits trapezoid', 'trapezoid, as fast as limits allow'], ['limits s-curve', 'S-curve, as fast as limits allow'],
  ['limits time-optimal', 'time-optimal within speeds and torques']];
const SAMPLES = 240;

export function MotionPanel({ robot, q, onq, extra, onframe }: Props): VNode {
  const { query } = route.value;
  const [points, set] = useState<number[][]>(() => (query.get('way') ?? '').split(';').map(numbersOf).filter((one) => one?.length === robot.nq) as number[][]);
  const [law, pick] = useState(LAWS.find(([key]) => key === query.get('law'))?.[0] ?? 'quintic');
  const [duration, last] = useState(Number(query.get('each') ?? 1.5));
  const [acceleration, push] = useState(Number(query.get('acceleration') ?? 10));
  useEffect(() => remember({ way: points.map((one) => one.map((value) => Number(value.toFixed(5))).join(',')).join(';'), law: law === 'quintic' ? '' : law, each: duration === 1.5 ? '' : String(duration), acceleration: acceleration === 10 ? '' : String(acceleration) }), [points, law, duration, acceleration]);
  const [busy, work] = useState(false);
  const [fault, fail] = useState<Error | null>(null);
  const [result, keep] = useState<{ motion: Motion; tau: number[][]; ledger: Ledger; frames: Frame[] } | null>(null);
  const [axis, look] = useState(0);
  const time = useMemo(() => new Store(0), []);
  const angles = degrees.use();
  const axes = useMemo(() => axesOf(robot), [robot]);
  const run = async (): Promise<void> => {
    work(true);
    try {
      const way = [...points, ...(points.length < 2 ? [q] : [])];
      const byLimits = law.startsWith('limits ');
      const list = new Array<number>(robot.nv).fill(acceleration);
      const kind = law.slice(7);
      const bounds = kind === 'time-optimal' ? { kind, acceleration: list } : { kind, acceleration: list, velocity: axes.map((one) => one.joint.limits?.velocity ?? 3), ...(kind === 's-curve' ? { jerk: list.map((one) => one * 20) } : {}) };
      const guess = byLimits ? 0.01 : (duration * (way.length - 1)) / SAMPLES;
      const motion = await json<Motion>('POST', robotPath(robot.name, 'trajectory'), { body: { waypoints: way, interval_s: guess,
        ...(byLimits ? { limits: bounds } : { timing: law, times_s: way.map((_, k) => k * duration) }) } });
      const [torque, poses] = await Promise.all([
        json<{ tau: number[][]; ledger: Ledger }>('POST', robotPath(robot.name, 'inverse-dynamics'), { body: { q: motion.q, qd: motion.qd, qdd: motion.qdd, ...extra, include: ['ledger'] } }),
        json<{ frames: Frame[] }>('POST', robotPath(robot.name, 'kinematics'), { body: { q: motion.q }, quiet: true })]);
      keep({ motion, tau: torque.tau, ledger: torque.ledger, frames: poses.frames });
      fail(null);
      time.set(0);
    } catch (wrong) {
      fail(wrong as Error);
    }
    work(false);
  };
  useEffect(() => {
    if (!result) return;
    const show = (t: number): void => {
      const { motion } = result;
      let k = Math.round((t / (motion.t.at(-1)! || 1)) * (motion.t.length - 1));
      k = Math.max(0, Math.min(motion.t.length - 1, k));
      const ledger = Object.fromEntries(present(result.ledger).map((term) => [term, (result.ledger[term] as number[][])[k]!]));
      onframe({ q: motion.q[k]!, tau: result.tau[k]!, ledger, poses: posesOf(result.frames, k) });
    };
    show(time.value);
    return time.follow(show);
  }, [result]);
  const joint = axes[axis]?.joint;
  const curves = useMemo<Curve[]>(() => (result ? [...present(result.ledger).map((term) => ({ name: term, values: column(result.ledger[term] as number[][], axis), tone: toneOf(term) })),
    { name: 'sum', values: column(result.tau, axis), tone: 7, wide: true, dash: [] }] : []), [result, axis]);
  const speeds = useMemo<Curve[]>(() => (result ? axes.map((one, k) => ({ name: one.name, values: column(result.motion.qd, k, motionUnit(one.joint, 1).factor) })) : []), [result, angles]);
  const torques = useMemo<Curve[]>(() => (result ? axes.map((one, k) => ({ name: one.name, values: column(result.tau, k) })) : []), [result]);
  const over = result ? axes.flatMap((one, k) => {
    const limit = one.joint.limits?.effort;
    const most = Math.max(...result.tau.map((row) => Math.abs(row[k]!)));
    return limit !== undefined && most > limit ? [`${one.name} needs ${number(most)} of ${number(limit)} ${effortUnit(one.joint)}`] : [];
  }) : [];
  const most = joint?.limits?.velocity === undefined ? NaN : joint.limits.velocity * motionUnit(joint, 1).factor;
  const speedLevels = Number.isFinite(most) ? [most, -most].map((value) => ({ value, text: `limit of ${axes[axis]?.name}` })) : [];
  const pieces: [string, number][] = [['effort', joint?.limits?.effort ?? NaN]];
  const levels = pieces.filter(([, value]) => Number.isFinite(value)).flatMap(([, value]) => [{ value, text: 'limit' }, { value: -value, text: 'limit' }]);
  return html`<section class="panel motion" aria-label="Motion"><div class="panel-head"><h2>A motion</h2><span class="dim">${points.length ? `${points.length} ${points.length === 1 ? 'pose' : 'poses'} kept${points.length < 2 ? '; the present one is its end' : ''}` : 'Keep poses, then run through them.'}</span></div>
    <div class="row">
      <button onClick=${() => set([...points, q])}>Keep this pose</button>
      ${points.length > 0 && html`<button onClick=${() => { onframe(null); onq(points.at(-1)!); set(points.slice(0, -1)); keep(null); }}>Take back the last</button>`}
      <label>Timing<select value=${law} onChange=${(event: Event) => pick((event.target as HTMLSelectElement).value)}>${LAWS.map(([key, text]) => html`<option value=${key}>${text}</option>`)}</select></label>
      ${law.startsWith('limits ') ? html`<label>Acceleration<span class="with-unit"><input type="number" min="0.01" step="any" value=${acceleration} onInput=${(event: Event) => push(Number((event.target as HTMLInputElement).value))} /><span class="unit">rad/s\u00b2, m/s\u00b2</span></span><${FieldFault} fault=${fault} pointers=${['/limits']} /></label>`
        : html`<label>Seconds each<input type="number" min="0.01" step="any" value=${duration} onInput=${(event: Event) => last(Number((event.target as HTMLInputElement).value))} /><${FieldFault} fault=${fault} pointers=${['/times_s', '/timing']} /></label>`}
      <button class="first" disabled=${busy || points.length < 1} onClick=${run}>${busy ? 'Computing\u2026' : 'Torques along it'}</button>
      ${result && html`<button onClick=${() => { keep(null); onframe(null); }}>Close</button>`}
    </div>
    <${Fault} fault=${fault} />
    ${result && html`
      <ul class="verdicts" aria-label="Limits along the motion">${over.length || result.motion.violations.length
        ? [...over, ...result.motion.violations.map((one) => `${one.joint} passes its ${one.limit} limit: ${number(one.worst)} of ${number(one.bound)} at ${number(one.t)} s`)].map((text) => html`<li class="bad">\u2715 ${text}</li>`)
        : html`<li class="good">\u2713 within all limits of torque, speed and position that the robot states</li>`}</ul>
      <${Player} time=${time} end=${result.motion.t.at(-1)!} />
      <label class="inline">Terms of<select value=${axis} onChange=${(event: Event) => look(Number((event.target as HTMLSelectElement).value))}>${axes.map((one, k) => html`<option value=${k}>${one.name}</option>`)}</select></label>
      <div class="plots"><${Plot} title=${`Torque of ${axes[axis]?.name} by term`} unit=${effortUnit(joint)} t=${result.motion.t} curves=${curves} levels=${levels} time=${time} />
        <${Plot} title="Torque of all joints" unit=${[...new Set(axes.map((one) => effortUnit(one.joint)))].join(', ')} t=${result.motion.t} curves=${torques} time=${time} />
        <${Plot} title="Speeds" unit=${[...new Set(axes.map((one) => motionUnit(one.joint, 1).name))].join(', ')} t=${result.motion.t} curves=${speeds} levels=${speedLevels} time=${time} /></div>`}
  </section>`;
}
