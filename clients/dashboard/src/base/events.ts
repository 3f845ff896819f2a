// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/base/events.ts - all jobs, live: one list, and one stream of events that keeps it true.
import { back, client, json, loginAsked, Problem, streaming } from './http.ts';
import { Store } from './store.ts';
import type { Job } from './types.ts';

export const jobs = new Store<Map<string, Job>>(new Map());
export const following = new Store<'opening' | 'live' | 'broken'>('opening');

function keep(...list: Job[]): void {
  const next = new Map(jobs.value);
  for (const job of list) next.set(job.id, job);
  jobs.set(next);
}

export function forget(id: string): void {
  const next = new Map(jobs.value);
  next.delete(id);
  jobs.set(next);
}

export const ended = (job: Job): boolean => job.state === 'succeeded' || job.state === 'failed' || job.state === 'cancelled';

export async function fetchJob(id: string): Promise<Job> {
  const job = await json<Job>('GET', `/v1/jobs/${encodeURIComponent(id)}`, { quiet: true });
  keep(job);
  return job;
}

export async function fetchJobs(filter = '', quiet = true): Promise<{ jobs: Job[]; cursor: string | null }> {
  const page = await json<{ jobs: Job[]; cursor: string | null }>('GET', `/v1/jobs?limit=100${filter}`, { quiet });
  keep(...page.jobs);
  return page;
}

/** The same again when the service is back, or was opened by a token: what was begun is not lost with it. */
async function patient<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    const turn = back.value;
    try {
      return await ask();
    } catch (fault) {
      if (!(fault instanceof Problem && (fault.document.status === 0 || fault.document.status === 401))) throw fault;
      if (back.value === turn) await new Promise<void>((go) => { const stop = back.follow(() => { stop(); go(); }); });
    }
  }
}

/** Waits for a job; its result, or an error with the reason of its failure. */
export async function finished<T>(job: Job, fields = ''): Promise<T> {
  for (;;) {
    const now = await patient(() => fetchJob(job.id));
    if (now.state === 'succeeded') return patient(() => json<T>('GET', `/v1/jobs/${encodeURIComponent(job.id)}/result${fields && `?fields=${fields}`}`, { quiet: true }));
    if (ended(now)) throw new Error(now.problem?.detail ?? `the job ${now.state}`);
    await new Promise((go) => setTimeout(go, 200));
  }
}

let open = false;

/** Follows all jobs by one stream; a broken stream resumes after the last event. */
export function follow(): void {
  if (open) return;
  open = true;
  streaming.follow((live) => following.set(live ? 'live' : 'broken'));
  void (async () => {
    for (;;) {
      try {
        for await (const { event, data } of client.events()) {
          const { job, progress } = data as { job: string; progress?: Job['progress'] };
          const old = jobs.value.get(job);
          if (event === 'progress' && progress && old && !ended(old)) keep({ ...old, progress });
          else if (event === 'state' || !old) void fetchJob(job).catch(() => forget(job));
        }
      } catch { /* away, or no token: once more when it is back */ }
      streaming.set(false);
      following.set('broken');
      await new Promise((go) => setTimeout(go, 2000));
      if (loginAsked.value) continue;
      // what happened meanwhile and is no longer kept as events
      await fetchJobs().catch(() => {});
    }
  })();
}
