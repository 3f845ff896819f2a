// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/frame/pages.ts - which page an address shows. The list of robots is here at once; the others are loaded when one is first shown.
import { html, type VNode } from '../base/html.ts';
import { answers, AWAY, away, Problem } from '../base/http.ts';
import { Fault, useLoaded } from '../base/parts.ts';
import { RobotsPage } from '../robots/robots.ts';

type Component = (props: never) => VNode | null;
type Module = Record<string, Component>;

class Part {
  here: Module | null = null;
  constructor(private fetched: () => Promise<unknown>) {}
  load = async (): Promise<Module> => {
    try {
      return (this.here ??= (await this.fetched()) as Module);
    } catch {
      if (await answers()) throw new Error('A part of this page could not be read: the service may have another version by now. Load the page again.');
      void away(); // counts `back` up when the service answers, which asks for this anew
      throw new Problem(AWAY);
    }
  };
}

const robot = new Part(() => import('../robots/robot.ts'));
const work = new Part(() => import('./work.ts'));

interface Shown {
  part?: Part; // absent: the list of robots
  page: string;
  props: Record<string, string>;
}

export function shownAt([first = 'robots', name, page]: string[]): Shown {
  const of = (part: Part, component: string, props: Record<string, string> = {}): Shown => ({ part, page: component, props });
  if (first === 'robots' && name && page === 'torque') return of(work, 'TorquePage', { name });
  if (first === 'robots' && name && page === 'simulate') return of(work, 'SimulatePage', { name });
  if (first === 'robots' && name && page === 'calibrate') return of(work, 'CalibratePage', { name });
  if (first === 'robots' && name) return of(robot, 'RobotPage', { name });
  if (first === 'datasets') return name ? of(work, 'DatasetPage', { name }) : of(work, 'DatasetsPage');
  if (first === 'sessions') return name ? of(work, 'SessionPage', { id: name }) : of(work, 'SessionsPage');
  if (first === 'jobs') return name ? of(work, 'JobPage', { id: name }) : of(work, 'JobsPage');
  if (first === 'service') return of(work, 'ServicePage');
  return { page: 'RobotsPage', props: {} };
}

function Later({ part, page, props }: { part: Part; page: string; props: Record<string, string> }): VNode {
  const [, fault] = useLoaded(part.load, part);
  if (part.here) return html`<${part.here[page]} key=${Object.values(props)[0] ?? ''} ...${props} />`;
  return html`<div class="page"><${Fault} fault=${fault} /></div>`;
}

export function Page({ parts }: { parts: string[] }): VNode {
  const { part, page, props } = shownAt(parts);
  return part ? html`<${Later} key=${page} part=${part} page=${page} props=${props} />` : html`<${RobotsPage} />`;
}

/** What the pages not yet shown need, when the first one has long been there: no wait at the next, and none is missing when the service is away. */
export function loadRest(): void {
  const rest = (): void => void Promise.all([robot.load(), work.load(), import('./commands.ts')]).catch(() => {});
  setTimeout(() => ('requestIdleCallback' in globalThis ? requestIdleCallback(rest) : rest()), 3000);
}
