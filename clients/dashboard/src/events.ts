// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/events.ts - all jobs, live: one list, and one stream of events that keeps it true.
import { json } from './http.ts';
import { loginAsked } from './http.ts';
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

export async function fetchJobs(filter = ''): Promise<{ jobs: Job[]; cursor: string | null }> {
  const page = await json<{ jobs: Job[]; cursor: string | null }>('GET', `/v1/jobs?limit=100${filter}`);
  keep(...page.jobs);
  return page;
}

let stream: EventSource | null = null;

/** Opens the stream once; the browser itself opens it again where it breaks, behind the last event that it has. */
export function follow(): void {
  if (stream) return;
  const one = new EventSource('/v1/events');
  stream = one;
  let broken = false;
  one.onopen = () => {
    following.set('live');
    // what happened while it was broken and is no longer kept as events
    if (broken) void fetchJobs().catch(() => {});
    broken = false;
  };
  one.onerror = () => {
    following.set('broken');
    broken = true;
    if (one.readyState !== EventSource.CLOSED) return;
    stream = null;
    if (!loginAsked.value) setTimeout(follow, 3000);
  };
  one.addEventListener('state', (event) => {
    const { job } = JSON.parse((event as MessageEvent<string>).data) as { job: string };
    void fetchJob(job).catch(() => forget(job));
  });
  one.addEventListener('progress', (event) => {
    const { job, progress } = JSON.parse((event as MessageEvent<string>).data) as { job: string; progress: Job['progress'] };
    const old = jobs.value.get(job);
    if (old && !ended(old)) keep({ ...old, progress });
    else if (!old) void fetchJob(job).catch(() => {});
  });
}
