// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/base/http.ts - every request of the page: problems as errors, the last call for repetition, loss of the service.
import { Client, ConnectionError, TorquedError } from '../../../javascript/torqued.js';
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

/** Without what only a program can use: where in the bytes of the request it was. */
export const plain = (text: string): string => text.replace(/ \(byte \d+ of the body\)/, '');

export class Problem extends Error {
  constructor(public document: ProblemDocument) {
    super(plain(document.detail ?? document.title));
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
/** How often the service came back, or was opened by a token: what failed meanwhile is asked for anew. */
export const back = new Store(0);
export const loginAsked = new Store(false);

interface Options {
  body?: unknown; // an object is sent as JSON
  file?: string;
  headers?: Record<string, string>;
  quiet?: boolean; // no entry in the line of the last call
  signal?: AbortSignal;
}

export const AWAY: ProblemDocument = { type: 'about:blank', title: 'The service does not answer', status: 0,
  detail: 'The service does not answer. Nothing is lost: this page goes on when it is back.' };

export const answers = (): Promise<boolean> => fetch('/healthz', { cache: 'no-store' }).then((reply) => reply.ok, () => false);

let watching = false;
/** Says that the service is away, and when it is back. */
export async function away(): Promise<void> {
  if (watching) return;
  watching = true;
  lost.set(true);
  for (;;) {
    await new Promise((go) => setTimeout(go, 1000));
    if (await answers()) break;
  }
  watching = false;
  lost.set(false);
  back.set(back.value + 1);
}

const STREAM = '/v1/events';
export const streaming = new Store(false);

async function watched(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  try {
    const reply = await fetch(input, { ...init, credentials: 'same-origin' });
    if (reply.status === 401) loginAsked.set(true);
    if (String(input).endsWith(STREAM)) streaming.set(reply.ok);
    return reply;
  } catch (fault) {
    if (!init?.signal?.aborted) void away();
    throw fault;
  }
}

/** The project's client: what is safe to repeat is tried again where a connection is lost or the service is full. */
export const client = new Client(location.origin, { fetch: watched, retries: 3 });

/** One request; what its answer holds, by its media type: a document, a text, bytes. */
export async function send<T>(method: string, path: string, options: Options = {}): Promise<T> {
  const raw = options.body instanceof Blob || options.body instanceof Uint8Array || typeof options.body === 'string';
  const body = options.body === undefined ? undefined : raw ? (options.body as Blob | string) : JSON.stringify(options.body);
  const headers: Record<string, string> = { ...(options.body !== undefined && !raw ? { 'Content-Type': 'application/json' } : {}), ...options.headers };
  const note = (status: number, ms: number): void => {
    if (!options.quiet) lastCall.set({ method, path, headers, file: options.file, body: typeof body === 'string' && !options.file ? body : undefined, status, ms });
  };
  const begun = performance.now();
  let status = 0;
  const once = new Client(location.origin, { retries: 3, fetch: async (input, init) => {
    const reply = await watched(input, init);
    status = reply.status;
    return reply;
  } });
  try {
    const value = (await once.request(method, path, { body, headers, signal: options.signal })) as T;
    note(status, performance.now() - begun);
    return value;
  } catch (fault) {
    if (fault instanceof TorquedError) {
      note(fault.status, performance.now() - begun);
      throw new Problem(fault.problem as unknown as ProblemDocument);
    }
    if (fault instanceof ConnectionError) {
      throw new Problem(AWAY);
    }
    throw fault;
  }
}

export const json = send;

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
