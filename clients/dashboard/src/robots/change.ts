// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/robots/change.ts - another robot made of this one: operations put together, seen as differences, then stored.
import { nameFrom, put } from '../base/kept.ts';
import { compare, Numbers, words } from './differences.ts';
import { effortUnit, motionUnit, number } from '../base/format.ts';
import { html, useEffect, useState, type VNode } from '../base/html.ts';
import { json, robotPath, send } from '../base/http.ts';
import { Fault, FieldFault, say, useLoaded } from '../base/parts.ts';
import { moving } from './pose.ts';
import { degrees, go } from '../base/store.ts';
import type { Report, Robot, RobotRow } from '../base/types.ts';

type Operation = Record<string, unknown> & { op: string };
type Fields = [key: string, label: string, unit: string, now: number | undefined, factor?: number][]; // shown = factor * SI

const KINDS: [string, string][] = [['joint', 'Friction, limits and rotor of a joint'], ['link', 'Mass of a link'], ['payload', 'Weld a body to a link'], ['lock', 'Lock a joint'], ['gravity', 'Gravity'], ['root', 'Hold another link'], ['subchain', 'Keep a part alone'], ['join', 'Join another robot']];

/** Sets a value at a path of an object: limits.upper. */
function place(into: Record<string, unknown>, path: string, value: unknown): void {
  const [first, rest] = path.split('.', 2) as [string, string?];
  if (rest === undefined) into[first] = value;
  else place((into[first] ??= {}) as Record<string, unknown>, rest, value);
}

const flat = (value: unknown): string => (Array.isArray(value) ? value.map(flat).join(', ') : value && typeof value === 'object' ? Object.entries(value).map(([key, one]) => `${key} ${flat(one)}`).join(', ') : typeof value === 'number' ? number(value) : String(value));

/** What an operation does, in words. */
function said({ op, ...rest }: Operation): string {
  const { joint, link, robot, ...values } = rest;
  if (op === 'lock') return `lock ${flat(rest['joints'])}`;
  if (op === 'root') return `hold ${String(link)}`;
  if (op === 'subchain') return `keep what hangs from ${String(link)}`;
  if (op === 'join') return `join ${String(robot)} to ${String(link)}`;
  if (op === 'payload') return `weld ${flat(values)} to ${String(link)}`;
  return `${String(joint ?? link ?? 'gravity')}: ${flat(op === 'gravity' ? rest['gravity'] : values)}`;
}

export function ChangePanel({ robot, builtin, selected, onstored }: { robot: Robot; builtin: boolean; selected: string; onstored: () => void }): VNode {
  const [kind, pick] = useState('joint');
  const joints = moving(robot);
  const [joint, choose] = useState(joints.find((one) => one.child === selected)?.name ?? joints[0]?.name ?? '');
  const [link, onto] = useState(selected || robot.links.at(-1)!.name);
  const [other, join] = useState('');
  const [typed, type] = useState<Record<string, string>>({});
  const [list, set] = useState<Operation[]>([]);
  const [fault, fail] = useState<Error | null>(null);
  const [after, see] = useState<Report | null>(null);
  const [busy, work] = useState(false);
  const [rows] = useLoaded(() => json<{ robots: RobotRow[] }>('GET', '/v1/robots', { quiet: true }), 'change');
  useEffect(() => {
    const found = joints.find((one) => one.child === selected);
    if (found) choose(found.name);
    if (selected) onto(selected);
    type({});
  }, [selected]);
  const of = joints.find((one) => one.name === joint) ?? joints[0];
  const body = robot.links.find((one) => one.name === link)!;
  const effort = effortUnit(of);
  degrees.use();
  const [turn, speed] = [motionUnit(of, 0), motionUnit(of, 1)];
  const vector = (key: string, label: string, unit: string, now: number[]): Fields => ['x', 'y', 'z'].map((axis, k) => [`${key}.${k}`, `${label} ${axis}`, unit, now[k]]);
  const fields: Record<string, Fields> = {
    joint: [['damping', 'Viscous friction', of?.kind === 'prismatic' ? 'N\u00b7s/m' : 'N\u00b7m\u00b7s/rad', of?.damping], ['friction.coulomb', 'Coulomb friction', effort, of?.friction?.coulomb], ['rotor.inertia', 'Inertia of the rotor', 'kg\u00b7m\u00b2', of?.rotor?.inertia],
      ['limits.lower', 'Lower limit', turn.name, of?.limits?.lower, turn.factor], ['limits.upper', 'Upper limit', turn.name, of?.limits?.upper, turn.factor], ['limits.velocity', 'Largest speed', speed.name, of?.limits?.velocity, speed.factor], ['limits.effort', 'Largest effort', effort, of?.limits?.effort]],
    link: [['mass', 'Mass', 'kg', body.mass], ...vector('com', 'Centre of mass', 'm', body.com)],
    payload: [['mass', 'Mass', 'kg', undefined], ...vector('com', 'Centre of mass', 'm', [])],
    lock: [['at', 'At', turn.name, 0]],
    gravity: vector('gravity', 'Gravity', 'm/s\u00b2', robot.gravity),
    root: [], subchain: [], join: vector('position', 'Its root at', 'm', [0, 0, 0]),
  };
  const add = (): void => {
    const one: Operation = { op: kind };
    if (kind === 'joint') one['joint'] = joint;
    if (['link', 'payload', 'root', 'subchain', 'join'].includes(kind)) one['link'] = link;
    if (kind === 'join') one['robot'] = other;
    for (const [key, , , , factor = 1] of fields[kind]!) {
      if (typed[key] === undefined || typed[key] === '' || key === 'at') continue;
      const [name, axis] = key.split('.', 2) as [string, string?];
      // a triple is stated as a whole
      if (axis !== undefined && /^\d$/.test(axis)) one[name] = [0, 1, 2].map((k) => Number(typed[`${name}.${k}`] || fields[kind]!.find(([other]) => other === `${name}.${k}`)?.[3] || 0));
      else place(one, key, Number(typed[key]) / factor);
    }
    if (kind === 'lock') one['joints'] = { [joint]: Number(typed['at'] || 0) / turn.factor };
    try_([...list, one]);
  };
  /** The robot that would be: nothing is stored. */
  const try_ = (operations: Operation[]): void => {
    if (!operations.length) {
      set([]);
      see(null);
      return;
    }
    work(true);
    json<Report>('PATCH', `${robotPath(robot.name)}?dry_run=true`, { body: { operations } }).then((found) => {
      set(operations);
      see(found);
      type({});
      fail(null);
    }, fail).finally(() => work(false));
  };
  const store = async (event: Event): Promise<void> => {
    event.preventDefault();
    const name = nameFrom(String(new FormData(event.target as HTMLFormElement).get('name')));
    work(true);
    try {
      const before = rows?.robots.some((row) => row.name === name) ? await json<unknown>('GET', robotPath(name), { quiet: true }) : null;
      await json<Report>('PATCH', `${robotPath(robot.name)}?name=${encodeURIComponent(name)}`, { body: { operations: list } });
      const undo = (): void => void (before ? put(name, JSON.stringify(before)).then(onstored) : send('DELETE', robotPath(name)).then(() => { if (name !== robot.name) go(['robots', robot.name], { show: 'change' }); }));
      say(`${name} is stored`, () => {}, undo);
      set([]);
      see(null);
      fail(null);
      if (name === robot.name) onstored();
      else go(['robots', name]);
    } catch (wrong) {
      fail(wrong as Error);
    }
    work(false);
  };
  const select = (label: string, value: string, options: [string, string][], onpick: (value: string) => void): VNode => html`<label>${label}<select value=${value} onChange=${(event: Event) => { onpick((event.target as HTMLSelectElement).value); type({}); }}>${options.map(([key, text]) => html`<option value=${key}>${text}</option>`)}</select></label>`;
  const same = (names: string[]): [string, string][] => names.map((one) => [one, one]);
  const ready = kind === 'joint' || kind === 'link' || kind === 'gravity' ? fields[kind]!.some(([key]) => typed[key]) : kind === 'payload' ? Number(typed['mass']) > 0 : kind === 'join' ? other !== '' : true;
  const found = after ? compare(robot, after) : null;
  return html`<section class="panel form" aria-label="Change"><h2>Make another robot of this one</h2>
    <div class="fields">${select('What changes', kind, KINDS, pick)}
      ${['joint', 'lock'].includes(kind) && select('Joint', joint, same(joints.filter((one) => one.v.count === 1).map((one) => one.name)), choose)}
      ${['link', 'payload', 'root', 'subchain', 'join'].includes(kind) && select('Link', link, same(robot.links.map((one) => one.name)), onto)}
      ${kind === 'join' && select('Robot', other, [['', 'choose a robot'], ...same((rows?.robots ?? []).map((row) => row.name))], join)}</div>
    <div class="fields">${fields[kind]!.map(([key, label, unit, now, factor = 1]) => html`<label>${label}<span class="with-unit"><input type="number" step="any" placeholder=${now === undefined ? '' : number(now * factor)} value=${typed[key] ?? ''} onInput=${(event: Event) => type({ ...typed, [key]: (event.target as HTMLInputElement).value })} /><span class="unit">${unit}</span></span></label>`)}</div>
    ${fields[kind]!.some(([, , , now]) => now !== undefined) && html`<p class="dim">In grey: as it is now. What is left empty stays.</p>`}
    <${FieldFault} fault=${fault} pointers=${[`/operations/${list.length}`]} />
    <div class="row"><button type="button" disabled=${busy || !ready} onClick=${add}>Add this change</button></div>
    <${Fault} fault=${fault} />
    ${list.length > 0 && html`<ol class="reasons numbered">${list.map((one) => html`<li>${said(one)}</li>`)}</ol>
      <div class="row"><button type="button" class="small" disabled=${busy} onClick=${() => try_(list.slice(0, -1))}>Take back the last</button></div>`}
    ${found && html`<ul class="reasons" aria-label="What it makes">${words(robot, after!, robot.name, 'the changed one').map((text) => html`<li>${text}</li>`)}</ul>
      ${after!.doctor.length > 0 && html`<ul class="verdicts" aria-label="What looks wrong">${after!.doctor.map((one) => html`<li class="bad">? ${one.where}: ${one.text}</li>`)}</ul>`}
      ${found.changed.length > 0 && html`<details><summary>${found.changed.length} of ${found.count} numbers differ</summary><${Numbers} changed=${found.changed} /></details>`}
      <form class="row" onSubmit=${store}><label class="inline">Store it as<input name="name" key=${robot.name} value=${builtin ? `${robot.name}-changed` : robot.name} required pattern="[A-Za-z0-9][\\w.\\-]*" /></label><button class="first" disabled=${busy}>Store</button></form>
      ${builtin && html`<p class="dim">${robot.name} is built in and stays as it is.</p>`}`}</section>`;
}
