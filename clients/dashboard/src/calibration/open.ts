// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/calibration/open.ts - what a calibration's logs say nothing of, joint by joint, and the motion that would show it.
import { html, type VNode } from '../base/html.ts';
import { address } from '../base/store.ts';
import type { Joint, Robot } from '../base/types.ts';

interface Parameter {
  name: string;
  kind: string;
  joint?: string;
  link?: string;
  verdict: string;
}

export interface Open {
  combination?: string;
  deviation?: number | null;
  terms?: { name: string; factor: number }[];
}

// of a parameter's square in all open combinations together, which are orthogonal and of length 1
const SHARE = 0.1;
const WORDS: Record<string, string> = { rotor: 'rotor inertia', viscous: 'viscous friction', coulomb: 'Coulomb friction', offset: 'offset of its torque', stiffness: 'stiffness', mass: 'mass', moment: 'centre of mass', inertia: 'inertia', stribeck: 'friction near rest', load: 'friction under load' };
/** How a joint must move, by the kind of what its torque has of it. */
const MOTIONS: [RegExp, string][] = [
  [/rotor|^inertia/, 'speed up and brake hard'],
  [/viscous/, 'run at slow and at fast speeds'],
  [/stribeck/, 'creep as well as run'],
  [/coulomb|offset/, 'turn back often, beyond a crawl both ways'],
  [/stiffness|gravity|cos|sin/, 'reach both ends of its range'],
  [/load/, 'carry its load in stretched and in folded poses'],
];
const EXCITED = ['rotor', 'viscous', 'coulomb', 'offset', 'stiffness']; // kinds that `excitation` designs for, beside each link's

export interface Row {
  joint: string;
  link: boolean; // parameters of the link that it moves
  kinds: string[];
  names: string[];
}

/** The joint that moves a link: its own, or the next one towards the base that moves. */
function mover(robot: Robot, link: string): string | undefined {
  let joint: Joint | undefined = robot.joints.find((one) => one.child === link);
  for (let k = 0; joint?.kind === 'fixed' && k < robot.joints.length; k++) joint = robot.joints.find((one) => one.child === joint!.parent);
  return joint?.name;
}

export function openRows(parameters: Parameter[], open: Open[], robot: Robot): Row[] {
  const share = new Map<string, number>();
  for (const { name, factor } of open.flatMap((one) => one.terms ?? [])) share.set(name, (share.get(name) ?? 0) + factor * factor);
  const rows = new Map<string, Row>();
  for (const one of parameters.filter(({ name, verdict }) => verdict === 'unidentifiable' || (share.get(name) ?? 0) >= SHARE)) {
    const joint = one.joint ?? mover(robot, one.link ?? '') ?? one.link ?? '';
    const key = `${joint}${one.link ? ' link' : ''}`;
    const row = rows.get(key) ?? rows.set(key, { joint, link: Boolean(one.link), kinds: [], names: [] }).get(key)!;
    if (!row.kinds.includes(one.kind)) row.kinds.push(one.kind);
    row.names.push(one.name);
  }
  const place = (row: Row): number => robot.joints.findIndex((one) => one.name === row.joint);
  return [...rows.values()].sort((a, b) => place(a) - place(b));
}

export function motionOf(row: Row): string {
  const has = (kind: string): boolean => row.kinds.includes(kind);
  if (row.link) {
    return [(has('mass') || has('moment')) && 'turn it, and the joints before it, through poses in which gravity pulls on the link from other sides', has('inertia') && 'swing it fast together with the joints before it'].filter(Boolean).join('; ');
  }
  return MOTIONS.filter(([kinds]) => row.kinds.some((kind) => kinds.test(kind))).map(([, text]) => text).join('; ');
}

export function NotIdentified({ parameters, open, robot }: { parameters: Parameter[]; open: Open[]; robot: Robot }): VNode {
  const rows = openRows(parameters, open, robot);
  const shows = EXCITED.filter((kind) => parameters.some((one) => one.kind === kind));
  const move = [...new Set(rows.map((row) => row.joint))];
  return html`<section class="panel" aria-label="Not identified"><div class="panel-head"><h2>What these logs say nothing of</h2>
      <a class="button small" href=${address(['robots', robot.name, 'calibrate'], { design: '1', shows: shows.join('\n'), move: move.join('\n') })}>Design a motion that shows it</a></div>
    <div class="scroll" tabindex="0" role="region" aria-label="Table of what is open"><table><thead><tr><th scope="col">Joint</th><th scope="col">What is open</th><th scope="col">Motion that shows it</th></tr></thead>
      <tbody>${rows.map((row) => html`<tr><th scope="row">${row.joint}</th><td>${row.link ? 'of the link that it moves: ' : ''}${row.kinds.map((kind) => WORDS[kind] ?? kind.replace('-', ' ')).join(', ')} <span class="dim">${row.names.join(', ')}</span></td><td>${motionOf(row)}</td></tr>`)}</tbody></table></div>
    <details><summary>${open.length === 1 ? 'The combination' : `The ${open.length} combinations`} of parameters that may have any value</summary><ul class="reasons">${open.slice(0, 20).map((one) => html`<li><code>${one.combination}</code></li>`)}</ul></details></section>`;
}
