// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/jobs/service.ts - the process: is it ready, what does it count, how to keep a copy of all it has.
import { bytes, number } from '../base/format.ts';
import { html, useEffect, useMemo, useState, type VNode } from '../base/html.ts';
import { json, lost, Problem, send } from '../base/http.ts';
import { Copy, Fault } from '../base/parts.ts';
import { Plot, type Curve } from '../curves/plot.ts';

interface Metric {
  name: string;
  help: string;
  rows: { labels: string; value: number }[];
}

/** Prometheus' text; histograms by their count and sum. */
export function metricsOf(text: string): Metric[] {
  const map = new Map<string, Metric>();
  for (const line of text.split('\n')) {
    const help = /^# HELP (\S+) (.*)/.exec(line);
    if (help) map.set(help[1]!, { name: help[1]!, help: help[2]!, rows: [] });
    const row = /^([a-zA-Z_:][\w:]*?)(_bucket|_sum|_count)?(\{.*\})? (\S+)$/.exec(line);
    if (!row || line.startsWith('#')) continue;
    const [, base = '', suffix = '', labels = '', value = ''] = row;
    const metric = map.get(base + suffix) ?? map.get(base);
    if (!metric || (suffix === '_bucket' && metric.name === base)) continue;
    metric.rows.push({ labels: `${metric.name === base && suffix ? suffix.slice(1) : ''} ${labels.slice(1, -1).replaceAll('"', '').replaceAll(',', ', ')}`.trim(), value: Number(value) });
  }
  return [...map.values()].filter((one) => one.rows.some((row) => row.value !== 0));
}

/** The sum of a metric over its labels, of those that have `label`. */
function sumOf(text: string, name: string, label = ''): number {
  let sum = 0;
  for (const [, labels = '', value] of text.matchAll(new RegExp(`^${name}(?:\\{([^}]*)\\})? (\\S+)$`, 'gm'))) if (labels.includes(label)) sum += Number(value);
  return sum;
}

interface Load {
  at: number; // s
  requests: number; // so far
  cpu: number; // s so far
  memory: number; // bytes
  running: number;
  runners: number;
  queued: number; // jobs
  tasks: number; // requests that wait for a worker
  wait: number; // s
  damaged: number; // files and commits
}

const loadOf = (text: string): Load => ({
  at: performance.now() / 1000, requests: sumOf(text, 'torqued_requests_total'), cpu: sumOf(text, 'process_cpu_seconds_total'), memory: sumOf(text, 'process_resident_memory_bytes'),
  running: sumOf(text, 'torqued_jobs', 'running'), runners: sumOf(text, 'torqued_node_runners'), queued: sumOf(text, 'torqued_jobs', 'queued'),
  tasks: sumOf(text, 'torqued_queue_tasks'), wait: sumOf(text, 'torqued_queue_wait_seconds'),
  damaged: sumOf(text, 'torqued_store_files_(?:damaged|lost)') + sumOf(text, 'torqued_store_commits_missing'),
});

const KEPT = 300; // of two seconds each
/** Since the page was opened; kept while other pages are shown. */
let history: Load[] = [];

function LoadPanel({ list }: { list: Load[] }): VNode | null {
  const now = list.at(-1);
  const plots = useMemo(() => {
    if (list.length < 3) return null;
    const last = list.at(-1)!.at;
    const pairs = list.slice(1).map((one, k) => [list[k]!, one] as const);
    const of = (name: string, value: (before: Load, after: Load) => number): Curve => ({ name, values: pairs.map(([before, after]) => value(before, after)) });
    const span = (before: Load, after: Load): number => Math.max(0.1, after.at - before.at);
    return { t: pairs.map(([, after]) => after.at - last), cpu: [of('processor', (a, b) => (100 * (b.cpu - a.cpu)) / span(a, b))], requests: [of('requests', (a, b) => (b.requests - a.requests) / span(a, b))] };
  }, [list]);
  if (!now) return null;
  const jobs = `${now.running ? `${now.running} ${now.running === 1 ? 'job runs' : 'jobs run'}` : 'No job runs'} of ${now.runners} that can at once${now.queued ? `, ${now.queued} ${now.queued === 1 ? 'waits' : 'wait'} for an end` : ''}`;
  return html`<section class="panel" aria-label="Load"><h2>Load</h2><ul class="verdicts"><li>${jobs}.</li>
      <li class=${now.wait > 1 ? 'bad' : ''}>${now.tasks ? `${now.tasks} ${now.tasks === 1 ? 'request waits' : 'requests wait'} for a worker, ${number(now.wait, 2)} s` : 'No request waits for a worker'}. ${bytes(now.memory)} of memory.</li>
      ${now.damaged > 0 && html`<li class="bad">\u2715 ${now.damaged} stored files or commits are damaged or missing: see the counters.</li>`}</ul>
    ${plots && html`<div class="plots"><${Plot} title="Processor" unit="% of one core, by seconds before now" t=${plots.t} curves=${plots.cpu} height=${130} xunit="seconds from now" /><${Plot} title="Requests" unit="1/s, by seconds before now" t=${plots.t} curves=${plots.requests} height=${130} xunit="seconds from now" /></div>`}</section>`;
}

export function ServicePage(): VNode {
  const [version, set] = useState('');
  const [ready, say] = useState<{ good: boolean; text: string } | null>(null);
  const [metrics, list] = useState<Metric[]>([]);
  const [load, see] = useState<Load[]>(history);
  const [fault, fail] = useState<Error | null>(null);
  const away = lost.use();
  useEffect(() => {
    let live = true;
    const look = async (): Promise<void> => {
      try {
        await send('GET', '/readyz', { quiet: true });
        say({ good: true, text: 'ready' });
      } catch (wrong) {
        say({ good: false, text: wrong instanceof Problem ? wrong.message : String(wrong) });
      }
      try {
        const text = await send<string>('GET', '/metrics', { quiet: true });
        const next = loadOf(text);
        // another process has counters of its own
        history = [...(next.requests < (history.at(-1)?.requests ?? 0) ? [] : history), next].slice(-KEPT);
        if (live) see(history);
        if (live) list(metricsOf(text));
        if (live) fail(null);
      } catch (wrong) {
        if (live) fail(wrong as Error);
      }
    };
    json<{ version: string }>('GET', '/v1/version').then((one) => set(one.version), fail);
    void look();
    const timer = setInterval(() => void look(), 2000);
    return () => {
      live = false;
      clearInterval(timer);
    };
  }, []);
  const backup = `curl -X POST ${location.origin}/v1/backup -o torqued-backup.tar`;
  const unit = (name: string, value: number): string => (name.endsWith('_bytes') || name.includes('bytes') ? bytes(value) : Number.isInteger(value) ? value.toLocaleString('en') : number(value));
  return html`<div class="page"><div class="title"><h1>Service</h1><span class=${ready?.good && !away ? 'good' : 'bad'} role="status">${ready && !away ? (ready.good ? '\u2713 ready' : `\u2715 ${ready.text}`) : away ? '\u2715 does not answer' : ''}</span><span class="dim">${version && `torqued ${version}`}</span></div>
    <${Fault} fault=${away ? null : fault} />
    <${LoadPanel} list=${load} />
    <section class="panel" aria-label="Backup"><div class="panel-head"><h2>A copy of everything</h2><${Copy} text=${backup} /></div><p class="dim">Robots, datasets and jobs at one moment, while the service goes on:</p><pre class="plain" tabindex="0">${backup}</pre></section>
    <section class="panel scroll" aria-label="Counters"><h2>Counters, every two seconds</h2><table class="counters"><thead><tr><th scope="col">What</th><th scope="col">Of</th><th class="num" scope="col">Now</th></tr></thead>
      <tbody>${metrics.flatMap((one) => one.rows.filter((row) => row.value !== 0).slice(0, 12).map((row, k) => html`<tr key=${one.name + row.labels}><th scope="row">${k === 0 && html`${one.help} <code class="dim">${one.name}</code>`}</th><td>${row.labels}</td><td class="num">${unit(one.name, row.value)}</td></tr>`))}</tbody></table></section></div>`;
}
