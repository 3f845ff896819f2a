// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/robots/held.ts - the load that a robot holds: by sliders, in requests, in the address.
import { html, type VNode } from '../base/html.ts';
import { FieldFault } from '../base/parts.ts';
import { numbersOf, remember } from '../base/store.ts';
import { SliderRow } from './sliders.ts';
import type { Robot } from '../base/types.ts';

export interface Payload {
  link: string;
  mass: number;
  com: [number, number, number];
}

/** The link that tools are bolted to: at the end of the longest chain. */
export function endOf(robot: Robot): string {
  let best = robot.root;
  let most = -1;
  const depth = new Map([[robot.root, 0]]);
  for (let pass = 0; pass < robot.joints.length; pass++) {
    for (const joint of robot.joints) {
      const d = depth.get(joint.parent);
      if (d === undefined || depth.has(joint.child)) continue;
      depth.set(joint.child, d + 1);
      if (d + 1 > most) [best, most] = [joint.child, d + 1];
    }
  }
  return best;
}

export function PayloadPanel({ robot, payload, onpayload, fault }: { robot: Robot; payload: Payload; onpayload: (next: Payload) => void; fault?: Error | null }): VNode {
  const heaviest = Math.max(5, robot.links.reduce((sum, link) => sum + link.mass, 0));
  return html`<section class="panel sliders" aria-label="Payload"><div class="panel-head"><h2>Payload</h2>
      <label class="inline">on<select value=${payload.link} onChange=${(event: Event) => onpayload({ ...payload, link: (event.target as HTMLSelectElement).value })}>${robot.links.map((link) => html`<option>${link.name}</option>`)}</select></label></div>
    <${SliderRow} name="mass" value=${payload.mass} range=${[0, heaviest]} unit=${{ name: 'kg', factor: 1 }} onvalue=${(mass: number) => onpayload({ ...payload, mass: Math.max(0, mass) })} />
    ${payload.mass > 0 && ['x', 'y', 'z'].map((word, k) => html`<${SliderRow} name=${`centre of mass ${word}, in the axes of the link`} value=${payload.com[k]!} range=${[-0.3, 0.3]} unit=${{ name: 'm', factor: 1 }}
      onvalue=${(value: number) => onpayload({ ...payload, com: payload.com.map((old, i) => (i === k ? value : old)) as Payload['com'] })} />`)}
    <${FieldFault} fault=${fault ?? null} pointers=${['/payload']} /></section>`;
}

export const payloadOf = (payload: Payload): object => (payload.mass > 0 ? { payload: { link: payload.link, mass: payload.mass, com: payload.com } } : {});

const triple = (list: number[] | null): [number, number, number] => (list?.length === 3 ? (list as [number, number, number]) : [0, 0, 0]);

/** What the address says of the load. */
export const payloadIn = (query: URLSearchParams, robot: Robot): Payload => ({ link: robot.links.some((link) => link.name === query.get('on')) ? query.get('on')! : endOf(robot),
  mass: Math.max(0, Number(query.get('payload')) || 0), com: triple(numbersOf(query.get('com'))) });
export const rememberPayload = (payload: Payload, robot: Robot): void => remember({ payload: payload.mass ? String(payload.mass) : '', on: payload.mass && payload.link !== endOf(robot) ? payload.link : '', com: payload.mass && payload.com.some(Boolean) ? payload.com.join(',') : '' });
