// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/simulation/simulate.ts - setting up a simulation: a pose to begin with, a controller, a disturbance, events.
import { PayloadPanel, payloadIn, payloadOf, rememberPayload, type Payload } from '../robots/held.ts';
import { ContactPanel, firstContacts, type Contacts } from './contacts.ts';
import { ensembleOf, VARIED } from './ensemble.ts';
import { fetchJob } from '../base/events.ts';
import { effortUnit, number } from '../base/format.ts';
import { html, useEffect, useMemo, useState, type VNode } from '../base/html.ts';
import { json, robotPath } from '../base/http.ts';
import { Choice, Fault, FieldFault } from '../base/parts.ts';
import { axesOf } from '../robots/pose.ts';
import { RobotPicker, usePose, useRobot } from '../robots/chosen.ts';
import { openSession } from './sessions.ts';
import { PoseSliders } from '../robots/sliders.ts';
import { go, remember, route } from '../base/store.ts';
import { View3d } from '../scene/view3d.ts';
import type { Job, Robot } from '../base/types.ts';

interface Setup {
  duration: number;
  control: string;
  kp: number;
  kd: number;
  ki: number;
  goal: number[] | null;
  reach: number; // s to the goal; 0: at once
  limited: boolean;
  push: string;
  joint: number;
  size: number;
  start: number;
  length: number;
  limits: string;
  method: string;
  uncertainty: number; // percent; 0: not judged
  vary: string;
  spread: number;
  members: number;
  contacts: Contacts | null;
  step: number; // ms, of the time stepping with contact
}

const FIRST: Setup = { duration: 3, control: 'none', kp: 100, kd: 20, ki: 0, goal: null, reach: 1, limited: true, push: 'none', joint: 0, size: 10, start: 0.5, length: 0.1, limits: 'off', method: 'dopri87', uncertainty: 0, vary: 'none', spread: 5, members: 200, contacts: null, step: 1 };

/** Of a gain, by the law: accelerations for an error, or efforts. */
function gainUnit(law: string, gain: 'kp' | 'kd' | 'ki'): string {
  if (law === 'computed-torque') return { kp: '1/s\u00b2', kd: '1/s', ki: '1/s\u00b3' }[gain];
  if (law === 'passivity-based' && gain === 'kp') return '1/s';
  return { kp: 'N\u00b7m/rad', kd: 'N\u00b7m\u00b7s/rad', ki: 'N\u00b7m/(rad\u00b7s)' }[gain];
}

const CONTROLS: [string, string, string][] = [['none', 'none: free motion', ''], ['pd', 'PD', 'kp e + kd e\u2032'], ['pd-gravity', 'PD with gravity', 'kp e + kd e\u2032 + gravity'], ['computed-torque', 'computed torque', 'M (qdd + kp e + kd e\u2032) + C qd + gravity'], ['feedforward', 'feedforward', 'the torque of the reference alone'],
  ['passivity-based', 'passivity-based', 'M v\u2032 + C v + gravity + kd (v \u2212 qd), v = qd_d + kp e']];

/** The request of a setup, as a client writes it. */
export function requestOf(robot: Robot, q: number[], setup: Setup, payload: Payload): object {
  const n = robot.nv;
  const goal = setup.goal?.length === robot.nq ? setup.goal : null;
  const reference = goal && setup.reach > 0 ? { waypoints: [q, goal], times_s: [0, setup.reach], timing: 'quintic' } : { setpoint: goal ?? q };
  const gains = setup.control === 'feedforward' ? {} : setup.control === 'passivity-based' ? { lambda: setup.kp, kd: setup.kd } : { kp: setup.kp, kd: setup.kd, ...(setup.ki > 0 ? { ki: setup.ki } : {}) };
  const torque = new Array<number>(n).fill(0);
  torque[Math.min(setup.joint, n - 1)] = setup.size;
  const efforts = robot.joints.some((joint) => joint.limits?.effort !== undefined && joint.v.count > 0);
  return {
    initial: { q },
    duration_s: setup.duration,
    output: { interval_s: setup.duration / 600 },
    ...(setup.control === 'none' ? {} : { input: { kind: setup.control, reference, ...gains, ...(setup.limited && efforts ? { effort_limits: 'robot' } : {}) } }),
    ...(setup.push === 'pulse' ? { disturbance: [{ kind: 'pulse', torque, start_s: setup.start, duration_s: setup.length }] } : {}),
    ...(setup.push === 'sine' ? { disturbance: [{ kind: 'sine', torque, start_s: setup.start, duration_s: setup.duration, frequency_hz: 1 / Math.max(1e-3, setup.length) }] } : {}),
    ...(setup.push === 'noise' ? { disturbance: [{ kind: 'noise', torque, start_s: setup.start, duration_s: setup.duration, interval_s: setup.length, seed: 1 }] } : {}),
    ...payloadOf(payload),
    ...(setup.contacts ? { contacts: setup.contacts, ...(setup.step === 1 ? {} : { solver: { step_s: setup.step / 1000 } }) } : {}),
    ...(setup.limits === 'off' || (setup.contacts && setup.limits === 'bounce') ? {} : { events: [{ on: 'limits', action: setup.limits, ...(setup.limits === 'bounce' ? { restitution: 0.3 } : {}) }] }),
    ...(setup.contacts || setup.method === 'dopri87' ? {} : { solver: { method: setup.method } }),
    ...(setup.uncertainty > 0 ? { verdict: { model_uncertainty: setup.uncertainty / 100 } } : {}),
    include: ['energy', ...(setup.control === 'none' || setup.control === 'feedforward' ? [] : ['tracking_error'])],
  };
}

function Bench({ robot }: { robot: Robot }): VNode {
  const [q, setQ] = usePose(robot);
  const [setup, set] = useState<Setup>(() => {
    try {
      return { ...FIRST, ...(JSON.parse(route.value.query.get('s') ?? '{}') as Partial<Setup>) };
    } catch {
      return FIRST;
    }
  });
  const [payload, setPayload] = useState<Payload>(() => payloadIn(route.value.query, robot));
  const [posing, pose] = useState('start');
  const [busy, work] = useState(false);
  const [fault, fail] = useState<Error | null>(null);
  const axes = useMemo(() => axesOf(robot), [robot]);
  const change = (part: Partial<Setup>): void => set((old) => ({ ...old, ...part }));
  useEffect(() => {
    const changed = Object.entries(setup).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(FIRST[key as keyof Setup]));
    remember({ s: changed.length ? JSON.stringify(Object.fromEntries(changed)) : '' });
  }, [setup]);
  useEffect(() => rememberPayload(payload, robot), [payload]);
  const controlled = setup.control !== 'none';
  const goal = setup.goal?.length === robot.nq ? setup.goal : q;
  const shown = controlled && posing === 'goal' ? goal : q;
  const field = (label: string, key: keyof Setup, unit: string, pointers: string[], least = 0): VNode => html`<label>${label}<span class="with-unit"><input type="number" step="any" min=${least} value=${setup[key]} onInput=${(event: Event) => change({ [key]: Number((event.target as HTMLInputElement).value) })} /><span class="unit">${unit}</span></span>
    <${FieldFault} fault=${fault} pointers=${pointers} /></label>`;
  const select = (label: string, key: keyof Setup, options: [string, string][], pointers: string[]): VNode => html`<label>${label}<select value=${setup[key]} onChange=${(event: Event) => change({ [key]: (event.target as HTMLSelectElement).value })}>${options.map(([value, text]) => html`<option value=${value}>${text}</option>`)}</select><${FieldFault} fault=${fault} pointers=${pointers} /></label>`;
  const run = async (): Promise<void> => {
    work(true);
    try {
      const request = requestOf(robot, q, setup, payload);
      const many = setup.vary !== 'none' && !setup.contacts;
      const job = await json<Job>('POST', robotPath(robot.name, many ? 'ensemble' : 'simulate'), { body: many ? ensembleOf(request as Record<string, unknown>, robot, setup.vary, setup.spread, setup.members) : request, headers: { Prefer: 'respond-async' } });
      await fetchJob(job.id);
      go(['jobs', job.id]);
    } catch (wrong) {
      fail(wrong as Error);
      work(false);
    }
  };
  const axis = axes[Math.min(setup.joint, axes.length - 1)];
  const unit = effortUnit(axis?.joint);
  return html`<div class="bench simulate">
    <div class="side">${controlled && html`<${Choice} label="Which pose" value=${posing} options=${[['start', 'Start'], ['goal', 'Goal']]} onpick=${pose} />`}
      ${controlled && posing === 'goal' ? html`<${PoseSliders} robot=${robot} q=${goal} onq=${(next: number[]) => change({ goal: next.map((one) => Number(one.toFixed(5))) })} />` : html`<${PoseSliders} robot=${robot} q=${q} onq=${setQ} />`}
      <${FieldFault} fault=${fault} pointers=${['/initial']} /></div>
    <div class="stage"><${View3d} robot=${robot} q=${shown} solids=${setup.contacts?.shapes} /><p class="dim">${controlled && posing === 'goal' ? 'The pose that the controller is to reach.' : 'The pose that it begins in, at rest.'}</p></div>
    <form class="side" onSubmit=${(event: Event) => { event.preventDefault(); void run(); }}>
      <section class="panel form" aria-label="Run"><h2>Run</h2><div class="fields">${field('Duration', 'duration', 's', ['/duration_s', '/output'])}
        ${setup.contacts ? field('Step of time', 'step', 'ms', ['/solver']) : select('Method', 'method', [['dopri87', 'Dormand-Prince 8(7)'], ['dopri45', 'Dormand-Prince 5(4)'], ['bdf', 'BDF, for stiff ones'], ['sdirk', 'SDIRK, for stiff ones'], ['rk4', 'Runge-Kutta 4, fixed'], ['implicit-midpoint', 'implicit midpoint, fixed'], ['semi-implicit-euler', 'semi-implicit Euler, fixed']], ['/solver'])}
        ${select('At joint limits', 'limits', [['off', 'nothing happens'], ['report', 'report it'], ['stop', 'stop the run'], ...(setup.contacts ? [] : [['bounce', 'bounce, 30 % of the speed'] as [string, string]])], ['/events'])}
        ${field('Uncertainty of inertias', 'uncertainty', '%', ['/verdict'])}</div>
        <button class="first large" disabled=${busy}>${busy ? 'Sending\u2026' : `Simulate ${number(setup.duration)} s${setup.vary === 'none' || setup.contacts ? '' : `, ${setup.members} times`}`}</button>${!setup.contacts && html`<button type="button" disabled=${busy} onClick=${() => openSession(robot.name, requestOf(robot, q, setup, payload)).catch(fail)}>Drive it by hand</button>`}<${Fault} fault=${fault} /></section>
      <section class="panel form" aria-label="Controller"><h2>Controller</h2><div class="fields">${select('Law', 'control', CONTROLS.map(([key, text]) => [key, text]), ['/input', '/input/kind'])}
        ${controlled && setup.control !== 'feedforward' && html`${field(setup.control === 'passivity-based' ? 'lambda' : 'kp', 'kp', gainUnit(setup.control, 'kp'), ['/input/kp', '/input/lambda'])}${field('kd', 'kd', gainUnit(setup.control, 'kd'), ['/input/kd'])}${setup.control !== 'passivity-based' && field('ki', 'ki', gainUnit(setup.control, 'ki'), ['/input/ki'])}`}
        ${controlled && field('Reach the goal in', 'reach', 's', ['/input/reference'])}</div>
        ${controlled && html`<p class="dim"><code>${CONTROLS.find(([key]) => key === setup.control)?.[2]}</code></p>
          <label class="check"><input type="checkbox" checked=${setup.limited} onChange=${(event: Event) => change({ limited: (event.target as HTMLInputElement).checked })} />No more torque than the robot\u2019s limits</label>
          ${!setup.goal && html`<p class="dim">The goal is the start, until you set it: <button type="button" class="small" onClick=${() => pose('goal')}>Set the goal</button></p>`}`}</section>
      <section class="panel form" aria-label="Disturbance"><h2>Disturbance</h2><div class="fields">${select('Kind', 'push', [['none', 'none'], ['pulse', 'a push'], ['sine', 'a sine'], ['noise', 'noise']], ['/disturbance'])}
        ${setup.push !== 'none' && html`<label>Joint<select value=${setup.joint} onChange=${(event: Event) => change({ joint: Number((event.target as HTMLSelectElement).value) })}>${axes.map((one, k) => html`<option value=${k}>${one.name}</option>`)}</select></label>
          ${field('Size', 'size', unit, ['/disturbance/0/torque'], -1e9)}${field('From', 'start', 's', ['/disturbance/0/start_s'])}${field(setup.push === 'pulse' ? 'Lasting' : setup.push === 'sine' ? 'Period' : 'Held for', 'length', 's', ['/disturbance/0/duration_s', '/disturbance/0/interval_s', '/disturbance/0/frequency_hz'])}`}</div></section>
      <${ContactPanel} robot=${robot} contacts=${setup.contacts} fault=${fault} oncontacts=${(contacts: Contacts | null) => change({ contacts })} onbegin=${() => firstContacts(robot, q).then((contacts) => change({ contacts }), fail)} />
      ${!setup.contacts && html`<section class="panel form" aria-label="Many runs"><h2>Many runs that differ</h2><div class="fields">${select('What varies', 'vary', VARIED.map(([key, text]) => [key, text]), ['/vary'])}
        ${setup.vary !== 'none' && html`${field('Deviation', 'spread', VARIED.find(([key]) => key === setup.vary)?.[2] ?? '', ['/vary/0'])}${field('Runs', 'members', '', ['/members'])}`}</div></section>`}
      <${PayloadPanel} robot=${robot} payload=${payload} onpayload=${setPayload} fault=${fault} />
    </form></div>`;
}

export function SimulatePage({ name }: { name: string }): VNode {
  const [robot, fault] = useRobot(name);
  return html`<div class="page workbench"><div class="title"><h1>Simulation</h1><${RobotPicker} name=${name} page="simulate" /><span class="dim">Pose it, say what drives it, let it go.</span></div>
    <${Fault} fault=${fault} />${robot && html`<${Bench} key=${robot.digest} robot=${robot} />`}</div>`;
}
