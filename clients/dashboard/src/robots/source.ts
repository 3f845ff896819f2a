// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/robots/source.ts - the text of a robot with what the daemon said of it beside its lines.
import { html, useEffect, useMemo, useRef, useState, type VNode } from '../base/html.ts';
import { Problem } from '../base/http.ts';
import type { Finding, Report } from '../base/types.ts';

export interface Said {
  kind: 'error' | 'doubt' | 'ignored';
  where: string;
  text: string;
  hint?: string;
  line: number; // from 1; 0: of the whole
}

/** Where a JSON pointer's value begins and ends in a text of JSON; null where it has none. */
export function placeOf(text: string, pointer: string): [number, number] | null {
  const wanted = pointer.split('/').slice(1).map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const token = /\s*("(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+)/gy;
  const next = (): RegExpExecArray | null => token.exec(text);
  let found: [number, number] | null = null;
  const value = (depth: number, on: boolean): number => {
    const first = next();
    if (!first) return -1;
    const begin = token.lastIndex - first[1]!.length;
    const close = first[1] === '{' ? '}' : first[1] === '[' ? ']' : '';
    for (let k = 0; close; k++) {
      const here = token.lastIndex;
      const one = next();
      if (!one || one[1] === close) break;
      if (one[1] === ',') { k--; continue; }
      let key = String(k);
      if (close === '}') {
        try {
          key = JSON.parse(one[1]!) as string;
        } catch {
          return -1;
        }
        next(); // the colon
      } else token.lastIndex = here;
      if (value(depth + 1, on && wanted[depth] === key) < 0) return -1;
    }
    if (on && depth === wanted.length) found = [begin, token.lastIndex];
    return token.lastIndex;
  };
  value(0, true);
  return found;
}

const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** The line that a place names: "(line 4)", "line 5: ...", "link a", /robot/link[@name='a']/inertial/mass. */
export function lineOf(text: string, where: string): number {
  const stated = /\bline (\d+)/.exec(where);
  if (stated) return Number(stated[1]);
  const path = [...where.matchAll(/([\w-]+)\[@name='([^']*)'\]([^[]*)/g)].at(-1);
  const plain = path ?? /\b(link|joint|body|transmission|geom|site|motor|drive)s? "?([^":]+?)"?(?:,.*|:.*)?$/.exec(where);
  if (!plain) return 0;
  const [, element = '', name = '', rest = ''] = plain;
  const found = new RegExp(`<${escape(element)}\\b[^>]*\\bname\\s*=\\s*["']${escape(name)}["']|"name"\\s*:\\s*"${escape(name)}"`).exec(text);
  if (!found) return 0;
  let at = found.index;
  for (const step of rest.split('/').filter(Boolean)) {
    const inner = text.indexOf(`<${step.replace(/\W.*/, '')}`, at + 1);
    if (inner < 0) break;
    at = inner;
  }
  return text.slice(0, at).split('\n').length;
}

/** Of a document: the line of the value that a pointer names, or of what is to hold it. */
function lineAt(text: string, pointer: string): number {
  if (!/^\s*\{/.test(text) || !pointer.startsWith('/')) return 0;
  const place = placeOf(text, pointer);
  return place ? text.slice(0, place[0]).split('\n').length : lineAt(text, pointer.slice(0, pointer.lastIndexOf('/')));
}

export function saidOf(text: string, report: Report | null, fault: Error | null): Said[] {
  const list: Said[] = [];
  if (fault instanceof Problem) {
    const errors = fault.document.errors ?? [];
    if (!errors.length) list.push({ kind: 'error', where: '', text: fault.message, line: lineOf(text, fault.message) });
    for (const one of errors) list.push({ kind: 'error', where: one.pointer, text: one.detail, hint: one.hint,
      // the element with the fault may be further than the line of its parent
      line: Math.max(lineOf(text, one.detail), lineOf(text, one.pointer), lineAt(text, one.pointer)) });
  } else if (fault) list.push({ kind: 'error', where: '', text: fault.message, line: 0 });
  const add = (kind: Said['kind'], findings: Finding[] | undefined): void => findings?.forEach((one) => list.push({ kind, where: one.where,
    text: one.count > 1 ? `${one.text} (${one.count} times)` : one.text, line: lineOf(text, one.where) }));
  add('doubt', report?.doctor);
  add('ignored', report?.ignored);
  return list;
}

const WORDS = { error: 'Wrong', doubt: 'Doubtful', ignored: 'Ignored' };
const MARKS = { error: '\u2715', doubt: '?', ignored: '\u00b7' };
const EDITABLE = 300_000; // characters; beyond, a window of the text around a line is shown

interface Props {
  text: string;
  said: Said[];
  onput: (text: string) => void;
  busy: boolean;
}

export function SourceView({ text, said, onput, busy }: Props): VNode {
  const [typed, set] = useState({ of: text, draft: text });
  const draft = typed.of === text ? typed.draft : text;
  const [line, point] = useState(said.find((one) => one.line > 0)?.line ?? 0);
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => point(said.find((one) => one.line > 0)?.line ?? 0), [said]);
  const large = text.length > EDITABLE;
  const lines = useMemo(() => draft.split('\n'), [draft]);
  const from = large ? Math.max(0, (line || 1) - 200) : 0;
  const seen = large ? lines.slice(from, from + 400) : lines;
  const marks = new Map<number, Said['kind']>();
  for (const one of said) if (one.line && marks.get(one.line) !== 'error') marks.set(one.line, one.kind);
  useEffect(() => {
    const box = area.current?.parentElement;
    if (box && line) box.scrollTop = Math.max(0, (line - from - 5) * 20);
  }, [line]);
  return html`<div class="source">
    <ol class="said" aria-label="What was found in the text">${said.map((one) => html`<li class=${one.kind}>
      <button onClick=${() => point(one.line)} disabled=${!one.line} aria-pressed=${one.line > 0 && one.line === line}>
        <span class="tag">${WORDS[one.kind]}</span>${one.line > 0 && html`<span class="dim"> line ${one.line}</span>`}
        <span class="where">${one.where}</span><span>${one.text}</span>${one.hint && html`<span class="hint">${one.hint}</span>`}</button></li>`)}
      ${said.length === 0 && html`<li class="fine">Everything in it was understood, and nothing looks wrong.</li>`}</ol>
    <div class="text-wrap">
      <div class="lines" style=${{ '--lines': seen.length }}>
        <pre class="gutter" aria-hidden="true">${seen.map((_, k) => html`<span class=${`${marks.get(from + k + 1) ?? ''}${line === from + k + 1 ? ' here' : ''}`}>${MARKS[marks.get(from + k + 1) as Said['kind']] ?? ''} ${from + k + 1}\n</span>`)}</pre>
        <textarea ref=${area} class="code" spellcheck="false" wrap="off" readonly=${large} aria-label="Text of the robot" rows=${seen.length} value=${large ? seen.join('\n') : draft}
          onInput=${(event: Event) => set({ of: text, draft: (event.target as HTMLTextAreaElement).value })}></textarea>
      </div>
    </div>
    <div class="row"><button class="first" disabled=${busy || large} onClick=${() => onput(draft)}>${draft === text ? 'Put again' : 'Put the changed text'}</button>
      ${large && html`<span class="dim">Long text: 400 lines around the marked one are shown. Change the file and drop it again.</span>`}</div>
  </div>`;
}
