// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/robots/chosen.ts - the robot and the pose that a page is about, by its address; another one for the same page.
import { html, useMemo, useState, type VNode } from '../base/html.ts';
import { json, robotPath } from '../base/http.ts';
import { restored } from '../base/kept.ts';
import { useLoaded } from '../base/parts.ts';
import { start } from './pose.ts';
import { go, numbersOf, remember, route } from '../base/store.ts';
import type { Robot, RobotRow } from '../base/types.ts';

export function useRobot(name: string): [Robot | undefined, Error | null, () => void] {
  return useLoaded(() => json<Robot>('GET', robotPath(name)), `${name} ${restored.use()}`);
}

/** The pose in the address, where it is one of this robot. */
export function usePose(robot: Robot | undefined): [number[], (q: number[]) => void] {
  const [q, set] = useState<number[] | null>(() => numbersOf(route.value.query.get('q')));
  const first = useMemo(() => (robot ? start(robot) : []), [robot]);
  const now = robot && q?.length === robot.nq ? q : first;
  return [now, (next) => {
    set(next);
    remember({ q: next.map((value) => Number(value.toFixed(5))).join(',') });
  }];
}

/** Another robot for the same page. */
export function RobotPicker({ name, page }: { name: string; page: string }): VNode {
  const [list] = useLoaded(() => json<{ robots: RobotRow[] }>('GET', '/v1/robots', { quiet: true }), 'picker');
  const names = list?.robots.map((row) => row.name) ?? [];
  return html`<label class="inline picker">of<select value=${name} onChange=${(event: Event) => go(['robots', (event.target as HTMLSelectElement).value, page])}>
    ${(names.includes(name) ? names : [name, ...names]).map((one) => html`<option selected=${one === name}>${one}</option>`)}</select></label>`;
}
