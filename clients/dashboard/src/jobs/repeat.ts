// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/jobs/repeat.ts - a job again: as it was, or with its request changed.
import { fetchJob } from '../base/events.ts';
import { html, useEffect, useRef, useState, type VNode } from '../base/html.ts';
import { json, Problem, robotPath } from '../base/http.ts';
import { Fault, say, useLoaded } from '../base/parts.ts';
import { placeOf } from '../robots/source.ts';
import { go } from '../base/store.ts';
import type { Job } from '../base/types.ts';

const EDITABLE = 300_000; // bytes of a request that an editor holds

async function submit(job: Job, body: Blob | string, type: string): Promise<void> {
  const operation = job.robot ? robotPath(job.robot, job.kind) : `/v1/${job.kind}`;
  const next = await json<Job>('POST', operation, { body, headers: { Prefer: 'respond-async', 'Content-Type': type } });
  await fetchJob(next.id);
  go(['jobs', next.id]);
}

/** The very bytes, JSON or CBOR. */
async function requestOf(job: Job): Promise<Response> {
  const reply = await fetch(`/v1/jobs/${encodeURIComponent(job.id)}/request`);
  if (!reply.ok) throw new Problem(await reply.json());
  return reply;
}

export async function repeat(job: Job): Promise<void> {
  try {
    const reply = await requestOf(job);
    await submit(job, await reply.blob(), reply.headers.get('Content-Type') ?? 'application/json');
  } catch (wrong) {
    say((wrong as Error).message);
  }
}

/** The request as text to change, and the job that it then becomes. */
export function Changed({ job, onclose }: { job: Job; onclose: () => void }): VNode {
  const [loaded, fault] = useLoaded(async () => {
    const reply = await requestOf(job);
    const text = await reply.text();
    // without a Content-Type it was recognised by its first byte, as here
    if (!/^\s*\{/.test(text)) return { text: '', why: 'This request came as CBOR, which has no text to change here. Repeat sends it again as it was.' };
    return text.length > EDITABLE ? { text: '', why: `This request has ${text.length.toLocaleString('en')} bytes: change it where it was made.` } : { text: JSON.stringify(JSON.parse(text), null, 2).replace(/\[\s+([-\d.eE+,\s]+?)\s+\]/g, (_, list: string) => `[${list.replace(/\s+/g, ' ')}]`), why: '' };
  }, job.id);
  const [draft, set] = useState<string | null>(null);
  const [wrong, fail] = useState<Error | null>(null);
  const [busy, work] = useState(false);
  const area = useRef<HTMLTextAreaElement>(null);
  const text = draft ?? loaded?.text ?? '';
  useEffect(() => {
    const box = area.current;
    const pointer = wrong instanceof Problem ? wrong.document.errors?.[0]?.pointer : undefined;
    const place = box && pointer ? placeOf(text, pointer) : null;
    if (!box || !place) return;
    box.focus();
    box.setSelectionRange(place[0], place[1]);
    box.scrollTop = Math.max(0, text.slice(0, place[0]).split('\n').length - 4) * 20;
  }, [wrong]);
  useEffect(() => area.current?.focus(), [loaded]);
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    work(true);
    try {
      JSON.parse(text);
      await submit(job, text, 'application/json');
      onclose();
    } catch (mistake) {
      fail(mistake instanceof SyntaxError ? new Error(`This is no JSON yet: ${mistake.message}`) : (mistake as Error));
    }
    work(false);
  };
  return html`<form class="panel form" aria-label="Request to change" onSubmit=${send}><div class="panel-head"><h2>Repeat with changes</h2><button type="button" class="small" onClick=${onclose}>Close</button></div>
    <${Fault} fault=${fault ?? wrong} />
    ${loaded?.why ? html`<p>${loaded.why}</p>` : loaded && html`<textarea ref=${area} class="code boxed" spellcheck="false" wrap="off" aria-label="Request, JSON" rows=${Math.min(24, text.split('\n').length + 1)} value=${text} onInput=${(event: Event) => set((event.target as HTMLTextAreaElement).value)}></textarea>
      <div class="row"><button class="first" disabled=${busy}>${busy ? 'Sending\u2026' : `Send as a new ${job.kind}`}</button>${draft !== null && draft !== loaded.text && html`<button type="button" onClick=${() => { set(null); fail(null); }}>As it was</button>`}
        <span class="dim">This job and its result stay as they are.</span></div>`}</form>`;
}
