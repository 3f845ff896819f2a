// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/robots/pose.ts - coordinates of a robot as sliders have them: names, ranges, turns for quaternions.
import type { Joint, Robot } from '../base/types.ts';

/** Joints with coordinates of their own, in the order of q. */
export const moving = (robot: Robot): Joint[] => robot.joints.filter((joint) => joint.q.count > 0 && !joint.mimic);

/** Joint of each entry of qd and tau, and its name there. */
export function axesOf(robot: Robot): { joint: Joint; name: string }[] {
  const list: { joint: Joint; name: string }[] = [];
  for (const joint of moving(robot)) {
    const parts = joint.kind === 'floating' ? ['vx', 'vy', 'vz', 'wx', 'wy', 'wz'] : joint.kind === 'spherical' ? ['wx', 'wy', 'wz'] : joint.kind === 'planar' ? ['vx', 'vy', 'wz'] : [''];
    for (let k = 0; k < joint.v.count; k++) list[joint.v.index + k] = { joint, name: parts[k] ? `${joint.name} ${parts[k]}` : joint.name };
  }
  return list;
}

export function start(robot: Robot): number[] {
  if (robot.assembled?.length === robot.nq) return [...robot.assembled];
  const q = new Array<number>(robot.nq).fill(0);
  for (const joint of moving(robot)) {
    if (joint.kind === 'floating') q[joint.q.index + 3] = 1;
    else if (joint.kind === 'spherical') q[joint.q.index] = 1;
    else if (joint.q.count === 1) {
      const { lower = -Infinity, upper = Infinity } = joint.limits ?? {};
      if (lower > 0 || upper < 0) q[joint.q.index] = (Math.max(lower, -1e9) + Math.min(upper, 1e9)) / 2;
    }
  }
  return q;
}

export function range(joint: Joint): [number, number] {
  const { lower, upper } = joint.limits ?? {};
  const reach = joint.kind === 'prismatic' ? 1 : Math.PI;
  return [lower ?? Math.min(-reach, (upper ?? 0) - reach), upper ?? Math.max(reach, (lower ?? 0) + reach)];
}

export type Quaternion = [number, number, number, number];

/** Roll, pitch, yaw of a unit quaternion w x y z, and back. */
export function turnsOf([w, x, y, z]: Quaternion): [number, number, number] {
  return [Math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)), Math.asin(Math.max(-1, Math.min(1, 2 * (w * y - z * x)))),
    Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))];
}

export function quaternionOf([roll, pitch, yaw]: [number, number, number]): Quaternion {
  const [a, b, c] = [roll / 2, pitch / 2, yaw / 2];
  const [ca, sa, cb, sb, cc, sc] = [Math.cos(a), Math.sin(a), Math.cos(b), Math.sin(b), Math.cos(c), Math.sin(c)];
  return [ca * cb * cc + sa * sb * sc, sa * cb * cc - ca * sb * sc, ca * sb * cc + sa * cb * sc, ca * cb * sc - sa * sb * cc];
}

/** One slider: reads and writes its part of q. */
export interface Handle {
  joint: Joint;
  name: string;
  range: [number, number];
  turns: boolean;
  read: (q: number[]) => number;
  write: (q: number[], value: number) => number[];
}

const plain = (joint: Joint, name: string, index: number, bounds: [number, number], isTurn: boolean): Handle => ({
  joint, name, range: bounds, turns: isTurn, read: (q) => q[index] ?? 0, write: (q, value) => q.map((old, k) => (k === index ? value : old)),
});

function turn(joint: Joint, name: string, index: number, axis: 0 | 1 | 2): Handle {
  const part = (q: number[]): [number, number, number] => turnsOf(q.slice(index, index + 4) as Quaternion);
  return {
    joint, name, range: axis === 1 ? [-1.55, 1.55] : [-Math.PI, Math.PI], turns: true, read: (q) => part(q)[axis],
    write: (q, value) => {
      const turned = part(q);
      turned[axis] = value;
      const next = [...q];
      next.splice(index, 4, ...quaternionOf(turned));
      return next;
    },
  };
}

export function handles(robot: Robot): Handle[] {
  return moving(robot).flatMap((joint) => {
    const at = joint.q.index;
    if (joint.kind === 'floating') {
      return [...['x', 'y', 'z'].map((word, k) => plain(joint, `${joint.name} ${word}`, at + k, [-2, 2], false)),
        ...['roll', 'pitch', 'yaw'].map((word, k) => turn(joint, `${joint.name} ${word}`, at + 3, k as 0 | 1 | 2))];
    }
    if (joint.kind === 'spherical') return ['roll', 'pitch', 'yaw'].map((word, k) => turn(joint, `${joint.name} ${word}`, at, k as 0 | 1 | 2));
    if (joint.kind === 'planar') {
      return ['x', 'y', 'turn'].map((word, k) => plain(joint, `${joint.name} ${word}`, at + k, k === 2 ? [-Math.PI, Math.PI] : [-2, 2], k === 2));
    }
    return [plain(joint, joint.name, at, range(joint), joint.kind !== 'prismatic')];
  });
}
