// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/scene/meshes.ts - what a URDF draws of its links: shapes by themselves, meshes where their files were dropped here.
import { Store } from '../base/store.ts';

export interface Visual {
  link: string;
  position: number[];
  rpy: number[];
  shape: { kind: 'box' | 'cylinder' | 'sphere'; size: number[] } | { kind: 'mesh'; file: string; scale: number[] };
}

const base = (path: string): string => (path.split(/[\\/]/).at(-1) ?? '').toLowerCase();

/** Dropped meshes by the name of their file; kept by this page alone, the service has no use for them. */
export const files = new Store<Map<string, ArrayBuffer>>(new Map());

export async function keepMeshes(dropped: File[]): Promise<number> {
  const own = dropped.filter((file) => /\.(stl|obj|dae)$/i.test(file.name));
  if (!own.length) return 0;
  const next = new Map(files.value);
  for (const file of own) next.set(base(file.name), await file.arrayBuffer());
  files.set(next);
  return own.length;
}

const numbers = (text: string | null | undefined, first: number[]): number[] => {
  const list = (text ?? '').trim().split(/\s+/).filter(Boolean).map(Number);
  return list.length && list.every(Number.isFinite) ? list : first;
};

/** The visuals of a URDF; none of other texts. */
export function visualsOf(text: string): Visual[] {
  if (!/<robot\b/.test(text) || text.length > 20_000_000) return [];
  const tree = new DOMParser().parseFromString(text, 'application/xml');
  if (tree.querySelector('parsererror')) return [];
  return [...tree.querySelectorAll('robot > link > visual')].flatMap<Visual>((visual) => {
    const link = visual.parentElement!.getAttribute('name') ?? '';
    const origin = visual.querySelector(':scope > origin');
    const found = { link, position: numbers(origin?.getAttribute('xyz'), [0, 0, 0]), rpy: numbers(origin?.getAttribute('rpy'), [0, 0, 0]) };
    const [geometry] = visual.querySelectorAll(':scope > geometry > *');
    if (!geometry) return [];
    const value = (name: string): number => Number(geometry.getAttribute(name)) || 0;
    if (geometry.tagName === 'box') return [{ ...found, shape: { kind: 'box', size: numbers(geometry.getAttribute('size'), [0, 0, 0]) } }];
    if (geometry.tagName === 'cylinder') return [{ ...found, shape: { kind: 'cylinder', size: [value('radius'), value('length')] } }];
    if (geometry.tagName === 'sphere') return [{ ...found, shape: { kind: 'sphere', size: [value('radius')] } }];
    if (geometry.tagName === 'mesh') return [{ ...found, shape: { kind: 'mesh', file: base(geometry.getAttribute('filename') ?? ''), scale: numbers(geometry.getAttribute('scale'), [1, 1, 1]) } }];
    return [];
  });
}

/** Names of the meshes that a robot draws and that were not dropped yet. */
export function missing(visuals: Visual[], have: Map<string, ArrayBuffer>): string[] {
  return [...new Set(visuals.flatMap((one) => (one.shape.kind === 'mesh' && !have.has(one.shape.file) ? [one.shape.file] : [])))];
}
