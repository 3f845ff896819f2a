// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/jobs/jobs.ts - all jobs, live; one job: its progress, then its result by kind.
import { CalibrationView } from '../calibration/calibration.ts';
import { EnsembleView } from '../simulation/ensemble.ts';
import { ended, fetchJob, fetchJobs, follow, following, forget, jobs } from '../base/events.ts';
import { ago, number, seconds } from '../base/format.ts';
import { html, useEffect, useMemo, useState, type VNode } from '../base/html.ts';
import { back, json, plain, send } from '../base/http.ts';
import { Empty, Fault, save, say, useLoaded } from '../base/parts.ts';
import { PayloadView } from '../calibration/payload.ts';
import { archiveOf } from './archive.ts';
import { Changed, repeat } from './repeat.ts';
import { SimulationView } from '../simulation/simulation.ts';
import { address, remember, route } from '../base/store.ts';
import type { Job } from '../base/types.ts';

const MARKS: Record<Job['state'], string> = { queued: '\u25cb', running: '\u25d4', succeeded: '\u2713', failed: '\u2715', cancelled: '\u2298' };

export function StateMark({ job }: { job: Job }): VNode {
  return html`<span class=${`state ${job.state}`}><span aria-hidden="true">${MARKS[job.state]}</span> ${job.cancel_asked && !ended(job) ? 'stopping' : job.state}</span>`;
}

export function Progress({ job }: { job: Job }): VNode {
  const { fraction, step, eta_s: eta } = job.progress;
  return html`<div class="progress"><progress max="1" value=${fraction} aria-label=${`Progress of ${job.kind}`}></progress>
    <span class="dim">${number(100 * fraction, 3)} %${eta !== null && eta > 0 ? `, ${seconds(eta)} left` : ''}${step ? ` \u00b7 ${step}` : ''}</span></div>`;
}

const TITLES: Record<string, string> = { simulate: 'Simulation', calibrate: 'Calibration' };
const pathOf = (job: Job, rest = ''): string => `/v1/jobs/${encodeURIComponent(job.id)}${rest}`;

async function cancel(job: Job): Promise<void> {
  try {
    await send('POST', pathOf(job, '/cancel'));
    await fetchJob(job.id);
  } catch (wrong) {
    say((wrong as Error).message);
  }
}

function remove(job: Job): void {
  forget(job.id);
  say(`The ${job.kind} of ${job.robot ?? 'no robot'} is removed`, () => void send('DELETE', pathOf(job)).catch(() => {}), () => void fetchJob(job.id));
}

export function JobsPage(): VNode {
  const all = jobs.use();
  const live = following.use();
  const returned = back.use();
  const [state, pick] = useState(route.value.query.get('state') ?? '');
  const [cursor, turn] = useState<string | null>(null);
  const [fault, fail] = useState<Error | null>(null);
  useEffect(() => {
    follow();
    fetchJobs('', false).then((page) => { turn(page.cursor); fail(null); }, fail);
  }, [returned]);
  const rows = useMemo(() => [...all.values()].filter((job) => !state || job.state === state).sort((a, b) => (a.created < b.created ? 1 : -1)), [all, state]);
  return html`<div class="page"><div class="title"><h1>Jobs</h1><span class=${live === 'live' ? 'good' : 'dim'}>${live === 'live' ? '\u25cf live' : live === 'opening' ? 'opening the stream of events' : 'the stream of events is broken; it opens again by itself'}</span>
      <label class="inline end">State<select value=${state} onChange=${(event: Event) => { const next = (event.target as HTMLSelectElement).value; pick(next); remember({ state: next }); }}><option value="">all</option>${Object.keys(MARKS).map((one) => html`<option>${one}</option>`)}</select></label></div>
    <${Fault} fault=${fault} />
    ${rows.length === 0 && !fault && html`<${Empty} title=${state ? `No job is ${state}.` : 'No jobs yet.'}><p>Whatever takes longer than a moment becomes a job: it has a progress, can be cancelled, and survives a restart of the service. Begin with a <a href=${address(['robots', 'ur5e', 'simulate'])}>simulation</a>.</p><//>`}
    ${rows.length > 0 && html`<div class="panel scroll"><table class="jobs"><thead><tr><th scope="col">State</th><th scope="col">Kind</th><th scope="col">Robot</th><th scope="col">Begun</th><th scope="col">Took</th><th scope="col">Progress</th><th scope="col"></th></tr></thead>
      <tbody>${rows.map((job) => html`<tr key=${job.id}><td><${StateMark} job=${job} /></td><td><a href=${address(['jobs', job.id])}>${job.kind}</a></td><td>${job.robot && html`<a href=${address(['robots', job.robot])}>${job.robot}</a>`}</td>
        <td title=${job.created}>${ago(job.created)}</td><td>${job.started && job.finished ? seconds((Date.parse(job.finished) - Date.parse(job.started)) / 1000) : ''}</td>
        <td>${!ended(job) ? html`<${Progress} job=${job} />` : job.problem ? html`<span class="bad">${plain(job.problem.detail ?? job.problem.title)}</span>` : ''}</td>
        <td><div class="row tight">${!ended(job) ? html`<button class="small" onClick=${() => cancel(job)} aria-label=${`Cancel ${job.kind} ${job.id}`}>Cancel</button>` : html`<button class="small" onClick=${() => repeat(job)} aria-label=${`Repeat ${job.kind} ${job.id}`}>Repeat</button><a class="button small" href=${address(['jobs', job.id], { change: '1' })} aria-label=${`Change ${job.kind} ${job.id}`}>Change</a><button class="small" onClick=${() => remove(job)} aria-label=${`Remove ${job.kind} ${job.id}`}>Remove</button>`}</div></td></tr>`)}</tbody></table></div>`}
    ${cursor && html`<div class="row"><button onClick=${() => fetchJobs(`&cursor=${encodeURIComponent(cursor)}`).then((page) => turn(page.cursor), fail)}>Older ones</button></div>`}
  </div>`;
}

function Downloads({ job }: { job: Job }): VNode {
  const files: [string, string][] = [[pathOf(job, '/result'), 'Result, JSON'], [pathOf(job, '/request'), 'Request']];
  if (job.kind === 'calibrate') files.unshift([pathOf(job, '/report'), 'Report']);
  for (const one of job.attachments ?? []) if (one.name !== 'report') files.push([pathOf(job, `/result/${encodeURIComponent(one.name)}`), one.name]);
  const all = async (): Promise<void> => {
    try {
      const parts = await Promise.all(files.map(async ([path, text]) => {
        const reply = await fetch(path, { credentials: 'same-origin' });
        if (!reply.ok) throw new Error(`${text} did not come (${reply.status})`);
        return { name: /\.\w+$/.test(text) ? text : `${text === 'Request' ? 'request.json' : text === 'Report' ? 'report.html' : 'result.json'}`, data: new Uint8Array(await reply.arrayBuffer()) };
      }));
      save(`${job.kind}-${job.id.slice(0, 6)}.zip`, archiveOf(parts));
    } catch (wrong) {
      say((wrong as Error).message);
    }
  };
  return html`<div class="row tight downloads"><button class="small" onClick=${all}>Download all</button>${files.map(([path, text]) => html`<a class="button small" href=${path} download=${text === 'Report' ? undefined : `${job.kind}-${job.id.slice(0, 6)}-${text.replace(/\W+/g, '-')}`} target=${text === 'Report' ? '_blank' : undefined} rel="noreferrer">${text}</a>`)}</div>`;
}

function Plain({ job }: { job: Job }): VNode {
  const [text, fault] = useLoaded(async () => JSON.stringify(await json<unknown>('GET', pathOf(job, '/result'), { quiet: true }), null, 1), job.id);
  return html`<section class="panel" aria-label="Result"><${Fault} fault=${fault} />${text && html`<pre class="plain" tabindex="0">${text.slice(0, 20000)}${text.length > 20000 ? '\n\u2026' : ''}</pre>`}</section>`;
}

export function JobPage({ id }: { id: string }): VNode {
  const all = jobs.use();
  const job = all.get(id);
  const returned = back.use();
  const [fault, fail] = useState<Error | null>(null);
  const [changing, change] = useState(route.value.query.get('change') === '1');
  const edit = (open: boolean): void => {
    change(open);
    remember({ change: open ? '1' : '' });
  };
  useEffect(() => {
    follow();
    fetchJob(id).then(() => fail(null), fail);
    // a stream may open after the last event: the job itself is asked again until it has ended
    const timer = setInterval(() => {
      const now = jobs.value.get(id);
      if (now && !ended(now)) void fetchJob(id).catch(() => {});
    }, 2000);
    return () => clearInterval(timer);
  }, [id, returned]);
  if (!job) return html`<div class="page"><h1>Job</h1><${Fault} fault=${fault} />${!fault && html`<p class="dim">Reading\u2026</p>`}</div>`;
  const took = job.started && job.finished ? seconds((Date.parse(job.finished) - Date.parse(job.started)) / 1000) : '';
  return html`<div class="page workbench"><div class="title"><h1>${TITLES[job.kind] ?? (job.kind[0] ?? '').toUpperCase() + job.kind.slice(1)}</h1>${job.robot && html`<span>of <a href=${address(['robots', job.robot])}>${job.robot}</a></span>`}
      <span role="status"><${StateMark} job=${job} /></span><span class="dim">${ago(job.created)}${took && `, took ${took}`}</span>
      <span class="row tight end">${!ended(job) ? html`<button onClick=${() => cancel(job)}>Cancel</button>` : html`<button class="small" onClick=${() => repeat(job)}>Repeat</button><button class="small" aria-expanded=${changing} onClick=${() => edit(!changing)}>Repeat with changes</button>`}</span></div>
    ${changing && html`<${Changed} job=${job} onclose=${() => edit(false)} />`}
    ${!ended(job) && html`<section class="panel"><${Progress} job=${job} /></section>`}
    ${job.problem && html`<div class="fault" role="alert"><strong>${job.problem.title}</strong>${job.problem.detail && html`<p>${plain(job.problem.detail)}</p>`}</div>`}
    ${job.state === 'cancelled' && html`<p class="dim">It was cancelled and has no result. Repeat begins it anew.</p>`}
    ${job.state === 'succeeded' && html`<${Downloads} job=${job} />${job.kind === 'simulate' && job.robot ? html`<${SimulationView} job=${job} />` : job.kind === 'ensemble' && job.robot ? html`<${EnsembleView} job=${job} />` : job.kind === 'calibrate' ? html`<${CalibrationView} job=${job} />` : job.kind === 'payload' ? html`<${PayloadView} job=${job} />` : html`<${Plain} job=${job} />`}`}
  </div>`;
}
