// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/calibration/lines.ts - two texts as one, line by line: what both have, what one has alone.
import { html, type VNode } from '../base/html.ts';

export interface Line {
  sign: ' ' | '\u2212' | '+';
  text: string;
}

const CELLS_MOST = 4e6;

/** By the longest common subsequence of what is between the equal lines at both ends; beyond CELLS_MOST pairs that part is one block for another. */
export function lineDifference(before: string, after: string): Line[] {
  const a = before.split('\n');
  const b = after.split('\n');
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const x = a.slice(head, a.length - tail);
  const y = b.slice(head, b.length - tail);
  const same = (text: string): Line => ({ sign: ' ', text });
  const list: Line[] = a.slice(0, head).map(same);
  const width = y.length + 1;
  let i = 0;
  let j = 0;
  if (x.length * y.length <= CELLS_MOST) {
    const length = new Uint16Array((x.length + 1) * width); // of the longest one from (i, j) on
    for (i = x.length - 1; i >= 0; i--) for (j = y.length - 1; j >= 0; j--) length[i * width + j] = x[i] === y[j] ? length[(i + 1) * width + j + 1]! + 1 : Math.max(length[(i + 1) * width + j]!, length[i * width + j + 1]!);
    i = j = 0;
    while (i < x.length && j < y.length) {
      if (x[i] === y[j]) [i, j] = (list.push(same(x[i]!)), [i + 1, j + 1]);
      else if (length[(i + 1) * width + j]! >= length[i * width + j + 1]!) list.push({ sign: '\u2212', text: x[i++]! });
      else list.push({ sign: '+', text: y[j++]! });
    }
  }
  list.push(...x.slice(i).map((text): Line => ({ sign: '\u2212', text })), ...y.slice(j).map((text): Line => ({ sign: '+', text })), ...a.slice(a.length - tail).map(same));
  return list;
}

const AROUND = 2;

/** The lines that differ, with those around them; a sign before each, so that no colour is needed. */
export function TextDifference({ before, after, label }: { before: string; after: string; label: string }): VNode {
  const all = lineDifference(before, after);
  const near = all.map((_, k) => all.slice(Math.max(0, k - AROUND), k + AROUND + 1).some((one) => one.sign !== ' '));
  const rows = all.flatMap((line, k): (string | VNode)[] => (near[k] ? [html`<span class=${line.sign === '+' ? 'good' : line.sign === ' ' ? 'dim' : 'bad'}>${`${line.sign} ${line.text}\n`}</span>`] : near[k - 1] || k === 0 ? ['\u2026\n'] : []));
  return html`<pre class="plain boxed" tabindex="0" role="region" aria-label=${label}>${rows.some((one) => typeof one !== 'string') ? rows : 'Both texts are the same.'}</pre>`;
}
