// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/scene/convex.ts - triangles of the convex hull of points, to draw it. The library's own costs 5 KB more.
type Vector = number[];

const minus = (a: Vector, b: Vector): Vector => a.map((one, k) => one - b[k]!);
const dot = (a: Vector, b: Vector): number => a.reduce((sum, one, k) => sum + one * b[k]!, 0);
const cross = (a: Vector, b: Vector): Vector => [a[1]! * b[2]! - a[2]! * b[1]!, a[2]! * b[0]! - a[0]! * b[2]!, a[0]! * b[1]! - a[1]! * b[0]!];

/** Point by point: the faces that it sees make place for those that join it with their rim. Corners of triangles, counterclockwise from outside. */
export function convex(points: Vector[]): Vector[] {
  const most = (score: (x: Vector) => number): number => points.reduce((best, x, k) => (score(x) > score(points[best]!) ? k : best), 0);
  if (points.length < 4) return [];
  const normal = (a: number, b: number, c: number): Vector => cross(minus(points[b]!, points[a]!), minus(points[c]!, points[a]!));
  const length = (x: Vector): number => Math.sqrt(dot(x, x));
  const a = most((x) => -x[0]!);
  const b = most((x) => length(minus(x, points[a]!)));
  const c = most((x) => length(cross(minus(x, points[a]!), minus(points[b]!, points[a]!))));
  const across = normal(a, b, c);
  const d = most((x) => Math.abs(dot(across, minus(x, points[a]!))));
  const size = length(minus(points[b]!, points[a]!));
  const above = (face: number[], k: number): boolean => {
    const n = normal(face[0]!, face[1]!, face[2]!);
    return dot(n, minus(points[k]!, points[face[0]!]!)) > 1e-7 * size * length(n);
  };
  const [p, q] = dot(across, minus(points[d]!, points[a]!)) > 0 ? [c, b] : [b, c];
  let faces = [[a, p, q], [p, a, d], [q, p, d], [a, q, d]] as number[][];
  for (let k = 0; k < points.length; k++) {
    const rim = new Map<string, number[]>();
    faces = faces.filter((face) => {
      if (!above(face, k)) return true;
      face.forEach((from, i) => {
        const to = face[(i + 1) % 3]!;
        if (!rim.delete(`${to} ${from}`)) rim.set(`${from} ${to}`, [from, to, k]);
      });
      return false;
    });
    faces.push(...rim.values());
  }
  return faces.flat().map((k) => points[k]!);
}
