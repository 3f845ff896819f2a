// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/datasets/findings.ts - what the service finds in a log before a calibration: spikes, gaps, clocks; marked on its curves.
import type { Dataset, RowMark } from './datasets.ts';
import { number } from '../base/format.ts';
import { html, useEffect, useMemo, useState, type VNode } from '../base/html.ts';
import { json, robotPath } from '../base/http.ts';
import { Fault } from '../base/parts.ts';
import type { Robot } from '../base/types.ts';

interface Repair {
  kind: string;
  meaning: string;
  count: number;
  longest_s?: number;
  first_rows: number[];
}

interface Source {
  rows: number;
  samples: number;
  segments: number;
  clock: string;
  period_s?: number;
  repairs: Repair[];
  bandwidth?: { motion_hz: number; noise_hz: number };
}

const LOOKED_AT = 20_000; // rows: the answer has a torque for each
const WORDS: Record<string, string> = { 'not-finite': 'no number', absurd: 'absurd', spike: 'spike', 'repeated-time': 'time repeated', 'out-of-order': 'out of order', 'set-back': 'clock set back', bridged: 'gap bridged', split: 'gap', unwrapped: 'turn unwrapped', braked: 'braked', unpaired: 'unpaired', 'too-short': 'too short' };

/** The findings of one log, read as a calibration would read it; the place of each in rows. */
export function useFindings(robot: Robot, dataset: Dataset | null, request: object | null): { source: Source | null; fault: Error | null; marks: RowMark[] } {
  const [state, set] = useState<{ source: Source | null; fault: Error | null }>({ source: null, fault: null });
  const key = dataset && request ? JSON.stringify([dataset.sha256, request]) : '';
  useEffect(() => {
    if (!key) return set({ source: null, fault: null });
    let live = true;
    const timer = setTimeout(() => {
      json<{ log: { source: Source } }>('POST', robotPath(robot.name, 'inverse-dynamics'), { quiet: true, body: { from: { dataset: dataset!.name, ...request, ...(dataset!.rows > LOOKED_AT ? { rows: [0, LOOKED_AT] } : {}) } } })
        .then((answer) => live && set({ source: answer.log.source, fault: null }), (fault: Error) => live && set({ source: null, fault }));
    }, 300);
    return () => {
      live = false;
      clearTimeout(timer);
    };
  }, [key]);
  const marks = useMemo(() => (state.source?.repairs ?? []).flatMap((one) => one.first_rows.map((row) => ({ row, text: WORDS[one.kind] ?? one.kind }))).sort((a, b) => a.row - b.row), [state.source]);
  return { ...state, marks };
}

export function Findings({ dataset, source, fault }: { dataset: Dataset; source: Source | null; fault: Error | null }): VNode | null {
  if (fault) return html`<${Fault} fault=${fault} />`;
  if (!source) return null;
  return html`<ul class="verdicts findings" aria-label="What was found in the log">
    ${source.repairs.length === 0 && html`<li class="good">\u2713 No fault was found in ${source.rows.toLocaleString('en')} rows${source.period_s ? `, ${number(1 / source.period_s, 4)} a second` : ''}.</li>`}
    ${source.repairs.map((one) => html`<li>? ${one.count} ${one.meaning}${one.longest_s ? `, the longest of ${number(one.longest_s, 3)} s` : ''} <span class="dim">${one.first_rows.length === 1 ? 'row' : 'rows'} ${one.first_rows.slice(0, 5).map((row) => row.toLocaleString('en')).join(', ')}${one.count > 5 ? '\u2026' : ''}</span></li>`)}
    ${source.bandwidth && html`<li class="dim">Its motion lies below ${number(source.bandwidth.motion_hz, 3)} Hz; from ${number(source.bandwidth.noise_hz, 3)} Hz on its positions are noise.</li>`}
    ${dataset.rows > LOOKED_AT && html`<li class="dim">Looked for in the first ${LOOKED_AT.toLocaleString('en')} rows; a calibration reads all.</li>`}</ul>`;
}
