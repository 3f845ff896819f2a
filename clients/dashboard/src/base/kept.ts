// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/base/kept.ts - robots put from this page, and the texts they were read from.
import { json, robotPath } from './http.ts';
import type { Report } from './types.ts';

interface Kept {
  text: string;
  report: Report | null;
}
/** What was put from this page, by digest: the daemon keeps robots, not their texts. */
export const texts = new Map<string, Kept>();

const typeOf = (text: string): string => (/^\s*[{[]/.test(text) ? 'application/json' : 'application/xml');
export const nameFrom = (file: string): string => file.replace(/\.[^.]*$/, '').replace(/[^\w.-]+/g, '-').replace(/^[^A-Za-z0-9]+/, '').slice(0, 64) || 'robot';

export async function put(name: string, text: string): Promise<Report> {
  const report = await json<Report>('PUT', robotPath(name), { body: text, file: `${name}${typeOf(text).endsWith('json') ? '.json' : '.urdf'}`, headers: { 'Content-Type': typeOf(text) } });
  texts.set(report.digest, { text, report });
  return report;
}
