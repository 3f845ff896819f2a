// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/http.ts - every request of the page: problems as errors, the last call for who wants to repeat it, loss of the service.
import { Store } from './store.ts';

export interface Fault {
  pointer: string;
  detail: string;
  hint?: string;
}

export interface ProblemDocument {
  type: string;
  title: string;
  status: number;
  detail?: string;
  errors?: Fault[];
}

export class Problem extends Error {
  constructor(public document: ProblemDocument) {
    super(document.detail ?? document.title);
  }
  /** The fault of a field: its pointer begins with one of these. */
  of(...pointers: string[]): Fault | undefined {
    return this.document.errors?.find((one) => pointers.some((p) => one.pointer === p || one.pointer.startsWith(`${p}/`)));
  }
}

export interface Call {
  method: string;
  path: string;
  body?: string; // text as sent; of files their name is in `file`
  file?: string;
  headers: Record<string, string>;
  status: number;
  ms: number;
}

export const lastCall = new Store<Call | null>(null);
export const lost = new Store(false);
export const loginAsked = new Store(false);

interface Options {
  body?: unknown; // an object is sent as JSON
  file?: string;
  headers?: Record<string, string>;
  quiet?: boolean; // no entry in the line of the last call
  signal?: AbortSignal;
}

function problemOf(status: number, type: string, text: string): Problem {
  if (type.startsWith('application/problem+json')) {
    try {
      return new Problem(JSON.parse(text) as ProblemDocument);
    } catch { /* a broken answer is said below */ }
  }
  return new Problem({ type: 'about:blank', title: `status ${status}`, status, detail: text.slice(0, 300) });
}

let watching = false;
async function watch(): Promise<void> {
  if (watching) return;
  watching = true;
  lost.set(true);
  for (;;) {
    await new Promise((go) => setTimeout(go, 1000));
    try {
      if ((await fetch('/healthz', { cache: 'no-store' })).ok) break;
    } catch { /* still away */ }
  }
  watching = false;
  lost.set(false);
}

export async function send(method: string, path: string, options: Options = {}): Promise<Response> {
  const raw = options.body instanceof Blob || typeof options.body === 'string';
  const body = options.body === undefined ? undefined : raw ? (options.body as Blob | string) : JSON.stringify(options.body);
  const headers: Record<string, string> = { ...(options.body !== undefined && !raw ? { 'Content-Type': 'application/json' } : {}), ...options.headers };
  const begun = performance.now();
  let reply: Response;
  try {
    reply = await fetch(path, { method, headers, body, signal: options.signal, credentials: 'same-origin' });
  } catch (fault) {
    if (options.signal?.aborted) throw fault;
    void watch();
    throw new Problem({ type: 'about:blank', title: 'The service does not answer', status: 0,
      detail: 'The service does not answer. Nothing is lost: this page goes on when it is back.' });
  }
  if (!options.quiet) {
    lastCall.set({ method, path, headers, file: options.file, body: typeof body === 'string' && !options.file ? body : undefined,
      status: reply.status, ms: performance.now() - begun });
  }
  if (reply.ok) return reply;
  if (reply.status === 401) loginAsked.set(true);
  throw problemOf(reply.status, reply.headers.get('Content-Type') ?? '', await reply.text());
}

export async function json<T>(method: string, path: string, options: Options = {}): Promise<T> {
  return (await send(method, path, options)).json() as Promise<T>;
}

export const robotPath = (name: string, operation = ''): string => `/v1/robots/${encodeURIComponent(name)}${operation && `/${operation}`}`;

/** Runs one request at a time; of those that come meanwhile only the last is sent. */
export function latest<A, R>(ask: (argument: A) => Promise<R>, done: (result: R, argument: A) => void, failed: (fault: Error) => void): (argument: A) => void {
  let busy = false;
  let next: { argument: A } | null = null;
  const run = async (argument: A): Promise<void> => {
    busy = true;
    try {
      done(await ask(argument), argument);
    } catch (fault) {
      failed(fault as Error);
    }
    busy = false;
    if (next) {
      const waiting = next.argument;
      next = null;
      void run(waiting);
    }
  };
  return (argument) => {
    if (busy) next = { argument };
    else void run(argument);
  };
}
