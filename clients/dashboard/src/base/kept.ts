// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/base/kept.ts - robots put from this page, and the texts they were read from.
import { json, robotPath } from './http.ts';
import { say } from './parts.ts';
import { Store } from './store.ts';
import type { Report } from './types.ts';

interface Kept {
  text: string;
  report: Report | null;
}
/** What was put from this page, by digest: the daemon keeps robots, not their texts. */
export const texts = new Map<string, Kept>();

const typeOf = (text: string): string => (/^\s*[{[]/.test(text) ? 'application/json' : 'application/xml');
export const nameFrom = (file: string): string => file.replace(/\.[^.]*$/, '').replace(/[^\w.-]+/g, '-').replace(/^[^A-Za-z0-9]+/, '').slice(0, 64) || 'robot';

async function store(name: string, text: string): Promise<Report> {
  const report = await json<Report>('PUT', robotPath(name), { body: text, file: `${name}${typeOf(text).endsWith('json') ? '.json' : '.urdf'}`, headers: { 'Content-Type': typeOf(text) } });
  texts.set(report.digest, { text, report });
  return report;
}

/** How often a robot was brought back: pages that show one read it anew. */
export const restored = new Store(0);

/** A robot of this name that was there before `act` comes back by the undo of its note. */
export async function replacing<T extends { digest: string }>(name: string, act: () => Promise<T>, said = ''): Promise<T> {
  const before = await json<{ digest: string }>('GET', robotPath(name), { quiet: true }).catch(() => null);
  const made = await act();
  const undo = (): void => void store(name, texts.get(before!.digest)?.text ?? JSON.stringify(before)).then(() => restored.set(restored.value + 1), (wrong: Error) => say(wrong.message));
  if (before && before.digest !== made.digest) say(`${name} is replaced`, () => {}, undo);
  else if (said) say(said);
  return made;
}

export const put = (name: string, text: string, said = ''): Promise<Report> => replacing(name, () => store(name, text), said);
