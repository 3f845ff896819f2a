// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/simulation/sessions.ts - simulated robots driven step by step: by a program, which one watches here, or by hand.
import { effortUnit, motionUnit, number, bytes, seconds } from '../base/format.ts';
import { html, useEffect, useMemo, useRef, useState, type VNode } from '../base/html.ts';
import { back, json, Problem, robotPath, send } from '../base/http.ts';
import { Empty, Fault, say, useLoaded } from '../base/parts.ts';
import { Plot, type Curve } from '../curves/plot.ts';
import { axesOf } from '../robots/pose.ts';
import { SliderRow } from '../robots/sliders.ts';
import { address, degrees, go, robotInUse, Store } from '../base/store.ts';
import { View3d } from '../scene/view3d.ts';
import type { Robot } from '../base/types.ts';

interface State {
  step: number;
  t: number;
  q: number[];
  qd: number[];
  tau: number[];
  hash: string;
  ended?: string;
}

interface Session {
  id: string;
  robot: string;
  robot_digest: string;
  step_s: number;
  oldest_step: number;
  expires_in_s: number;
  state: State;
}

interface Row {
  id: string;
  robot: string;
  bytes: number;
  expires_in_s: number;
}

const pathOf = (id: string, rest = ''): string => `/v1/sessions/${encodeURIComponent(id)}${rest}`;

/** A session that begins as a simulation would. */
export async function openSession(robot: string, request: object): Promise<void> {
  const { initial, payload, disturbance, events } = request as Record<string, unknown>;
  const made = await json<Session>('POST', '/v1/sessions', { body: { robot, initial, step_s: 0.01, ...(payload ? { payload } : {}), ...(disturbance ? { disturbance } : {}), ...(events ? { events } : {}) } });
  go(['sessions', made.id]);
}

export function SessionsPage(): VNode {
  const [list, fault, again] = useLoaded(async () => ({ sessions: (await json<{ sessions: Row[] }>('GET', '/v1/sessions', { quiet: true })).sessions.filter((row) => !closing.has(row.id)) }), 'sessions');
  useEffect(() => {
    const timer = setInterval(again, 3000);
    return () => clearInterval(timer);
  }, []);
  return html`<div class="page"><div class="title"><h1>Sessions</h1><span class="dim">Simulated robots that wait for the next torque.</span></div>
    <${Fault} fault=${fault} />
    ${list && !list.sessions.length && html`<${Empty} title="No session is open."><p>A session is a simulated robot in lock step: a controller of yours sends torques and gets the state after each control period, and time passes by nothing else. Programs open one by <code>client.robot("panda").session(...)</code>; it can be watched here. By hand: set up a <a href=${address(['robots', robotInUse.value || 'ur5e', 'simulate'])}>simulation</a> and press \u201cDrive it by hand\u201d.</p><//>`}
    ${(list?.sessions.length ?? 0) > 0 && html`<div class="panel scroll"><table class="jobs"><thead><tr><th scope="col">Session</th><th scope="col">Robot</th><th class="num" scope="col">Memory</th><th class="num" scope="col">Ends when idle for</th></tr></thead>
      <tbody>${list!.sessions.map((row) => html`<tr key=${row.id}><td><a href=${address(['sessions', row.id])}>${row.id.slice(-8)}</a></td><td>${row.robot}</td><td class="num">${bytes(row.bytes)}</td><td class="num">${seconds(row.expires_in_s)}</td></tr>`)}</tbody></table></div>`}</div>`;
}

/** Closed here, and still there until the note with its undo has gone. */
const closing = new Set<string>();
const KEPT = 1500; // states of the curves

function Live({ robot, session }: { robot: Robot; session: Session }): VNode {
  const [state, see] = useState(session.state);
  const [trace, keep] = useState<State[]>([session.state]);
  const [tau, push] = useState<number[]>(() => new Array<number>(robot.nv).fill(0));
  const [length, hold] = useState(0.1);
  const [running, run] = useState(false);
  const [fault, fail] = useState<Error | null>(null);
  const held = useRef(tau);
  held.current = tau;
  const now = useRef(session.state);
  const time = useMemo(() => new Store(0), []);
  const angles = degrees.use();
  const axes = useMemo(() => axesOf(robot), [robot]);
  const show = (next: State): void => {
    now.current = next;
    see(next);
    keep((old) => (old.at(-1)!.step === next.step ? old : [...old.filter((one) => one.step < next.step), next].slice(-KEPT)));
    time.set(next.t);
  };
  const act = async (rest: string, body: object): Promise<boolean> => {
    try {
      show(await json<State>('POST', pathOf(session.id, rest), { body }));
      fail(null);
      return true;
    } catch (wrong) {
      fail(wrong as Error);
      return false;
    }
  };
  const step = (span: number): Promise<boolean> => act('/step', { tau: held.current, steps: Math.max(1, Math.min(10000, Math.round(span / session.step_s))), at_step: now.current.step });
  // in real time: as many control periods as have passed, one request after the other
  useEffect(() => {
    if (!running) return;
    let live = true;
    void (async () => {
      let last = performance.now();
      while (live) {
        await new Promise((next) => setTimeout(next, 40));
        const passed = Math.min(0.2, (performance.now() - last) / 1000);
        last = performance.now();
        if (!live || !(await step(passed)) || now.current.ended) break;
      }
      if (live) run(false);
    })();
    return () => { live = false; };
  }, [running]);
  // what a program does with it meanwhile
  useEffect(() => {
    if (running) return;
    const timer = setInterval(() => void json<Session>('GET', pathOf(session.id), { quiet: true }).then((one) => { if (one.state.step !== now.current.step) show(one.state); },
      (wrong) => { if (wrong instanceof Problem && wrong.document.status === 404) { clearInterval(timer); fail(wrong); } }), 500);
    return () => clearInterval(timer);
  }, [running]);
  const curves = useMemo(() => {
    const t = trace.map((one) => one.t);
    const of = (key: 'q' | 'qd', order: 0 | 1): Curve[] => axes.map((axis, k) => ({ name: axis.name, values: trace.map((one) => (one[key][k] ?? 0) * motionUnit(axis.joint, order).factor) }));
    return { t, q: robot.nq === robot.nv ? of('q', 0) : [], qd: of('qd', 1) };
  }, [trace, angles]);
  const units = (order: 0 | 1): string => [...new Set(axes.map((axis) => motionUnit(axis.joint, order).name))].join(', ');
  const rewind = (): void => { run(false); void act('/rewind', { step: 0 }); };
  const fork = (): void => void json<Session>('POST', pathOf(session.id, '/fork'), { body: {} }).then((one) => go(['sessions', one.id]), fail);
  const close = (): void => {
    run(false);
    closing.add(session.id);
    go(['sessions']);
    say('The session is closed', () => void send('DELETE', pathOf(session.id)).catch(() => {}), () => { closing.delete(session.id); go(['sessions', session.id]); });
  };
  return html`<div class="bench simulate"><div class="side"><section class="panel sliders" aria-label="Torques"><div class="panel-head"><h2>Torque that is held</h2><button class="small" onClick=${() => push(tau.map(() => 0))}>Zero</button></div>
      ${axes.map((axis, k) => html`<${SliderRow} key=${axis.name} name=${axis.name} value=${tau[k] ?? 0} range=${[-(axis.joint.limits?.effort ?? 50), axis.joint.limits?.effort ?? 50]} unit=${{ name: effortUnit(axis.joint), factor: 1 }} onvalue=${(value: number) => push(tau.map((old, i) => (i === k ? value : old)))} />`)}</section></div>
    <div class="stage"><${View3d} robot=${robot} q=${state.q} /></div>
    <div class="side"><section class="panel form" aria-label="Time"><div class="panel-head"><h2 role="status">${number(state.t, 6)} s, step ${state.step.toLocaleString('en')}</h2></div>
        ${state.ended && html`<p class="bad" role="alert">${state.ended}. Rewind leads back.</p>`}
        <div class="row"><button class="first" disabled=${state.ended !== undefined} onClick=${() => run(!running)}>${running ? 'Hold still' : 'Run in real time'}</button>
          <button disabled=${running || state.ended !== undefined} onClick=${() => step(length)}>Step</button><label class="inline">by<span class="with-unit"><input type="number" min=${session.step_s} step="any" value=${length} onInput=${(event: Event) => hold(Number((event.target as HTMLInputElement).value))} /><span class="unit">s</span></span></label></div>
        <div class="row"><button onClick=${rewind}>Back to the start</button><button onClick=${fork}>Fork</button><button onClick=${close}>Close the session</button></div>
        <p class="dim">The control period is ${number(session.step_s * 1000)} ms: torques are held for it. A program may drive it meanwhile; it is followed here.</p>
        <${Fault} fault=${fault} /></section>
      <section class="panel"><div class="plots tall">${curves.q.length > 0 && html`<${Plot} title="Positions" unit=${units(0)} t=${curves.t} curves=${curves.q} time=${time} />`}<${Plot} title="Speeds" unit=${units(1)} t=${curves.t} curves=${curves.qd} time=${time} /></div>
        <p class="dim">State <code>${state.hash}</code></p></section></div></div>`;
}

export function SessionPage({ id }: { id: string }): VNode {
  const returned = back.use();
  const [found, fault] = useLoaded(async () => {
    const session = await json<Session>('GET', pathOf(id));
    const robot = await json<Robot>('GET', robotPath(`${session.robot.split('@')[0]}@${session.robot_digest}`), { quiet: true });
    return { session, robot };
  }, `${id} ${returned}`);
  return html`<div class="page workbench"><div class="title"><h1>Session</h1>${found && html`<span>of <a href=${address(['robots', found.robot.name])}>${found.robot.name}</a></span>`}<span class="dim"><code>${id.slice(-8)}</code></span></div>
    <${Fault} fault=${fault} />${fault && html`<p><a href=${address(['sessions'])}>All open sessions</a></p>`}${found && html`<${Live} key=${id} ...${found} />`}</div>`;
}
