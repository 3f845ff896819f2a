// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/base/format.ts - numbers with their units; angles in radians or degrees as the reader has chosen.
import { degrees } from './store.ts';
import type { Joint } from './types.ts';

const TURN = 180 / Math.PI;

/** Four significant digits, and no more zeros than they need. */
export function number(value: number | null | undefined, digits = 4): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return 'none';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-4) return value.toExponential(Math.max(0, digits - 2)).replace('e+', 'e').replaceAll('-', '\u2212');
  const text = value.toPrecision(digits);
  return (text.includes('e') ? String(Number(text)) : text.includes('.') ? text.replace(/\.?0+$/, '') : text).replace('-', '\u2212');
}

export function bytes(n: number): string {
  if (n < 1000) return `${n} B`;
  const units = ['kB', 'MB', 'GB'];
  let k = -1;
  let value = n;
  while (value >= 1000 && k < 2) {
    value /= 1000;
    k++;
  }
  return `${number(value, 3)} ${units[k]}`;
}

export function seconds(s: number): string {
  if (s < 1) return `${number(s * 1000, 2)} ms`;
  if (s < 90) return `${number(s, 2)} s`;
  if (s < 5400) return `${Math.round(s / 60)} min`;
  return `${number(s / 3600, 2)} h`;
}

export function ago(time: string): string {
  const s = (Date.now() - Date.parse(time)) / 1000;
  if (s < 5) return 'now';
  if (s < 60) return `${Math.floor(s)} s ago`;
  if (s < 3600) return `${Math.floor(s / 60)} min ago`;
  if (s < 86400) return `${Math.floor(s / 3600)} h ago`;
  return new Date(time).toLocaleDateString();
}

export const slides = (joint: Joint): boolean => joint.kind === 'prismatic';
export const turns = (joint: Joint): boolean => joint.kind === 'revolute' || joint.kind === 'continuous';

export interface Unit {
  name: string;
  factor: number; // shown = factor * SI
}

/** Of a coordinate (order 0), its rate (1) or acceleration (2) of a joint. */
export function motionUnit(joint: Joint | undefined, order: 0 | 1 | 2): Unit {
  const suffix = ['', '/s', '/s\u00b2'][order]!;
  if (joint && slides(joint)) return { name: `m${suffix}`, factor: 1 };
  return degrees.value === 'deg' ? { name: order ? `deg${suffix}` : 'deg', factor: TURN } : { name: `rad${suffix}`, factor: 1 };
}

/** A unit of the service's, as it is printed: kg m^2. */
export const unitText = (unit: string): string => unit.replaceAll('^2', '\u00b2').replaceAll('^3', '\u00b3').replaceAll(' ', '\u00b7').replaceAll('\u00b7or\u00b7', ' or ');
export const effortUnit = (joint: Joint | undefined): string => (joint && slides(joint) ? 'N' : 'N\u00b7m');
