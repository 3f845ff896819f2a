// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/robots/robot.ts - one robot: its tree, its picture, its pose; what was read of its text.
import { put, texts } from '../base/kept.ts';
import { html, useMemo, useState, type VNode } from '../base/html.ts';
import { json, robotPath } from '../base/http.ts';
import { ChangePanel } from './change.ts';
import { effortUnit, motionUnit, number, slides } from '../base/format.ts';
import { Differences } from './differences.ts';
import { Choice, Fault, useLoaded } from '../base/parts.ts';
import { usePose, useRobot } from './chosen.ts';
import { PoseSliders } from './sliders.ts';
import { saidOf, SourceView } from './source.ts';
export { DhTable } from './table.ts';
import { address, degrees, remember, route } from '../base/store.ts';
import { View3d } from '../scene/view3d.ts';
import type { Joint, Link, Robot, RobotRow } from '../base/types.ts';

interface TreeProps {
  robot: Robot;
  selected: string;
  onselect: (link: string) => void;
}

function Tree({ robot, selected, onselect }: TreeProps): VNode {
  const children = useMemo(() => {
    const map = new Map<string, Joint[]>();
    for (const joint of robot.joints) map.set(joint.parent, [...(map.get(joint.parent) ?? []), joint]);
    return map;
  }, [robot]);
  const masses = useMemo(() => new Map(robot.links.map((link) => [link.name, link.mass])), [robot]);
  const rows: VNode[] = [];
  const add = (link: string, joint: Joint | null, depth: number): void => {
    rows.push(html`<li style=${{ '--depth': Math.min(depth, 14) }}><button aria-pressed=${link === selected} onClick=${() => onselect(link === selected ? '' : link)}>
      ${joint && html`<span class=${`kind ${joint.kind}`} title=${joint.kind}>${joint.name}</span>`}<span class="link">${link}</span>
      ${(masses.get(link) ?? 0) > 0 && html`<span class="dim">${number(masses.get(link), 3)} kg</span>`}</button></li>`);
    for (const next of children.get(link) ?? []) add(next.child, next, depth + (children.get(link)!.length > 1 ? 1 : 0));
  };
  add(robot.root, null, 0);
  return html`<section class="panel tree" aria-label="Joints and links"><div class="panel-head"><h2>Tree</h2>
    <span class="dim">${robot.links.length} links, ${number(robot.links.reduce((sum, link) => sum + link.mass, 0), 4)} kg</span></div><ol>${rows}</ol></section>`;
}

const triple = (list: number[] | undefined): string => (list ?? [0, 0, 0]).map((one) => number(one, 4)).join(', ');

function Details({ link, joint }: { link: Link; joint: Joint | undefined }): VNode {
  const unit = motionUnit(joint, 0);
  const rate = motionUnit(joint, 1);
  const effort = effortUnit(joint);
  const { lower, upper, velocity, effort: most } = joint?.limits ?? {};
  const row = (name: string, value: unknown): VNode => html`<tr><th scope="row">${name}</th><td>${value}</td></tr>`;
  return html`<section class="panel details" aria-label=${`Details of ${link.name}`}><div class="panel-head"><h2>${link.name}</h2></div>
    <table class="facts"><tbody>
      ${row('Mass', `${number(link.mass)} kg`)}
      ${row('Centre of mass', `${triple(link.com)} m`)}
      ${row(`Inertia about the ${link.inertia_about === 'com' ? 'centre of mass' : 'origin'}`, html`<span class="matrix">${link.inertia.map((line) => html`<span>${line.map((one) => html`<span>${number(one, 4)}</span>`)}</span>`)}</span> kg\u00b7m\u00b2`)}
      ${joint && html`${row('Joint', `${joint.name} (${joint.kind}) on ${joint.parent}`)}
        ${row('At', `${triple(joint.origin.position)} m`)}${joint.axis && row('Axis', triple(joint.axis))}
        ${joint.kind !== 'fixed' && row('Limits', lower === undefined && upper === undefined ? 'none' : `${number((lower ?? -Infinity) * unit.factor)} to ${number((upper ?? Infinity) * unit.factor)} ${unit.name}`)}
        ${velocity !== undefined && row('Largest speed', `${number(velocity * rate.factor)} ${rate.name}`)}
        ${most !== undefined && row('Largest effort', `${number(most)} ${effort}`)}
        ${joint.damping ? row('Viscous friction', `${number(joint.damping)} ${slides(joint) ? 'N\u00b7s/m' : 'N\u00b7m\u00b7s/rad'}`) : null}
        ${joint.friction?.coulomb ? row('Coulomb friction', `${number(joint.friction.coulomb)} ${effort}`) : null}`}
    </tbody></table></section>`;
}

function ReadReport({ robot, again }: { robot: Robot; again: () => void }): VNode {
  const kept = texts.get(robot.digest);
  const [fault, set] = useState<Error | null>(null);
  const [busy, work] = useState(false);
  const [text, fetched] = useLoaded(async () => kept?.text ?? JSON.stringify(await json<unknown>('GET', robotPath(robot.name), { quiet: true }), null, 2), robot.digest);
  const again1 = async (next: string): Promise<void> => {
    work(true);
    try {
      await put(robot.name, next);
      set(null);
      again();
    } catch (wrong) {
      set(wrong as Error);
    }
    work(false);
  };
  const said = useMemo(() => saidOf(text ?? '', kept?.report ?? null, fault), [text, kept, fault]);
  return html`<section class="panel" aria-label="Text"><div class="panel-head"><h2>${kept ? 'What was read' : 'As the service has it'}</h2></div>
    ${kept?.report && html`<p class="understood">Understood: ${kept.report.understood.map((one) => `${one.count} ${one.count === 1 ? one.text.replace(/([a-z]{3,})s(?=$| with)/, '$1') : one.text}`).join(', ')}.</p>`}
    <${Fault} fault=${fetched} />
    ${text !== undefined && (kept || fault ? html`<${SourceView} text=${text} said=${said} busy=${busy} onput=${again1} />`
      : html`<${SourceView} text=${text} said=${[]} busy=${busy} onput=${again1} />`)}</section>`;
}

export function RobotPage({ name }: { name: string }): VNode {
  const [robot, fault, again] = useRobot(name);
  const [q, setQ] = usePose(robot);
  const [selected, select] = useState(route.value.query.get('link') ?? '');
  const [tab, show] = useState(route.value.query.get('show') ?? 'pose');
  const [list] = useLoaded(() => json<{ robots: RobotRow[] }>('GET', '/v1/robots', { quiet: true }), name);
  const builtin = list?.robots.find((row) => row.name === name)?.builtin ?? true;
  degrees.use();
  if (fault) return html`<div class="page"><h1>${name}</h1><${Fault} fault=${fault} /></div>`;
  if (!robot) return html`<div class="page"><h1>${name}</h1><p class="dim">Reading\u2026</p></div>`;
  const pick = (link: string): void => {
    select(link);
    remember({ link });
  };
  const link = robot.links.find((one) => one.name === selected);
  const joint = robot.joints.find((one) => one.child === selected);
  return html`<div class="page workbench">
    <div class="title"><h1>${robot.name}</h1><span class="dim">${robot.nv} ${robot.nv === 1 ? 'degree' : 'degrees'} of freedom${robot.dof !== undefined && robot.dof !== robot.nv ? ` (${robot.dof} left by constraints)` : ''} \u00b7 ${robot.source}</span>
      <${Choice} label="Beside the picture" value=${tab} options=${[['pose', 'Pose'], ['text', 'Text'], ['change', 'Change'], ['differences', 'Differences']]} onpick=${(key: string) => { show(key); remember({ show: key === 'pose' ? '' : key, ...(key === 'differences' ? {} : { with: '' }) }); }} /></div>
    <nav class="onward" aria-label="With this robot"><a href=${address(['robots', robot.name, 'torque'], { q: q.some(Boolean) ? q.join(',') : '' })}>Torques \u2192</a><a href=${address(['robots', robot.name, 'simulate'], { q: q.some(Boolean) ? q.join(',') : '' })}>Simulation \u2192</a><a href=${address(['robots', robot.name, 'calibrate'])}>Calibration \u2192</a></nav>
    ${robot.description && html`<p class="description">${robot.description}</p>`}
    <div class=${`bench ${tab === 'pose' ? 'pose' : 'text'}`}>
      <${Tree} robot=${robot} selected=${selected} onselect=${pick} />
      <div class="stage"><${View3d} robot=${robot} q=${q} selected=${selected} onselect=${pick} />${link && html`<${Details} link=${link} joint=${joint} />`}</div>
      ${tab === 'text' ? html`<${ReadReport} key=${robot.digest} robot=${robot} again=${again} />` : tab === 'differences' ? html`<${Differences} robot=${robot} />` : tab === 'change' ? html`<${ChangePanel} key=${robot.digest} robot=${robot} builtin=${builtin} selected=${selected} onstored=${again} />` : html`<${PoseSliders} robot=${robot} q=${q} onq=${setQ} selected=${selected} />`}
    </div>
  </div>`;
}
