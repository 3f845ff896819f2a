// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/simulation/contacts.ts - contact in a simulation: solids on links, a floor and obstacles, as they are set up and as a run has them.
import { html, type VNode } from '../base/html.ts';
import { json, robotPath } from '../base/http.ts';
import { FieldFault } from '../base/parts.ts';
import type { Frame, Robot, Solid } from '../base/types.ts';

export interface Contacts {
  friction: number;
  restitution: number;
  shapes: Solid[];
}

const SIZES: Record<Solid['shape'], { of: string[]; first: number[] }> = {
  sphere: { of: ['Radius'], first: [0.05] }, capsule: { of: ['Radius', 'Length'], first: [0.04, 0.2] }, box: { of: ['Length x', 'Length y', 'Length z'], first: [0.3, 0.3, 0.3] }, 'half-space': { of: [], first: [] }, hull: { of: [], first: [] },
};

/** v turned by the unit quaternion w x y z: v + 2 u x (u x v + w v). */
export function turned([w, x, y, z]: number[], v: number[]): number[] {
  const cross = (a: number[], b: number[]): number[] => [a[1]! * b[2]! - a[2]! * b[1]!, a[2]! * b[0]! - a[0]! * b[2]!, a[0]! * b[1]! - a[1]! * b[0]!];
  const u = [x!, y!, z!];
  const t = cross(u, v).map((one, k) => one + w! * v[k]!);
  return cross(u, t).map((one, k) => v[k]! + 2 * one);
}

/** The turn of z to a direction: the quaternion (1 + d_z, z x d) of unit length. */
function turnOfZ(d: number[]): number[] | undefined {
  if (d[2]! > 1 - 1e-9) return undefined;
  if (d[2]! < -1 + 1e-9) return [0, 1, 0, 0];
  const q = [1 + d[2]!, -d[1]!, d[0]!, 0];
  const size = Math.hypot(...q);
  return q.map((one) => Number((one / size).toFixed(9)));
}

const round = (value: number): number => Number(value.toFixed(4));

/** To begin with: a ball at each end of the robot, and a floor across gravity that none of them is in. */
export async function firstContacts(robot: Robot, q: number[]): Promise<Contacts> {
  const parents = new Set(robot.joints.map((joint) => joint.parent));
  const ends = robot.links.filter((link) => link.name !== robot.root && !parents.has(link.name)).slice(0, 8);
  const size = Math.hypot(...robot.gravity);
  const up = size > 0 ? robot.gravity.map((one) => -one / size) : [0, 0, 1];
  const { frames } = await json<{ frames: Frame[] }>('POST', robotPath(robot.name, 'kinematics'), { body: { q }, quiet: true });
  const shapes: Solid[] = ends.map((link) => ({ name: link.name, link: link.name, shape: 'sphere', size: [0.03], pose: { position: link.mass > 0 ? link.com.map(round) : [0, 0, 0] } }));
  const heights = shapes.map((one) => {
    const frame = frames.find((other) => other.link === one.link)!;
    const at = turned(frame.quaternion_wxyz as number[], one.pose!.position!).map((value, k) => value + (frame.position as number[])[k]!);
    return at.reduce((sum, value, k) => sum + value * up[k]!, 0) - 0.03;
  });
  const height = round(Math.min(0, ...heights) - (heights.some((one) => one < 0) ? 1e-3 : 0));
  const turn = turnOfZ(up);
  shapes.unshift({ name: 'floor', shape: 'half-space', pose: { position: up.map((one) => round(one * height)), ...(turn ? { quaternion_wxyz: turn } : {}) } });
  return { friction: 0.7, restitution: 0, shapes };
}

interface Props {
  robot: Robot;
  contacts: Contacts | null;
  oncontacts: (next: Contacts | null) => void;
  onbegin: () => void;
  fault: Error | null;
}

export function ContactPanel({ robot, contacts, oncontacts, onbegin, fault }: Props): VNode {
  const of = (event: Event): string => (event.target as HTMLInputElement).value;
  const change = (k: number, part: Partial<Solid>): void => oncontacts({ ...contacts!, shapes: contacts!.shapes.map((one, i) => (i === k ? { ...one, ...part } : one)) });
  const add = (solid: Solid): void => {
    const names = new Set(contacts!.shapes.map((one) => one.name));
    let name = solid.name;
    for (let k = 2; names.has(name); k++) name = `${solid.name} ${k}`;
    oncontacts({ ...contacts!, shapes: [...contacts!.shapes, { ...solid, name }] });
  };
  const field = (label: string, value: number, set: (value: number) => void, unit = 'm', least: number | undefined = undefined): VNode => html`<label>${label}<span class="with-unit"><input type="number" step="any" min=${least} value=${value} onInput=${(event: Event) => set(Number(of(event)))} />${unit && html`<span class="unit">${unit}</span>`}</span></label>`;
  const one = (solid: Solid, k: number): VNode => {
    const position = solid.pose?.position ?? [0, 0, 0];
    const sizes = SIZES[solid.shape];
    return html`<details class="solid"><summary>${solid.name} <span class="dim">${solid.shape}${solid.link ? ` on ${solid.link}` : ' in the world'}</span></summary><div class="fields">
      <label>Name<input value=${solid.name} onChange=${(event: Event) => change(k, { name: of(event).trim() || solid.name })} /></label>
      <label>On<select value=${solid.link ?? ''} onChange=${(event: Event) => change(k, { link: of(event) || undefined })}><option value="">the world</option>${robot.links.map((link) => html`<option value=${link.name}>${link.name}</option>`)}</select></label>
      <label>Shape<select value=${solid.shape} onChange=${(event: Event) => { const shape = of(event) as Solid['shape']; change(k, { shape, size: SIZES[shape].first.length ? SIZES[shape].first : undefined, points: undefined }); }}>${Object.keys(SIZES).filter((shape) => shape !== 'hull' || solid.points).map((shape) => html`<option>${shape}</option>`)}</select></label>
      ${sizes.of.map((label, i) => field(label, solid.size?.[i] ?? 0, (value) => change(k, { size: sizes.first.map((first, j) => (j === i ? value : solid.size?.[j] ?? first)) }), 'm', 0))}
      ${['x', 'y', 'z'].map((axis, i) => field(`At ${axis}`, position[i]!, (value) => change(k, { pose: { ...solid.pose, position: position.map((old, j) => (j === i ? value : old)) } })))}</div>
      <button type="button" class="small" onClick=${() => oncontacts({ ...contacts!, shapes: contacts!.shapes.filter((_, i) => i !== k) })}>Remove ${solid.name}</button>
      <${FieldFault} fault=${fault} pointers=${[`/contacts/shapes/${k}`]} /></details>`;
  };
  return html`<section class="panel form" aria-label="Contact"><h2>Contact</h2>
    <label class="check"><input type="checkbox" checked=${contacts !== null} onChange=${(event: Event) => ((event.target as HTMLInputElement).checked ? onbegin() : oncontacts(null))} />Solids touch each other and the floor</label>
    ${contacts && html`<div class="fields">${field('Friction', contacts.friction, (friction) => oncontacts({ ...contacts, friction }), '', 0)}${field('Restitution', contacts.restitution, (restitution) => oncontacts({ ...contacts, restitution }), '', 0)}</div>
      <${FieldFault} fault=${fault} pointers=${['/contacts/friction', '/contacts/restitution', '/contacts/pairs']} />
      <div class="solids">${contacts.shapes.map(one)}</div>
      <div class="row tight"><button type="button" class="small" onClick=${() => add({ name: 'body', link: robot.links.at(-1)!.name, shape: 'sphere', size: [0.05] })}>Add a body</button>
        <button type="button" class="small" onClick=${() => add({ name: 'obstacle', shape: 'sphere', size: [0.1], pose: { position: [0.5, 0, 0.3] } })}>Add an obstacle</button></div>
      <p class="dim">All pairs touch, those with edges at up to eight points.</p>`}</section>`;
}
