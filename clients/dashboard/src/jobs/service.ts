// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/jobs/service.ts - the process: is it ready, what does it count, how to keep a copy of all it has.
import { bytes, number } from '../base/format.ts';
import { html, useEffect, useState, type VNode } from '../base/html.ts';
import { json, lost, Problem, send } from '../base/http.ts';
import { Copy, Fault } from '../base/parts.ts';

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
    metric.rows.push({ labels: `${metric.name === base && suffix ? suffix.slice(1) : ''} ${labels.replace(/[{}"]/g, '').replaceAll(',', ', ')}`.trim(), value: Number(value) });
  }
  return [...map.values()].filter((one) => one.rows.some((row) => row.value !== 0));
}

export function ServicePage(): VNode {
  const [version, set] = useState('');
  const [ready, say] = useState<{ good: boolean; text: string } | null>(null);
  const [metrics, list] = useState<Metric[]>([]);
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
    <section class="panel" aria-label="Backup"><div class="panel-head"><h2>A copy of everything</h2><${Copy} text=${backup} /></div><p class="dim">Robots, datasets and jobs at one moment, while the service goes on:</p><pre class="plain" tabindex="0">${backup}</pre></section>
    <section class="panel scroll" aria-label="Counters"><h2>Counters, every two seconds</h2><table class="counters"><thead><tr><th scope="col">What</th><th scope="col">Of</th><th class="num" scope="col">Now</th></tr></thead>
      <tbody>${metrics.flatMap((one) => one.rows.filter((row) => row.value !== 0).slice(0, 12).map((row, k) => html`<tr key=${one.name + row.labels}><th scope="row">${k === 0 && html`${one.help} <code class="dim">${one.name}</code>`}</th><td>${row.labels}</td><td class="num">${unit(one.name, row.value)}</td></tr>`))}</tbody></table></section></div>`;
}
