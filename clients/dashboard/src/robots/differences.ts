// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/robots/differences.ts - two robots, or two versions of one: what differs, in words and in numbers.
import { effortUnit, motionUnit, number, slides, type Unit } from '../base/format.ts';
import { html, useMemo, useState, type VNode } from '../base/html.ts';
import { json } from '../base/http.ts';
import { centred } from '../scene/inertia.ts';
import { Fault, useLoaded } from '../base/parts.ts';
import { jobs, fetchJobs } from '../base/events.ts';
import { degrees, remember, route } from '../base/store.ts';
import type { Joint, Link, Robot, RobotRow } from '../base/types.ts';

type Leaf = number | string | boolean | undefined;

export interface Change {
  of: string;
  what: string;
  unit: string;
  group: string;
  before: Leaf;
  after: Leaf;
}

/** What a field of a joint is called, its group, and whether its unit is that of a coordinate, of a rate or of an effort. */
const FIELDS: Record<string, [string, string, ('q' | 'v' | 'effort' | 'damping' | string)?]> = {
  kind: ['kind', 'structure'], parent: ['parent', 'structure'], child: ['child', 'structure'],
  'origin.position.0': ['place x', 'place', 'm'], 'origin.position.1': ['place y', 'place', 'm'], 'origin.position.2': ['place z', 'place', 'm'],
  'axis.0': ['axis x', 'place'], 'axis.1': ['axis y', 'place'], 'axis.2': ['axis z', 'place'],
  'limits.lower': ['lower limit', 'limits', 'q'], 'limits.upper': ['upper limit', 'limits', 'q'], 'limits.velocity': ['largest speed', 'limits', 'v'], 'limits.effort': ['largest effort', 'limits', 'effort'],
  damping: ['viscous friction', 'friction', 'damping'], 'friction.coulomb': ['Coulomb friction', 'friction', 'effort'], 'friction.breakaway': ['breakaway', 'friction', 'effort'],
  'friction.offset': ['offset of friction', 'friction', 'effort'], 'friction.stribeck_velocity': ['Stribeck speed', 'friction', 'v'], 'friction.smoothing': ['smoothing of friction', 'friction', 'v'],
  'rotor.inertia': ['inertia of the rotor', 'rotors', 'kg\u00b7m\u00b2'], 'rotor.ratio': ['ratio of the gear', 'rotors'],
};

function flat(value: unknown, path: string, into: Map<string, Leaf>): void {
  if (value === null || typeof value !== 'object') into.set(path, value as Leaf);
  else for (const [key, inner] of Object.entries(value)) flat(inner, path ? `${path}.${key}` : key, into);
}

function unitOf(kind: string | undefined, joint: Joint): Unit {
  if (kind === 'q' || kind === 'v') return motionUnit(joint, kind === 'q' ? 0 : 1);
  return { factor: 1, name: kind === 'effort' ? effortUnit(joint) : kind === 'damping' ? (slides(joint) ? 'N\u00b7s/m' : 'N\u00b7m\u00b7s/rad') : kind ?? '' };
}

const same = (a: Leaf, b: Leaf): boolean => a === b || (typeof a === 'number' && typeof b === 'number' && Math.abs(a - b) <= Math.max(1e-12, 1e-9 * Math.max(Math.abs(a), Math.abs(b))));

/** Turn between two frames, rad: of R_a' R_b, whose trace is 1 + 2 cos. */
function turned(a: Joint, b: Joint): number {
  const unit = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
  const [p, r] = [a.origin.rotation ?? unit, b.origin.rotation ?? unit];
  let trace = 0;
  let skew = 0;
  for (let i = 0; i < 3; i++) for (let j = 0; j < 3; j++) {
    trace += p[i]![j]! * r[i]![j]!;
    skew += (p[i]![j]! - r[i]![j]!) ** 2;
  }
  // near zero the cosine says nothing: |R_a - R_b|^2 = 8 sin^2(angle / 2)
  return skew < 0.1 ? 2 * Math.asin(Math.sqrt(skew / 8)) : Math.acos(Math.max(-1, Math.min(1, (trace - 1) / 2)));
}

function ofLinks(a: Link, b: Link): Change[] {
  const list: Change[] = [{ of: a.name, what: 'mass', unit: 'kg', group: 'masses', before: a.mass, after: b.mass }];
  ['x', 'y', 'z'].forEach((axis, k) => list.push({ of: a.name, what: `centre of mass ${axis}`, unit: 'm', group: 'centres of mass', before: a.com[k], after: b.com[k] }));
  const [p, r] = [centred(a), centred(b)];
  ['xx', 'xy', 'xz', 'yy', 'yz', 'zz'].forEach((name) => {
    const [i, j] = [...name].map((one) => 'xyz'.indexOf(one)) as [number, number];
    list.push({ of: a.name, what: `inertia ${name}`, unit: 'kg\u00b7m\u00b2', group: 'inertias', before: p[i]![j], after: r[i]![j] });
  });
  return list;
}

function ofJoints(a: Joint, b: Joint): Change[] {
  const leaves = [a, b].map((joint) => {
    const { name: _name, q: _q, v: _v, ...rest } = joint;
    const map = new Map<string, Leaf>();
    flat(rest, '', map);
    return map;
  }) as [Map<string, Leaf>, Map<string, Leaf>];
  const list: Change[] = [];
  const angle = turned(a, b);
  const turn = motionUnit(undefined, 0);
  if (angle > 1e-9) list.push({ of: a.name, what: 'frame turned by', unit: turn.name, group: 'place', before: 0, after: angle * turn.factor });
  for (const path of new Set([...leaves[0].keys(), ...leaves[1].keys()])) {
    if (/^origin\.(rotation|rpy)\b/.test(path)) continue;
    const [what, group, kind] = FIELDS[path] ?? [path.replaceAll('.', ' '), path.split('.')[0]!];
    const { name: unit, factor } = unitOf(kind, a);
    const [before, after] = leaves.map((one) => one.get(path)).map((value) => (typeof value === 'number' ? value * factor : value));
    list.push({ of: a.name, what, unit, group, before, after });
  }
  return list;
}

/** All numbers of both that can be compared, of links and joints that both have; `changed` of those that differ. */
export function compare(a: Robot, b: Robot): { count: number; changed: Change[]; only: { a: string[]; b: string[] } } {
  const list: Change[] = ['x', 'y', 'z'].map((axis, k) => ({ of: 'the world', what: `gravity ${axis}`, unit: 'm/s\u00b2', group: 'gravity', before: a.gravity[k], after: b.gravity[k] }));
  const pairs = <T extends { name: string }>(one: T[], other: T[], of: (x: T, y: T) => Change[]): void => {
    const names = new Map(other.map((item) => [item.name, item]));
    for (const item of one) if (names.has(item.name)) list.push(...of(item, names.get(item.name)!));
  };
  pairs(a.links, b.links, ofLinks);
  pairs(a.joints, b.joints, ofJoints);
  const missing = (one: Robot, other: Robot): string[] => (['links', 'joints'] as const).flatMap((key) => {
    const names = new Set((other[key] as { name: string }[]).map((item) => item.name));
    return (one[key] as { name: string }[]).filter((item) => !names.has(item.name)).map((item) => `${key === 'links' ? 'link' : 'joint'} ${item.name}`);
  });
  return { count: list.length, changed: list.filter((one) => !same(one.before, one.after)), only: { a: missing(a, b), b: missing(b, a) } };
}

const some = (names: string[]): string => (names.length > 6 ? `${names.slice(0, 5).join(', ')} and ${names.length - 5} more` : names.join(', '));
const share = (before: number, after: number): string => (before ? ` (${after >= before ? '+' : ''}${number((100 * (after - before)) / Math.abs(before), 3)} %)` : '');

/** What differs, in sentences. */
export function words(a: Robot, b: Robot, nameA: string, nameB: string): string[] {
  const { changed, only } = compare(a, b);
  const list: string[] = [];
  const [massA, massB] = [a, b].map((one) => one.links.reduce((sum, link) => sum + link.mass, 0)) as [number, number];
  if (!same(massA, massB)) list.push(`Together their links weigh ${number(massA)} kg in ${nameA} and ${number(massB)} kg in ${nameB}${share(massA, massB)}.`);
  if (a.nv !== b.nv) list.push(`${nameA} has ${a.nv} degrees of freedom, ${nameB} has ${b.nv}.`);
  if (only.a.length) list.push(`In ${nameA} alone: ${some(only.a)}.`);
  if (only.b.length) list.push(`In ${nameB} alone: ${some(only.b)}.`);
  const groups = new Map<string, Set<string>>();
  for (const one of changed) groups.set(one.group, (groups.get(one.group) ?? new Set()).add(one.of));
  for (const [group, of] of groups) list.push(group === 'gravity' ? 'Gravity is another.' : `Other ${group === 'place' ? 'places or axes' : group === 'structure' ? 'kinds or neighbours' : group}: ${some([...of])}.`);
  return list.length ? list : [`Every number of ${nameA} and ${nameB} is the same.`];
}

const shown = (value: Leaf): string => (typeof value === 'number' ? number(value, 5) : value === undefined ? 'none' : String(value));

export function Numbers({ changed, before = 'Before', after = 'After' }: { changed: Change[]; before?: string; after?: string }): VNode {
  return html`<div class="scroll tall-scroll" tabindex="0" role="region" aria-label="Numbers that differ"><table class="parameters differences"><thead><tr><th scope="col">Of</th><th scope="col">What</th><th class="num" scope="col">${before}</th><th class="num" scope="col">${after}</th><th scope="col">Unit</th><th class="num" scope="col">Change</th></tr></thead>
    <tbody>${changed.map((one, k) => html`<tr><th scope="row">${changed[k - 1]?.of === one.of ? html`<span class="away">${one.of}</span>` : one.of}</th><td>${one.what}</td><td class="num">${shown(one.before)}</td><td class="num">${shown(one.after)}</td><td>${one.unit}</td>
      <td class="num">${typeof one.before === 'number' && typeof one.after === 'number' ? (one.before !== 0 ? `${one.after >= one.before ? '+' : ''}${number((100 * (one.after - one.before)) / Math.abs(one.before), 3)} %` : 'new') : one.before === undefined ? 'new' : one.after === undefined ? 'gone' : ''}</td></tr>`)}</tbody></table></div>`;
}

/** One robot against another, or against a version that a job was made with. */
export function Differences({ robot }: { robot: Robot }): VNode {
  const [other, choose] = useState(route.value.query.get('with') ?? '');
  const all = jobs.use();
  const [list] = useLoaded(async () => {
    void fetchJobs(`&robot=${encodeURIComponent(robot.name)}`).catch(() => {});
    return json<{ robots: RobotRow[] }>('GET', '/v1/robots', { quiet: true });
  }, 'differences');
  const [found, fault] = useLoaded(() => (other ? json<Robot>('GET', `/v1/robots/${encodeURIComponent(other)}`) : Promise.resolve(null)), other);
  const versions = [...new Map([...all.values()].filter((job) => job.robot === robot.name && job.robot_digest && job.robot_digest !== robot.digest).map((job) => [job.robot_digest!, job])).values()];
  const others = (list?.robots ?? []).filter((row) => row.name !== robot.name);
  // like robots first: as many freedoms
  others.sort((a, b) => Number(b.nv === robot.nv) - Number(a.nv === robot.nv) || (a.name < b.name ? -1 : 1));
  const angles = degrees.use();
  const result = useMemo(() => (found ? compare(found, robot) : null), [found, robot, angles]);
  const called = other.replace(/@(.{8}).*/, ' as of $1');
  const known = new Set(['', ...versions.map((job) => `${robot.name}@${job.robot_digest}`), ...others.map((row) => row.name)]);
  return html`<section class="panel" aria-label="Differences"><div class="panel-head"><h2>Against</h2>
      <select aria-label="Against which robot" value=${other} onChange=${(event: Event) => { const next = (event.target as HTMLSelectElement).value; choose(next); remember({ with: next }); }}><option value="">choose a robot or a version</option>
      ${!known.has(other) && html`<option value=${other}>${called}</option>`}
      ${versions.length > 0 && html`<optgroup label="Versions that jobs were made with">${versions.map((job) => html`<option value=${`${robot.name}@${job.robot_digest}`}>${`${job.kind} of ${new Date(job.created).toLocaleString()}`}</option>`)}</optgroup>`}
      <optgroup label="Robots">${others.map((row) => html`<option value=${row.name}>${row.name}</option>`)}</optgroup></select></div>
    <${Fault} fault=${fault} />
    ${!other && html`<p class="dim">What was changed since a run or a calibration, or how a calibrated robot differs from its model: masses, centres, inertias, places, limits, friction.</p>`}
    ${found && result && html`<ul class="reasons">${words(found, robot, called, robot.name).map((text) => html`<li>${text}</li>`)}</ul>
      ${result.changed.length > 0 && html`<h3>${result.changed.length} of ${result.count} numbers differ</h3><p class="dim">Inertias are about the centres of mass.</p><${Numbers} changed=${result.changed} before=${called} after=${robot.name} />`}`}</section>`;
}
