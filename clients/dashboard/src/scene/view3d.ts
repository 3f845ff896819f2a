// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/scene/view3d.ts - the 3D view as a part of a page; its code is loaded when a robot is first shown.
import { texts } from '../base/kept.ts';
import { html, useEffect, useMemo, useRef, useState, type VNode } from '../base/html.ts';
import { back, json, latest, Problem, robotPath } from '../base/http.ts';
import { files, missing, visualsOf, keepMeshes } from './meshes.ts';
import { Choice } from '../base/parts.ts';
import { Store, isDark, scheme } from '../base/store.ts';
import type { Arrow, Poses, RobotScene, Shown } from './scene.ts';
import type { Frame, Robot, Solid } from '../base/types.ts';

export function posesOf(frames: Frame[], sample = -1): Poses {
  const pick = (list: number[] | number[][]): number[] => (sample < 0 ? list : list[sample]) as number[];
  return new Map(frames.map((frame) => [frame.link, { position: pick(frame.position), quaternion: pick(frame.quaternion_wxyz) }]));
}

const SHOWN: Shown = { bodies: 'box', frames: false, coms: false, limits: false };
export const shown = new Store<Shown>(SHOWN);

interface Props {
  robot: Robot;
  q: number[];
  poses?: Poses; // where the caller has them: of a played motion
  arrows?: Arrow[];
  solids?: Solid[]; // that touch
  selected?: string;
  onselect?: (link: string) => void;
}

/** Poses are the daemon's, by `kinematics`; while the sliders move only the last ones are asked for. */
export function View3d({ robot, q, poses, arrows, solids, selected, onselect }: Props): VNode {
  const canvas = useRef<HTMLCanvasElement>(null);
  const scene = useRef<RobotScene | null>(null);
  const drawn = useRef(0); // arrows
  const [ready, set] = useState<'loading' | 'ready' | 'none' | 'refused'>('loading');
  const [turn, again] = useState(0);
  const state = shown.use();
  const light = scheme.use();
  const meshes = files.use();
  const visuals = useMemo(() => visualsOf(texts.get(robot.digest)?.text ?? ''), [robot.digest]);
  const absent = missing(visuals, meshes);
  useEffect(() => {
    if (ready === 'ready' && visuals.length) scene.current?.setVisuals(visuals, meshes, shown.value);
  }, [ready, visuals, meshes]);
  const first = useRef<number[] | null>(null); // the pose that it is made with
  const ask = useRef<((q: number[]) => void) | null>(null);
  useEffect(() => {
    let live = true;
    set('loading');
    const watcher = new ResizeObserver(() => scene.current?.resize());
    (async () => {
      first.current = q;
      const [{ RobotScene }, got] = await Promise.all([import('./scene.ts'),
        poses ? Promise.resolve(null) : json<{ frames: Frame[] }>('POST', robotPath(robot.name, 'kinematics'), { body: { q }, quiet: true })]);
      if (!live || !canvas.current) return;
      const made = new RobotScene(canvas.current);
      scene.current = made;
      made.setTheme(isDark());
      made.setRobot(robot, poses ?? posesOf(got!.frames), shown.value);
      made.setPoses(poses ?? posesOf(got!.frames), q);
      watcher.observe(canvas.current);
      ask.current = latest((next: number[]) => json<{ frames: Frame[] }>('POST', robotPath(robot.name, 'kinematics'), { body: { q: next }, quiet: true }),
        (answer, next) => scene.current?.setPoses(posesOf(answer.frames), next), () => {});
      set('ready');
    })().catch((fault) => live && set(fault instanceof Problem ? 'refused' : 'none'));
    return () => {
      live = false;
      watcher.disconnect();
      scene.current?.dispose();
      scene.current = null;
    };
    // a canvas of its own for each: the context of the one before is lost on purpose, and a canvas has one
  }, [robot.digest, turn]);
  // without the poses of its beginning nothing is drawn: once more when the service is back
  useEffect(() => back.follow(() => { if (ready === 'refused') again((n) => n + 1); }), [ready]);
  useEffect(() => {
    if (poses) scene.current?.setPoses(poses, q);
    else if (ready === 'ready' && q !== first.current) ask.current?.(q);
    if (ready === 'ready') first.current = null;
  }, [q, poses, ready]);
  useEffect(() => scene.current?.setShown(state), [state, ready]);
  useEffect(() => { if (arrows?.length || drawn.current) scene.current?.setArrows(arrows ?? []); drawn.current = arrows?.length ?? 0; }, [arrows, ready, q]);
  const solid = useRef(0);
  useEffect(() => { if (solids?.length || solid.current) scene.current?.setSolids(solids ?? []); solid.current = solids?.length ?? 0; }, [solids, ready]);
  useEffect(() => scene.current?.setTheme(isDark()), [light, ready]);
  useEffect(() => {
    if (scene.current) scene.current.onselect = onselect ?? (() => {});
    scene.current?.select(selected ?? '');
  }, [selected, onselect, ready]);
  const toggle = (key: 'frames' | 'coms' | 'limits', text: string): VNode => html`<button aria-pressed=${state[key]}
    onClick=${() => shown.set({ ...state, [key]: !state[key] })}>${text}</button>`;
  return html`<div class="view3d" data-state=${ready} onDragOver=${(event: DragEvent) => event.preventDefault()}
    onDrop=${(event: DragEvent) => { event.preventDefault(); void keepMeshes([...(event.dataTransfer?.files ?? [])]).then((n) => n && shown.set({ ...shown.value, bodies: 'shape' })); }}>
    <canvas key=${`${robot.digest} ${turn}`} ref=${canvas} tabindex="0" role="img" aria-label=${`${robot.name} in 3D: arrow keys turn, plus and minus zoom, 0 shows all`}></canvas>
    ${ready === 'refused' && html`<p class="over">The service did not say where the links are; the picture comes when it does.</p>`}
    ${ready === 'none' && html`<p class="over">This browser draws no WebGL; everything else works.</p>`}
    ${state.bodies === 'shape' && absent.length > 0 && html`<p class="missing">${absent.length} ${absent.length === 1 ? 'mesh is' : 'meshes are'} not here: drop ${absent.slice(0, 4).join(', ')}${absent.length > 4 ? '\u2026' : ''} on the picture${absent.some((name) => !/\.(stl|obj|dae)$/.test(name)) ? '; STL, OBJ and Collada are drawn' : ''}.</p>`}
    <div class="view-tools">
      <${Choice} label="Bodies drawn from inertias" value=${state.bodies} options=${[['box', 'Boxes'], ['ellipsoid', 'Ellipsoids'], ['none', 'Bones'], ...(visuals.length ? [['shape', 'Shapes']] : [])]}
        onpick=${(bodies: string) => shown.set({ ...state, bodies: bodies as Shown['bodies'] })} />
      <div class="choice" role="group" aria-label="Also shown">${toggle('frames', 'Frames')}${toggle('coms', 'Masses')}${toggle('limits', 'Limits')}
        <button onClick=${() => scene.current?.frame()} title="Show all (0)">Reset</button></div>
    </div>
  </div>`;
}
