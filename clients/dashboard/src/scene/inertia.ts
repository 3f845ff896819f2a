// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/scene/inertia.ts - the solid with the inertia of a link, to draw: principal axes, then a box or an ellipsoid.
import type { Link, Vector } from '../base/types.ts';

/** Inertia about the centre of mass, in the axes of the link: I_com = I_origin - m (c.c E - c c^T). */
export function centred(link: Link): number[][] {
  const a = link.inertia.map((row) => [...row]);
  if (link.inertia_about !== 'origin') return a;
  const [x, y, z] = link.com;
  const square = x * x + y * y + z * z;
  for (let i = 0; i < 3; i++) for (let j = 0; j < 3; j++) a[i]![j]! -= link.mass * ((i === j ? square : 0) - link.com[i]! * link.com[j]!);
  return a;
}

/** Principal moments about the centre of mass, ascending in no order, and their axes (right-handed), by Jacobi rotations. */
export function principal(link: Link): { axes: Vector[]; moments: Vector } {
  const a = centred(link);
  const v = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
  for (let sweep = 0; sweep < 12; sweep++) {
    for (const [p, q] of [[0, 1], [0, 2], [1, 2]] as const) {
      if (Math.abs(a[p]![q]!) < 1e-300) continue;
      const theta = (a[q]![q]! - a[p]![p]!) / (2 * a[p]![q]!);
      const t = Math.sign(theta || 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
      const c = 1 / Math.sqrt(t * t + 1);
      const s = t * c;
      for (let k = 0; k < 3; k++) {
        const [kp, kq] = [a[k]![p]!, a[k]![q]!];
        a[k]![p] = c * kp - s * kq;
        a[k]![q] = s * kp + c * kq;
      }
      for (let k = 0; k < 3; k++) {
        const [pk, qk] = [a[p]![k]!, a[q]![k]!];
        a[p]![k] = c * pk - s * qk;
        a[q]![k] = s * pk + c * qk;
        const [vp, vq] = [v[k]![p]!, v[k]![q]!];
        v[k]![p] = c * vp - s * vq;
        v[k]![q] = s * vp + c * vq;
      }
    }
  }
  const axes = [0, 1, 2].map((k) => [v[0]![k]!, v[1]![k]!, v[2]![k]!] as Vector);
  const [x, y] = axes as [Vector, Vector, Vector];
  axes[2] = [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]];
  return { axes, moments: [a[0]![0]!, a[1]![1]!, a[2]![2]!] };
}

/** Half sizes, m, along the principal axes: of a uniform box I_x = m/3 (b^2 + c^2), of a uniform ellipsoid I_x = m/5 (b^2 + c^2). */
export function body(shape: 'box' | 'ellipsoid', [x, y, z]: Vector, mass: number): Vector {
  const factor = (shape === 'box' ? 3 : 5) / (2 * mass);
  const half = (square: number): number => Math.sqrt(Math.max(0, factor * square));
  return [half(y + z - x), half(x + z - y), half(x + y - z)];
}
