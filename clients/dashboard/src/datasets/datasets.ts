// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/datasets/datasets.ts - recorded data: the list, the way in, curves of any of them from points that the daemon picks.
import { partIn, rowOf, unfold, usePart, type Series } from '../curves/series.ts';
import { ago, bytes, number } from '../base/format.ts';
import { html, useEffect, useMemo, useRef, useState, type VNode } from '../base/html.ts';
import { back, json, Problem, send } from '../base/http.ts';
import { Drop, Empty, Fault, say, useLoaded } from '../base/parts.ts';
import { Plot, type Curve, type Mark } from '../curves/plot.ts';
import { address, remember, route, Store } from '../base/store.ts';

export interface DatasetRow {
  name?: string;
  sha256: string;
  bytes: number;
  media_type: string;
  created: string;
  rows: number;
  columns: number;
  damaged?: boolean;
  built_in?: boolean;
}

export interface Dataset extends DatasetRow {
  delimiter?: string;
  truncated_last_line?: boolean;
  text_cells?: number;
  statistics: { name: string | null; min: number | null; max: number | null; mean: number | null; not_finite: number }[];
}

export const datasetPath = (name: string): string => `/v1/datasets/${encodeURIComponent(name)}`;
export const listDatasets = (quiet = false): Promise<{ datasets: DatasetRow[] }> => json('GET', '/v1/datasets', { quiet });

/** Files that the daemon reads as logs; it finds their form by their first bytes. */
export const LOGS = '.csv,.txt,.tsv,.log,.npy,.npz,.json,.cbor,.gz,.zst';
const safe = (file: string): string => file.replace(/(\.(csv|txt|tsv|log|npy|npz|json|cbor|gz|zst))+$/i, '').replace(/[^\w.-]+/g, '-').replace(/^[^A-Za-z0-9]+/, '').slice(0, 64) || 'log';

export interface Refusal {
  file: File;
  fault: Error;
}

/** Stores a file under its own name, or the next free one where another log has it; the same log again is that log. */
async function storeLog(file: File, rows: Map<string, DatasetRow>): Promise<string> {
  const first = safe(file.name);
  const free = (name: string): boolean => !rows.has(name) || Boolean(rows.get(name)!.damaged);
  let name = first;
  for (let k = 2; !free(name); k++) name = `${first.slice(0, 60)}-${k}`;
  const made = await json<Dataset>('PUT', datasetPath(name), { body: file, file: file.name, headers: { 'Content-Type': 'application/octet-stream' } });
  const same = [...rows.values()].find((row) => row.name && row.name !== name && row.sha256 === made.sha256 && row.name.startsWith(first.slice(0, 60)));
  if (same) await send('DELETE', datasetPath(name), { quiet: true });
  else rows.set(name, made);
  return same?.name ?? name;
}

/** Uploads each file; what was refused is kept, to be tried again. */
export async function upload(files: File[]): Promise<{ names: string[]; refused: Refusal[] }> {
  const names: string[] = [];
  const refused: Refusal[] = [];
  const rows = await listDatasets(true).then((list) => new Map(list.datasets.filter((row) => row.name).map((row) => [row.name!, row])), () => new Map<string, DatasetRow>());
  for (const file of files) {
    try {
      names.push(await storeLog(file, rows));
    } catch (wrong) {
      refused.push({ file, fault: wrong as Error });
    }
  }
  return { names, refused };
}

/** Logs that were not stored, and why: tried again by the button, or when the service is back that was away. */
export function Refused({ list, again }: { list: Refusal[]; again: (files: File[]) => void }): VNode | null {
  const files = list.map((one) => one.file);
  useEffect(() => back.follow(() => { if (list.some(({ fault }) => fault instanceof Problem && [0, 401].includes(fault.document.status))) again(files); }), [list]);
  if (!list.length) return null;
  return html`<div class="fault" role="alert">${list.map(({ file, fault }) => html`<p><strong>${file.name}</strong>: ${fault.message}</p>`)}
    <button type="button" class="small" onClick=${() => again(files)}>Try again</button></div>`;
}

export function DatasetsPage(): VNode {
  const [list, fault, again] = useLoaded(() => listDatasets(), 'datasets');
  const [gone, hide] = useState<Set<string>>(new Set());
  const [wrong, fail] = useState<Refusal[]>([]);
  const [busy, work] = useState(false);
  const drop = async (files: File[]): Promise<void> => {
    work(true);
    const done = await upload(files);
    fail(done.refused);
    work(false);
    hide(new Set([...gone].filter((name) => !done.names.includes(name))));
    again();
    if (done.names.length) say(`${done.names.join(', ')} ${done.names.length > 1 ? 'are' : 'is'} stored`);
  };
  const show = (name: string): void => hide((old) => new Set([...old].filter((one) => one !== name)));
  const remove = (name: string): void => {
    hide((old) => new Set([...old, name]));
    say(`${name} is removed`, () => void send('DELETE', datasetPath(name)).then(again, (wrong: Error) => { show(name); say(wrong.message); }), () => show(name));
  };
  const rows = (list?.datasets ?? []).filter((row) => !row.name || !gone.has(row.name));
  return html`<div class="page robots"><h1>Datasets</h1>
    <${Drop} accept=${LOGS} title=${busy ? 'Storing\u2026' : 'Choose logs'} ondrop=${drop}>or drop them here: CSV (comma, semicolon, tab or spaces, with or without a header), NPY, NPZ or JSON, of any size, packed by gzip or Zstandard too.<//>
    <${Fault} fault=${fault} /><${Refused} list=${wrong} again=${drop} />
    ${list && !rows.length && html`<${Empty} title="No datasets yet."><p>A dataset is a log of a robot: a column of time, columns of positions and torques, perhaps of speeds. It is stored byte for byte, plotted however long it is, and feeds <a href=${address(['robots', 'panda', 'calibrate'])}>calibrations</a> and torques along a log.</p><//>`}
    ${rows.length > 0 && html`<div class="panel scroll"><table class="jobs logs"><thead><tr><th scope="col">Name</th><th class="num" scope="col">Rows</th><th class="num" scope="col">Columns</th><th class="num" scope="col">Size</th><th scope="col">Stored</th><th scope="col"></th></tr></thead>
      <tbody>${rows.map((row) => html`<tr key=${row.name}><td>${row.damaged ? html`<span class="bad">${row.name ?? 'a dataset without a name'} is damaged: put it anew</span>` : html`<a href=${address(['datasets', row.name!])}>${row.name}</a>`}</td>
        <td class="num">${row.rows?.toLocaleString('en') ?? ''}</td><td class="num">${row.columns ?? ''}</td><td class="num">${row.bytes === undefined ? '' : bytes(row.bytes)}</td><td>${row.created && ago(row.created)}</td>
        <td><div class="row tight">${row.built_in ? html`<span class="dim">built in</span>` : row.name && html`<button class="small" onClick=${() => remove(row.name!)} aria-label=${`Remove ${row.name}`}>Remove</button>`}</div></td></tr>`)}</tbody></table></div>`}
  </div>`;
}

export const isTime = (name: string | null): boolean => /^(t|time|timestamp|sec|secs|seconds|time_s|stamp)$/i.test(name ?? '');

const NONE: RowMark[] = [];

/** Something said of a row of the log, marked on its curves. */
export interface RowMark {
  row: number;
  text: string;
}

const POINTS = 2000;
const pointsOf = (name: string, part: [number, number] | null): Promise<Series> => json<Series>('GET', `${datasetPath(name)}?points=${POINTS}${part ? `&rows=${part.join(',')}` : ''}`, { quiet: true });

/** Curves of chosen columns over the column of time, else over rows; of a part as many points as of the whole. */
export function DatasetPlot({ name, columns, x, title, unit, rows = NONE, ahead = null, shared = false }: { name: string; columns: number[]; x: number; title: string; unit: string; rows?: RowMark[]; ahead?: Promise<Series> | null; shared?: boolean }): VNode {
  const [part, zoom] = usePart(shared);
  const asked = useRef(ahead);
  const [loaded, fault] = useLoaded(() => {
    const early = part ? null : asked.current;
    asked.current = null;
    return early ?? pointsOf(name, part);
  }, `${name} ${part}`);
  // an address of a log that has fewer rows by now
  useEffect(() => { if (part && fault instanceof Problem && fault.document.status >= 400) zoom(null); }, [fault]);
  const last = useRef<Series | null>(null);
  if (loaded) last.current = loaded;
  const points = last.current;
  const time = useMemo(() => new Store(0), []);
  const drawn = useMemo(() => {
    if (!points) return null;
    const named: Series = { ...points, series: points.series.map((one, k) => ({ ...one, name: String(k) })) };
    const n = unfold(named, '0').length;
    const row = (k: number): number => rowOf(points, k);
    const t = x >= 0 ? (unfold(named, String(x)) as number[]) : Array.from({ length: n }, (_, k) => row(k));
    const ordered = t.every((value, k) => value !== null && (k === 0 || value >= t[k - 1]!));
    return { t: ordered ? t : t.map((_, k) => row(k)), ordered, row,
      curves: columns.map<Curve>((k) => ({ name: points.series[k]?.name ?? `column ${k}`, values: unfold(named, String(k)), tone: columns.indexOf(k) })) };
  }, [points, columns.join(), x]);
  const indexOf = (t: number): number => {
    const k = drawn!.t.findIndex((one) => one >= t);
    return k < 0 ? drawn!.t.length - 1 : k;
  };
  const marks = useMemo<Mark[]>(() => {
    if (!drawn || !points) return [];
    const half = points.rows_per_point > 1 ? 2 : 1;
    const first = points.first_row ?? 0;
    return rows.filter(({ row }) => row >= first && row <= drawn.row(drawn.t.length - 1)).map(({ row, text }) => ({ t: drawn.t[Math.min(drawn.t.length - 1, Math.floor((row - first) / points.rows_per_point) * half)]!, text }));
  }, [drawn, rows]);
  if (!drawn || !points) return html`<${Fault} fault=${fault} />`;
  const [from, behind] = part ?? [0, points.rows];
  const look = (first: number, size: number): void => {
    const n = Math.max(10, Math.min(points.rows, Math.round(size)));
    // from a power of two of rows on, within one point: of whole blocks of rows the daemon has the least and greatest values
    const whole = 2 ** Math.max(0, Math.floor(Math.log2(n / POINTS)));
    const at = Math.floor(Math.max(0, Math.min(points.rows - n, Math.round(first))) / whole) * whole;
    zoom(n >= points.rows ? null : [at, at + n]);
  };
  const size = behind - from;
  // at the time cursor, where it is in sight
  const closer = (): void => look(drawn.row(indexOf(time.value)) - size / 4, size / 2);
  const wide = points.rows > 20;
  return html`<${Fault} fault=${fault} /><${Plot} title=${title} unit=${unit} t=${drawn.t} curves=${drawn.curves} marks=${marks} time=${time} height=${320}
      onzoom=${(a: number, b: number) => { if (points.rows_per_point > 1) look(drawn.row(indexOf(a)), drawn.row(indexOf(b)) - drawn.row(indexOf(a)) + 1); }} onall=${() => zoom(null)} />
    <div class="row tight plot-tools">${wide && html`<div class="choice" role="group" aria-label="Part of the rows"><button type="button" onClick=${closer} disabled=${size <= 10}>Closer</button><button type="button" onClick=${() => look(from - size / 2, size * 2)} disabled=${!part}>Wider</button>
        <button type="button" onClick=${() => look(from - size / 2, size)} disabled=${!part || from === 0} aria-label="Earlier">\u2190</button><button type="button" onClick=${() => look(from + size / 2, size)} disabled=${!part || behind >= points.rows} aria-label="Later">\u2192</button><button type="button" onClick=${() => zoom(null)} disabled=${!part}>All</button></div>`}
      <p class="dim">${points.rows.toLocaleString('en')} rows${part ? `, of these ${from.toLocaleString('en')} to ${(behind - 1).toLocaleString('en')}` : ''}${points.rows_per_point > 1 ? `, the least and the greatest value of each ${points.rows_per_point} are drawn` : ''}; ${x >= 0 && drawn.ordered ? 'over time' : x >= 0 ? 'over rows: this column of time does not increase' : 'over rows'}. Drag across for finer points, double-click for all.</p></div>`;
}

export function DatasetPage({ name }: { name: string }): VNode {
  // points and description at the same time
  const ahead = useMemo(() => {
    if (partIn()) return null;
    const points = pointsOf(name, null);
    points.catch(() => {});
    return points;
  }, [name]);
  const [dataset, fault] = useLoaded(() => json<Dataset>('GET', datasetPath(name)), name);
  const [chosen, set] = useState<number[] | null>(() => route.value.query.get('columns')?.split(',').map(Number) ?? null);
  if (fault) return html`<div class="page"><h1>${name}</h1><${Fault} fault=${fault} /></div>`;
  if (!dataset) return html`<div class="page"><h1>${name}</h1></div>`;
  const x = dataset.statistics.findIndex((one) => isTime(one.name));
  const columns = chosen ?? dataset.statistics.map((_, k) => k).filter((k) => k !== x).slice(0, 7);
  const toggle = (k: number): void => {
    const next = columns.includes(k) ? columns.filter((one) => one !== k) : [...columns, k].sort((a, b) => a - b);
    set(next);
    remember({ columns: next.join(',') });
  };
  const bad = dataset.statistics.reduce((sum, one) => sum + one.not_finite, 0);
  return html`<div class="page"><div class="title"><h1>${dataset.name}</h1><span class="dim">${dataset.rows.toLocaleString('en')} rows, ${dataset.columns} columns, ${bytes(dataset.bytes)}, ${dataset.media_type}</span>
      <a class="button small end" href=${`${datasetPath(name)}/content`} download=${name}>Download</a></div>
    ${(bad > 0 || dataset.truncated_last_line || (dataset.text_cells ?? 0) > 0) && html`<ul class="verdicts panel">${bad > 0 && html`<li class="bad">${bad} cells are no finite numbers${dataset.text_cells ? `, ${dataset.text_cells} of them text` : ''}</li>`}${dataset.truncated_last_line && html`<li class="bad">The last line was cut short and is left out</li>`}</ul>`}
    <section class="panel" aria-label="Curves"><${DatasetPlot} key=${name} name=${name} columns=${columns} x=${x} ahead=${ahead} shared=${true} title="Chosen columns" unit="as stored" /></section>
    <section class="panel scroll" aria-label="Columns"><table><thead><tr><th scope="col">Drawn</th><th scope="col">Column</th><th class="num" scope="col">Least</th><th class="num" scope="col">Mean</th><th class="num" scope="col">Greatest</th><th class="num" scope="col">Not finite</th></tr></thead>
      <tbody>${dataset.statistics.map((one, k) => html`<tr><td>${k !== x && html`<input type="checkbox" checked=${columns.includes(k)} onChange=${() => toggle(k)} aria-label=${`Draw ${one.name ?? `column ${k}`}`} />`}</td><th scope="row">${one.name ?? `column ${k}`}${k === x && html` <span class="dim">time</span>`}</th><td class="num">${number(one.min)}</td><td class="num">${number(one.mean)}</td><td class="num">${number(one.max)}</td><td class=${`num${one.not_finite ? ' bad' : ''}`}>${one.not_finite}</td></tr>`)}</tbody></table></section>
  </div>`;
}
