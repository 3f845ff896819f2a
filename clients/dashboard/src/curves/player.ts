// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/curves/player.ts - the one time cursor of a page: play, drag, step by keys.
import { html, useEffect, useRef, useState, type VNode } from '../base/html.ts';
import { number } from '../base/format.ts';
import type { Store } from '../base/store.ts';

export function Player({ time, end, begin = 0 }: { time: Store<number>; end: number; begin?: number }): VNode {
  const now = time.use();
  const [playing, play] = useState(false);
  const [speed, pace] = useState(1);
  const from = useRef(0);
  useEffect(() => {
    if (!playing) return;
    let frame = 0;
    from.current = performance.now();
    const step = (at: number): void => {
      const next = time.value + ((at - from.current) / 1000) * speed;
      from.current = at;
      if (next >= end) {
        time.set(end);
        play(false);
        return;
      }
      time.set(Math.max(begin, next));
      frame = requestAnimationFrame(step);
    };
    frame = requestAnimationFrame(step);
    return () => cancelAnimationFrame(frame);
  }, [playing, speed, end]);
  const toggle = (): void => {
    if (!playing && time.value >= end) time.set(begin);
    play(!playing);
  };
  return html`<div class="player" role="group" aria-label="Time">
    <button class="first" onClick=${toggle} aria-label=${playing ? 'Pause' : 'Play'}>${playing ? '\u275a\u275a' : '\u25b6'}</button>
    <input type="range" min=${begin} max=${end} step=${(end - begin) / 2000 || 1} value=${now} aria-label="Time cursor" aria-valuetext=${`${number(now)} s of ${number(end)} s`}
      onInput=${(event: Event) => { play(false); time.set(Number((event.target as HTMLInputElement).value)); }} />
    <span class="clock">${now.toFixed(2)} / ${number(end)} s</span>
    <select aria-label="Speed of playback" value=${speed} onChange=${(event: Event) => pace(Number((event.target as HTMLSelectElement).value))}>${[0.1, 0.25, 0.5, 1, 2, 5].map((one) => html`<option value=${one}>${one}\u00d7</option>`)}</select>
  </div>`;
}
