// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/scene/shapes.ts - triangles of mesh files: STL, Wavefront OBJ, Collada. Colours and textures are not drawn.
import { BufferAttribute, BufferGeometry, Matrix4, Vector3 } from 'three';
import { STLLoader } from 'three/addons/loaders/STLLoader.js';

/** Of corners of triangles, three numbers each. */
export function geometryOf(points: number[]): BufferGeometry {
  const made = new BufferGeometry();
  made.setAttribute('position', new BufferAttribute(new Float32Array(points), 3));
  made.computeVertexNormals();
  return made;
}

/** A polygon as a fan around its first corner. */
function fan(corners: number[], each: (corner: number) => void): void {
  for (let k = 2; k < corners.length; k++) for (const corner of [corners[0]!, corners[k - 1]!, corners[k]!]) each(corner);
}

/** Faces of a Wavefront file; a negative number counts from the last vertex back. */
function obj(text: string): BufferGeometry {
  const vertices: number[][] = [];
  const points: number[] = [];
  for (const line of text.split('\n')) {
    const [word, ...rest] = line.trim().split(/\s+/);
    if (word === 'v') vertices.push(rest.slice(0, 3).map(Number));
    else if (word === 'f') fan(rest.map((one) => { const k = parseInt(one, 10); return k < 0 ? vertices.length + k : k - 1; }), (k) => points.push(...(vertices[k] ?? [0, 0, 0])));
  }
  return geometryOf(points);
}

const numbers = (element: Element | null | undefined): number[] => (element?.textContent ?? '').trim().split(/\s+/).filter(Boolean).map(Number);
const child = (element: Element, name: string): Element[] => [...element.children].filter((one) => one.localName === name);
const target = (tree: Document, url: string | null): Element | null => [...tree.querySelectorAll(`[id]`)].find((one) => `#${one.id}` === url) ?? null;

/** Triangles of one `geometry`, in its own axes. */
function polygons(tree: Document, mesh: Element, into: (corner: [number, number, number]) => void): void {
  for (const part of mesh.querySelectorAll('triangles, polylist, polygons')) {
    const inputs = child(part, 'input');
    const vertex = inputs.find((one) => one.getAttribute('semantic') === 'VERTEX');
    const vertices = vertex && target(tree, vertex.getAttribute('source'));
    const source = vertices && target(tree, child(vertices, 'input').find((one) => one.getAttribute('semantic') === 'POSITION')?.getAttribute('source') ?? null);
    if (!source) continue;
    const values = numbers(source.querySelector('float_array'));
    const stride = Number(source.querySelector('accessor')?.getAttribute('stride') ?? 3) || 3;
    const step = 1 + Math.max(...inputs.map((one) => Number(one.getAttribute('offset') ?? 0)));
    const offset = Number(vertex.getAttribute('offset') ?? 0);
    const put = (k: number): void => into([values[k * stride] ?? 0, values[k * stride + 1] ?? 0, values[k * stride + 2] ?? 0]);
    const counts = numbers(child(part, 'vcount')[0]);
    for (const list of child(part, 'p')) {
      const corners = numbers(list).filter((_, k) => k % step === offset);
      let at = 0;
      const sizes = part.localName === 'triangles' ? new Array<number>(Math.floor(corners.length / 3)).fill(3) : part.localName === 'polygons' ? [corners.length] : counts;
      for (const size of sizes) {
        fan(corners.slice(at, at + size), put);
        at += size;
      }
    }
  }
}

/** A node's matrix: its transforms in the order in which they stand. */
function transform(node: Element): Matrix4 {
  const made = new Matrix4();
  for (const one of node.children) {
    const v = numbers(one);
    if (one.localName === 'matrix' && v.length === 16) made.multiply(new Matrix4().set(...(v as Parameters<Matrix4['set']>)));
    else if (one.localName === 'translate') made.multiply(new Matrix4().makeTranslation(v[0]!, v[1]!, v[2]!));
    else if (one.localName === 'scale') made.multiply(new Matrix4().makeScale(v[0]!, v[1]!, v[2]!));
    else if (one.localName === 'rotate') made.multiply(new Matrix4().makeRotationAxis(new Vector3(v[0], v[1], v[2]).normalize(), (v[3]! * Math.PI) / 180));
  }
  return made;
}

/** All meshes of the scene of a Collada file, in m; axes as URDF's readers take them: those of the file, whatever its up_axis. */
function collada(text: string): BufferGeometry {
  const tree = new DOMParser().parseFromString(text, 'application/xml');
  if (tree.querySelector('parsererror')) throw new Error('no Collada file');
  const metre = Number(tree.querySelector('asset > unit')?.getAttribute('meter') ?? 1) || 1;
  const points: number[] = [];
  const put = (url: string | null, matrix: Matrix4): void => {
    const mesh = target(tree, url);
    if (mesh) polygons(tree, mesh, (corner) => points.push(...new Vector3(...corner).applyMatrix4(matrix).toArray()));
  };
  const walk = (node: Element, above: Matrix4, depth: number): void => {
    const matrix = above.clone().multiply(transform(node));
    for (const one of child(node, 'instance_geometry')) put(one.getAttribute('url'), matrix);
    if (depth < 64) for (const one of child(node, 'node')) walk(one, matrix, depth + 1);
  };
  const scale = new Matrix4().makeScale(metre, metre, metre);
  const scene = tree.querySelector('visual_scene');
  if (scene) for (const node of child(scene, 'node')) walk(node, scale, 0);
  else for (const one of tree.querySelectorAll('geometry')) put(`#${one.id}`, scale);
  return geometryOf(points);
}

/** Throws where the bytes are not what the file's name says. */
export function meshOf(file: string, bytes: ArrayBuffer): BufferGeometry {
  const text = (): string => new TextDecoder().decode(bytes);
  const made = file.endsWith('.obj') ? obj(text()) : file.endsWith('.dae') ? collada(text()) : new STLLoader().parse(bytes);
  if (!made.getAttribute('position')?.count) throw new Error('a mesh without triangles');
  return made;
}
