// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/base/store.ts - values that several parts of the page follow; the address, which holds the state of the page.
import { useEffect, useState } from './html.ts';

export class Store<T> {
  #listeners = new Set<(value: T) => void>();
  constructor(public value: T) {}
  set(value: T): void {
    if (Object.is(value, this.value)) return;
    this.value = value;
    for (const listener of [...this.#listeners]) listener(value);
  }
  follow(listener: (value: T) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
  use(): T {
    const [value, set] = useState(this.value);
    useEffect(() => {
      set(this.value);
      return this.follow((next) => set(() => next));
    }, []);
    return value;
  }
}

export interface Route {
  parts: string[];
  query: URLSearchParams;
}

function read(): Route {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?', 2);
  const decode = (part: string): string => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  };
  return { parts: path.split('/').filter(Boolean).map(decode), query: new URLSearchParams(query) };
}

export const route = new Store<Route>(read());
addEventListener('hashchange', () => route.set(read()));

export function address(parts: string[], query: Record<string, string> = {}): string {
  const words = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== '')).toString();
  return `#/${parts.map(encodeURIComponent).join('/')}${words ? `?${words}` : ''}`;
}

export function go(parts: string[], query: Record<string, string> = {}): void {
  location.hash = address(parts, query);
}

/** Changes the query of the present address without an entry in the history; an empty value removes its key. */
export function remember(change: Record<string, string>): void {
  const now = read();
  for (const [key, value] of Object.entries(change)) {
    if (value === '') now.query.delete(key);
    else now.query.set(key, value);
  }
  const words = now.query.toString();
  history.replaceState(null, '', `#/${now.parts.map(encodeURIComponent).join('/')}${words ? `?${words}` : ''}`);
}

export function numbersOf(text: string | null): number[] | null {
  if (!text) return null;
  const list = text.split(',').map(Number);
  return list.every(Number.isFinite) ? list : null;
}

/** What the reader has chosen, kept by the browser. */
export function setting(key: string, first: string): Store<string> {
  let kept: string | null = null;
  try {
    kept = localStorage.getItem(`torqued.${key}`);
  } catch { /* a browser that keeps nothing */ }
  const store = new Store(kept ?? first);
  store.follow((value) => {
    try {
      localStorage.setItem(`torqued.${key}`, value);
    } catch { /* as above */ }
  });
  return store;
}

export const degrees = setting('angles', 'rad');
export const theme = setting('theme', 'auto');
/** Light or dark, as it is: what was chosen, else as the system has it now. */
const system = matchMedia('(prefers-color-scheme: dark)');
const schemeNow = (): 'light' | 'dark' => (theme.value === 'dark' || (theme.value === 'auto' && system.matches) ? 'dark' : 'light');
export const scheme = new Store(schemeNow());
export const isDark = (): boolean => scheme.value === 'dark';
theme.follow(() => scheme.set(schemeNow()));
system.addEventListener('change', () => scheme.set(schemeNow()));
export const robotInUse = setting('robot', '');
/** Whether this service was opened by a token. */
export const byToken = setting('token', '');
