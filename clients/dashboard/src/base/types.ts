// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/base/types.ts - the parts of the daemon's documents that the page reads.
export type Vector = [number, number, number];

export interface Slice {
  index: number;
  count: number;
}

export interface Joint {
  name: string;
  kind: 'fixed' | 'revolute' | 'continuous' | 'prismatic' | 'planar' | 'spherical' | 'floating';
  parent: string;
  child: string;
  origin: { position?: Vector; rotation?: Vector[] };
  axis?: Vector;
  q: Slice;
  v: Slice;
  limits?: { lower?: number; upper?: number; velocity?: number; effort?: number };
  damping?: number;
  friction?: { coulomb?: number };
  rotor?: { inertia?: number };
  mimic?: { joint?: string; multiplier?: number; offset?: number };
}

export interface Link {
  name: string;
  mass: number;
  com: Vector;
  inertia: Vector[];
  inertia_about: 'com' | 'origin';
}

export interface Robot {
  name: string;
  description?: string;
  source: string;
  digest: string;
  nq: number;
  nv: number;
  root: string;
  gravity: Vector;
  joints: Joint[];
  links: Link[];
  constraints?: unknown[];
  assembled?: number[];
  dof?: number;
}

export interface Finding {
  where: string;
  text: string;
  count: number;
}

export interface Report extends Robot {
  understood: Finding[];
  ignored: Finding[];
  doctor: Finding[];
}

export interface RobotRow {
  name: string;
  nv: number;
  source: string;
  digest: string;
  builtin: boolean;
}

export interface Frame {
  link: string;
  position: number[] | number[][];
  quaternion_wxyz: number[] | number[][];
}

export interface Job {
  id: string;
  kind: string;
  robot: string | null;
  robot_digest: string | null;
  state: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled';
  progress: { fraction: number; step: string; eta_s: number | null };
  created: string;
  started: string | null;
  finished: string | null;
  attempts: number;
  cancel_asked: boolean;
  problem?: { title: string; detail?: string };
  attachments?: { name: string; media_type: string; bytes: number }[];
}

/** A solid that touches, as a request of a simulation has it. */
export interface Solid {
  name: string;
  link?: string; // the world where it is absent
  shape: 'sphere' | 'capsule' | 'box' | 'half-space' | 'hull';
  size?: number[];
  points?: number[][]; // of a hull
  pose?: { position?: number[]; quaternion_wxyz?: number[]; rpy?: number[]; rotation?: number[][] };
}
