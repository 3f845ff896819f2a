// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/base/parts.ts - small pieces that every page uses: faults, notes with undo, empty states, copying, dropping files.
import { html, useEffect, useLayoutEffect, useRef, useState, type ComponentChildren, type VNode } from './html.ts';
import { back, Problem } from './http.ts';
import { Store } from './store.ts';

export function Fault({ fault }: { fault: Error | null | undefined }): VNode | null {
  if (!fault) return null;
  const document = fault instanceof Problem ? fault.document : null;
  return html`<div class="fault" role="alert">
    <strong>${document?.title ?? 'Something is wrong'}</strong>
    ${fault.message && fault.message !== document?.title && html`<p>${fault.message}</p>`}
    ${document?.errors?.map((one) => html`<p class="place"><code>${one.pointer}</code> ${!fault.message.includes(one.detail) && one.detail}
      ${one.hint && html`<span class="hint">${one.hint}</span>`}</p>`)}
    ${document && document.type.startsWith('/problems/') && html`<p><a href=${document.type} target="_blank" rel="noreferrer">What this means and how to mend it</a></p>`}
  </div>`;
}

export function FieldFault({ fault, pointers }: { fault: Error | null; pointers: string[] }): VNode | null {
  const found = fault instanceof Problem ? fault.of(...pointers) : undefined;
  return found ? html`<p class="field-fault" role="alert">${found.detail}${found.hint && html`<span class="hint">${found.hint}</span>`}</p>` : null;
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }): VNode {
  return html`<div class="empty"><h2>${title}</h2>${children}</div>`;
}

interface Note {
  text: string;
  undo?: () => void;
  then?: () => void; // when it passes without undo
}

export const note = new Store<Note | null>(null);

/** Says what was done; `act` happens when the note goes, unless it is undone. */
export function say(text: string, act?: () => void, undone?: () => void): void {
  note.value?.then?.();
  note.set({ text, then: act, undo: act ? undone ?? (() => {}) : undefined });
}

export function Notes(): VNode {
  const now = note.use();
  useEffect(() => {
    if (!now) return;
    const pass = (): void => {
      now.then?.();
      now.then = undefined;
      if (note.value === now) note.set(null);
    };
    const timer = setTimeout(pass, now.undo ? 7000 : 4000);
    addEventListener('pagehide', pass);
    return () => {
      clearTimeout(timer);
      removeEventListener('pagehide', pass);
    };
  }, [now]);
  return html`<div class="notes" role="status">${now && html`<div class="note"><span>${now.text}</span>
    ${now.undo && html`<button onClick=${() => { now.then = undefined; now.undo?.(); note.set(null); }}>Undo</button>`}</div>`}</div>`;
}

export function Copy({ text, label = 'Copy' }: { text: string; label?: string }): VNode {
  const [done, set] = useState(false);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // without a secure context there is no clipboard: the old way
      const area = document.createElement('textarea');
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand('copy');
      area.remove();
    }
    set(true);
    setTimeout(() => set(false), 1500);
  };
  return html`<button class="small" onClick=${copy}>${done ? 'Copied' : label}</button>`;
}

/** A place for files: dropped on it, or chosen by its button. */
export function Drop({ accept, title, children, ondrop }: { accept: string; title: string; children?: ComponentChildren; ondrop: (files: File[]) => void }): VNode {
  const [over, set] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const take = (list: FileList | null | undefined): void => {
    if (list?.length) ondrop([...list]);
  };
  return html`<div class=${`drop${over ? ' over' : ''}`}
    onDragOver=${(event: DragEvent) => { event.preventDefault(); set(true); }}
    onDragLeave=${() => set(false)}
    onDrop=${(event: DragEvent) => { event.preventDefault(); set(false); take(event.dataTransfer?.files); }}>
    <button type="button" class="first" onClick=${() => input.current?.click()}>${title}</button>
    <input ref=${input} type="file" multiple accept=${accept} class="away" tabindex="-1" aria-label=${title}
      onChange=${(event: Event) => { const box = event.target as HTMLInputElement; take(box.files); box.value = ''; }} />
    <div class="drop-text">${children}</div>
  </div>`;
}

/** Puts a file into the reader's folder of downloads. */
export function save(name: string, data: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(data);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** A value that is loaded when `key` changes: undefined until it is there; at first `known`, where it was asked for before. */
export function useLoaded<T>(load: () => Promise<T>, key: unknown, known?: T): [T | undefined, Error | null, () => void] {
  const [state, set] = useState<{ value?: T; fault: Error | null; key: unknown }>({ value: known, fault: null, key });
  const [turn, again] = useState(0);
  useLayoutEffect(() => { // the request is under way before the page is painted
    if (known !== undefined && state.value === known && state.key === key && !turn) return;
    let live = true;
    load().then((value) => live && set({ value, fault: null, key }), (fault: Error) => live && set((old) => ({ ...old, fault, key })));
    return () => { live = false; };
  }, [key, turn]);
  // what failed while the service was away is asked for again when it is back
  useEffect(() => back.follow(() => { if (state.fault) again((n) => n + 1); }), [state.fault]);
  return [state.key === key ? state.value : undefined, state.key === key ? state.fault : null, () => again((n) => n + 1)];
}

export function Choice({ label, value, options, onpick }: { label: string; value: string; options: [string, string][]; onpick: (value: string) => void }): VNode {
  return html`<div class="choice" role="group" aria-label=${label}>${options.map(([key, text]) => html`<button aria-pressed=${key === value}
    onClick=${() => onpick(key)}>${text}</button>`)}</div>`;
}
