// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/curves/series.ts - points as the service reduces them, and columns, as curves take them.
import { useState } from '../base/html.ts';
import { numbersOf, remember, route } from '../base/store.ts';

export interface Series {
  rows: number;
  first_row?: number;
  rows_per_point: number;
  series: { name: string | null; min: (number | null)[]; max: (number | null)[] }[];
}

/** Points of a plot: of buckets of several rows both extremes, at the bucket's two times. */
export function unfold(points: Series, name: string): (number | null)[] {
  const one = points.series.find((series) => series.name === name);
  if (!one) return [];
  if (points.rows_per_point <= 1) return one.min;
  return one.min.flatMap((low, k) => [low, one.max[k]!]);
}

/** The row of the k-th point. */
export function rowOf(points: Series, k: number): number {
  const half = points.rows_per_point > 1 ? 2 : 1;
  return (points.first_row ?? 0) + Math.floor(k / half) * points.rows_per_point + (k % half) * (points.rows_per_point - 1);
}

/** A column of an array of rows. */
export const column = (rows: number[][], k: number, factor = 1): number[] => rows.map((row) => row[k]! * factor);

type Part = [number, number] | null;

/** The part of the rows that the address names: [first, end). */
export function partIn(): Part {
  const [first, end] = numbersOf(route.value.query.get('rows')) ?? [];
  return Number.isInteger(first) && Number.isInteger(end) && first! >= 0 && end! > first! ? [first!, end!] : null;
}

/** The part of the rows that is looked at; `shared`: by the address. */
export function usePart(shared: boolean): [Part, (next: Part) => void] {
  const [part, set] = useState<Part>(shared ? partIn : null);
  return [part, (next) => {
    set(next);
    if (shared) remember({ rows: next ? next.join(',') : '' });
  }];
}
