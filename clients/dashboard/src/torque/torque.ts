// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/torque/torque.ts - inverse dynamics: what a pose, a speed, a motion ask of each joint, and why.
import { html, useEffect, useMemo, useRef, useState, type VNode } from '../base/html.ts';
import { back, json, latest, robotPath } from '../base/http.ts';
import { effortUnit, motionUnit, number } from '../base/format.ts';
import { LoggedPanel } from './logged.ts';
import { MotionPanel } from './motion.ts';
import { Choice, Fault } from '../base/parts.ts';
import { PayloadPanel, payloadIn, payloadOf, rememberPayload, type Payload } from '../robots/held.ts';
import { axesOf } from '../robots/pose.ts';
import { RobotPicker, usePose, useRobot } from '../robots/chosen.ts';
import { PoseSliders, SliderRow } from '../robots/sliders.ts';
import { present, rounded, TorqueBars, type Ledger, type Term } from './bars.ts';
import { degrees, numbersOf, remember, route } from '../base/store.ts';
import { View3d } from '../scene/view3d.ts';
import type { Poses } from '../scene/scene.ts';
import type { Robot } from '../base/types.ts';

interface Answer {
  tau: number[];
  ledger: Ledger;
  energy: { kinetic: number; potential: number };
  checks: Record<string, number>;
  reactions?: { joints: string[]; joint_wrenches: number[][] };
  drive?: { joints: string[]; current: number[]; voltage: number[]; current_use: number[]; continuous_use: number[]; voltage_use: number[]; feasible: number };
}

function Rates({ robot, order, values, onvalues }: { robot: Robot; order: 1 | 2; values: number[]; onvalues: (next: number[]) => void }): VNode {
  const axes = axesOf(robot);
  return html`<section class="panel sliders" aria-label=${order === 1 ? 'Speeds' : 'Accelerations'}><div class="panel-head"><h2>${order === 1 ? 'Speeds' : 'Accelerations'}</h2>
      <button class="small" onClick=${() => onvalues(values.map(() => 0))}>Zero</button></div>
    ${axes.map((axis, k) => {
      const most = (axis.joint.limits?.velocity ?? (axis.joint.kind === 'prismatic' ? 1 : 3)) * (order === 2 ? 4 : 1);
      return html`<${SliderRow} key=${axis.name} name=${axis.name} value=${values[k] ?? 0} range=${[-most, most]} unit=${motionUnit(axis.joint, order)}
        onvalue=${(value: number) => onvalues(values.map((old, i) => (i === k ? value : old)))} />`;
    })}</section>`;
}

const CHECKS: Record<string, string> = { recursive_lagrangian: 'recursion against Lagrange', recursive_stacked: 'recursion against the stacked equations', mass_matrix: 'mass matrix by two ways', skew_symmetry: 'skew symmetry of dM/dt \u2212 2C', symmetry: 'symmetry of M' };

function Opinion({ answer }: { answer: Answer }): VNode {
  const { smallest_eigenvalue: least, ...rest } = answer.checks;
  const known = Object.entries(rest).filter(([, value]) => typeof value === 'number');
  const worst = Math.max(...known.map(([, value]) => value));
  const fine = worst < 1e-9;
  return html`<section class="panel" aria-label="Second opinion"><div class="panel-head"><h2>Second opinion</h2><span class=${fine ? 'good' : 'bad'}>${fine ? '\u2713 agrees' : '\u2715 differs'} within ${number(worst, 2)}</span></div>
    <p class="dim">The service computes the same torque by other equations: relative differences.</p>
    <table class="facts"><tbody>${known.map(([key, value]) => html`<tr><th scope="row">${CHECKS[key] ?? key}</th><td class="num">${number(value, 2)}</td></tr>`)}
      <tr><th scope="row">least eigenvalue of M</th><td class="num">${number(least)}</td></tr>
      <tr><th scope="row">kinetic energy</th><td class="num">${number(answer.energy.kinetic)} J</td></tr><tr><th scope="row">potential energy</th><td class="num">${number(answer.energy.potential)} J</td></tr></tbody></table></section>`;
}

interface Bounds {
  current_limit?: { continuous_a?: number; peak_a?: number };
  amplifier?: { supply_v?: number };
}

function Drives({ robot, drive }: { robot: Robot; drive: NonNullable<Answer['drive']> }): VNode {
  // the share of a bound that is not stated is 0
  const part = (value: number, bound: number | undefined): VNode => (bound ? html`<td class=${`num${value > 1 ? ' bad' : ''}`}>${value > 1 ? '\u2715 ' : ''}${number(100 * value, 3)} %</td>` : html`<td class="num dim">none stated</td>`);
  const row = (name: string, k: number): VNode => {
    const { current_limit: limit, amplifier } = (robot.joints.find((joint) => joint.name === name) as { drive?: Bounds } | undefined)?.drive ?? {};
    return html`<tr><th scope="row">${name}</th><td class="num">${number(drive.current[k])} A</td>${part(drive.current_use[k]!, limit?.peak_a)}${part(drive.continuous_use[k]!, limit?.continuous_a)}<td class="num">${number(drive.voltage[k])} V</td>${part(drive.voltage_use[k]!, amplifier?.supply_v)}</tr>`;
  };
  return html`<section class="panel" aria-label="Drives"><div class="panel-head"><h2>Drives</h2><span class=${drive.feasible ? 'good' : 'bad'}>${drive.feasible ? '\u2713 they can' : '\u2715 they cannot'}</span></div><div class="scroll">
    <table><thead><tr><th scope="col">Joint</th><th class="num" scope="col">Current</th><th class="num" scope="col">of its peak</th><th class="num" scope="col">of lasting</th><th class="num" scope="col">Voltage</th><th class="num" scope="col">of the supply</th></tr></thead>
    <tbody>${drive.joints.map(row)}</tbody></table></div></section>`;
}

function Bench({ robot }: { robot: Robot }): VNode {
  const [q, setQ] = usePose(robot);
  const query = route.value.query;
  const vector = (key: string): number[] => {
    const list = numbersOf(query.get(key));
    return list?.length === robot.nv ? list : new Array<number>(robot.nv).fill(0);
  };
  const [qd, setQd] = useState(() => vector('qd'));
  const [qdd, setQdd] = useState(() => vector('qdd'));
  const [payload, setPayload] = useState<Payload>(() => payloadIn(query, robot));
  const [answer, set] = useState<Answer | null>(null);
  const [fault, fail] = useState<Error | null>(null);
  const [tab, show] = useState('pose');
  const [common, scale] = useState(false);
  const [forces, showForces] = useState(false);
  const [played, play] = useState<{ q: number[]; tau: number[]; ledger: Partial<Record<Term, number[]>>; poses: Poses } | null>(null);
  degrees.use();
  const axes = useMemo(() => axesOf(robot), [robot]);
  const ask = useRef(latest((body: object) => json<Answer>('POST', robotPath(robot.name, 'inverse-dynamics'), { body }), (got) => { set(got); fail(null); }, fail));
  const returned = back.use();
  const drives = robot.joints.some((joint) => 'drive' in joint);
  useEffect(() => {
    ask.current({ q, qd, qdd, ...payloadOf(payload), include: ['ledger', 'energy', 'checks', ...(drives ? ['drive'] : []), ...(forces ? ['reactions'] : [])] });
  }, [q, qd, qdd, payload, forces, returned]);
  const carried = useMemo(() => payloadOf(payload), [payload]);
  const arrows = useMemo(() => (forces && !played ? (answer?.reactions?.joints ?? []).flatMap((name, k) => {
    const joint = robot.joints.find((one) => one.name === name);
    const wrench = answer!.reactions!.joint_wrenches[k]!;
    return joint ? [{ link: joint.child, force: wrench.slice(0, 3) }, { link: joint.child, force: wrench.slice(3), moment: true }] : [];
  }) : []), [answer, forces, played]);
  const largest = (moment: boolean): string => number(Math.max(...arrows.filter((one) => ('moment' in one) === moment).map((one) => Math.hypot(...one.force))), 3);
  const zero = (list: number[]): string => (list.some(Boolean) ? list.map((one) => Number(one.toFixed(4))).join(',') : '');
  useEffect(() => { remember({ qd: zero(qd), qdd: zero(qdd) }); rememberPayload(payload, robot); }, [qd, qdd, payload]);
  const shownLedger = (played?.ledger ?? answer?.ledger ?? {}) as Partial<Record<Term, number[]>>;
  const tau = played?.tau ?? answer?.tau;
  return html`<div class="bench torque">
    <div class="side"><${Choice} label="What is set" value=${tab} options=${[['pose', 'Pose'], ['qd', 'Speeds'], ['qdd', 'Accelerations']]} onpick=${show} />
      ${tab === 'pose' ? html`<${PoseSliders} robot=${robot} q=${q} onq=${(next: number[]) => { play(null); setQ(next); }} />` : tab === 'qd' ? html`<${Rates} robot=${robot} order=${1} values=${qd} onvalues=${setQd} />` : html`<${Rates} robot=${robot} order=${2} values=${qdd} onvalues=${setQdd} />`}
      <${PayloadPanel} robot=${robot} payload=${payload} onpayload=${setPayload} fault=${fault} /></div>
    <div class="stage">
      <${View3d} robot=${robot} q=${played?.q ?? q} poses=${played?.poses} arrows=${arrows} />
      <label class="check"><input type="checkbox" checked=${forces} onChange=${(event: Event) => showForces((event.target as HTMLInputElement).checked)} />Forces and moments that each joint carries, as arrows${forces && arrows.length > 0 && html`<span class="dim">: at most ${largest(false)} N (orange) and ${largest(true)} N\u00b7m (violet)</span>`}</label>
      <${MotionPanel} robot=${robot} q=${q} onq=${setQ} extra=${carried} onframe=${play} />
      <${LoggedPanel} robot=${robot} extra=${carried} />
    </div>
    <div class="side">
      <${Fault} fault=${fault} />
      ${tau && html`<section class="panel" aria-label="Torque by term"><div class="panel-head"><h2>${played ? 'Torque at the time cursor' : 'Torque'}</h2>
        <${Choice} label="Scale" value=${common ? 'common' : 'own'} options=${[['own', 'Each its scale'], ['common', 'One scale']]} onpick=${(key: string) => scale(key === 'common')} /></div>
        <${TorqueBars} axes=${axes} ledger=${shownLedger} tau=${tau} common=${common} />
        <details class="numbers"><summary>All numbers</summary><div class="scroll"><table><thead><tr><th scope="col">Joint</th>${present(shownLedger).map((term) => html`<th class="num" scope="col">${term}</th>`)}<th class="num" scope="col">torque</th></tr></thead>
          <tbody>${axes.map((axis, k) => html`<tr><th scope="row">${axis.name}</th>${present(shownLedger).map((term) => html`<td class="num">${number(rounded(shownLedger[term]![k]!))}</td>`)}<td class="num"><b>${number(rounded(tau[k]!))}</b> ${effortUnit(axis.joint)}</td></tr>`)}</tbody></table></div></details></section>`}
      ${answer?.drive && html`<${Drives} robot=${robot} drive=${answer.drive} />`}
      ${answer && html`<${Opinion} answer=${answer} />`}
    </div></div>`;
}

export function TorquePage({ name }: { name: string }): VNode {
  const [robot, fault] = useRobot(name);
  return html`<div class="page workbench"><div class="title"><h1>Torques</h1><${RobotPicker} name=${name} page="torque" /><span class="dim">Set a pose, a speed, an acceleration: the torque that it takes, and what takes it.</span></div>
    <${Fault} fault=${fault} />${robot && html`<${Bench} key=${robot.digest} robot=${robot} />`}</div>`;
}
