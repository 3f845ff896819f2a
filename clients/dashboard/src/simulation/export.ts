// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/simulation/export.ts - a playback as a file, made by the browser: a video as it is played, a GIF picture by picture.
import { Gif } from './gif.ts';
import { html, useState, type VNode } from '../base/html.ts';
import { save } from '../base/parts.ts';
import type { Store } from '../base/store.ts';

interface Props {
  canvas: () => HTMLCanvasElement | null;
  time: Store<number>;
  end: number;
}

const VIDEO_LEAST_S = 1;
const VIDEO_HEAD = 1000; // bytes: more than a file without a picture has
const GIF_WIDTH = 480;
const GIF_FRAMES = 120;
const GIF_DELAY = 8; // hundredths of a second

/** The next drawing of a canvas of WebGL, before the browser takes its pixels away; or the end of waiting, where nothing has moved. */
function drawn(source: HTMLCanvasElement): Promise<boolean> {
  return new Promise((done) => {
    const watcher = new MutationObserver(() => end(true));
    const timer = setTimeout(() => end(false), 500);
    const end = (is: boolean): void => { watcher.disconnect(); clearTimeout(timer); done(is); };
    watcher.observe(source, { attributes: true, attributeFilter: ['data-frames'] });
  });
}

/** A copy of the picture on the page's ground, which the picture itself does not have. */
function copyOf(source: HTMLCanvasElement, width: number): { own: CanvasRenderingContext2D; take: () => void } {
  const height = Math.round((source.height * width) / source.width);
  const own = Object.assign(document.createElement('canvas'), { width, height }).getContext('2d', { willReadFrequently: true })!;
  own.fillStyle = getComputedStyle(document.body).backgroundColor;
  return { own, take: () => {
    own.fillRect(0, 0, width, height);
    own.drawImage(source, 0, 0, width, height);
  } };
}

/** At its first picture, drawn just now: from the last one, since what does not move is not drawn. */
async function toBegin(source: HTMLCanvasElement, time: Store<number>, end: number): Promise<void> {
  for (const at of [end, 0]) {
    const next = drawn(source);
    time.set(at);
    await next;
  }
}

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/** As it is played, in real time; a run shorter than the least length is played slower. The encoder starts when it can: until it writes, the first picture is held. */
async function video({ canvas, time, end }: Props): Promise<void> {
  const source = canvas()!;
  const { own, take } = copyOf(source, source.width - (source.width % 2)); // codecs take even sizes
  const parts: Blob[] = [];
  const recorder = new MediaRecorder(own.canvas.captureStream(30));
  let written = 0;
  recorder.ondataavailable = (event) => { parts.push(event.data); written += event.data.size; };
  const stopped = new Promise((done) => { recorder.onstop = done; });
  recorder.start(100);
  await toBegin(source, time, end);
  take();
  for (let tries = 0; written < VIDEO_HEAD && tries < 200; tries++) {
    await pause(50);
    own.drawImage(own.canvas, 0, 0); // the same picture once more: a stream has those that are drawn
  }
  const seconds = Math.max(end, VIDEO_LEAST_S);
  const begun = performance.now();
  for (let part = 0; part < 1;) {
    part = Math.min(1, (performance.now() - begun) / 1000 / seconds);
    const next = drawn(source);
    time.set(part * end);
    if (await next) take();
  }
  for (let tries = 0; tries < 6; tries++) {
    await pause(50);
    own.drawImage(own.canvas, 0, 0); // the last picture is one of the stream's
  }
  recorder.stop();
  await stopped;
  save(`simulation.${recorder.mimeType.includes('mp4') ? 'mp4' : 'webm'}`, new Blob(parts, { type: recorder.mimeType }));
}

async function gif({ canvas, time, end }: Props, say: (part: number) => void): Promise<void> {
  const source = canvas()!;
  const { own, take } = copyOf(source, Math.min(GIF_WIDTH, source.width));
  const { width, height } = own.canvas;
  const frames = Math.max(2, Math.min(GIF_FRAMES, Math.round((end * 100) / GIF_DELAY)));
  const made = new Gif(width, height, Math.max(2, Math.round((end * 100) / frames)));
  const was = time.value;
  await toBegin(source, time, end);
  take();
  for (let k = 0; k < frames; k++) {
    if (k > 0) {
      const next = drawn(source);
      time.set((end * k) / (frames - 1));
      if (await next) take();
    }
    made.add(own.getImageData(0, 0, width, height).data);
    say((k + 1) / frames);
  }
  time.set(was);
  save('simulation.gif', made.blob());
}

export function Exports(props: Props): VNode {
  const [busy, set] = useState('');
  const run = (name: string, work: () => Promise<void>) => (): void => {
    const source = props.canvas();
    if (!source) return;
    source.dataset['held'] = '1';
    set(name);
    void work().finally(() => {
      delete source.dataset['held'];
      set('');
    });
  };
  return html`${typeof MediaRecorder !== 'undefined' && html`<button class="small" disabled=${busy !== ''} onClick=${run('Recording\u2026', () => video(props))}>${busy === 'Recording\u2026' ? busy : 'Video'}</button>`}
    <button class="small" disabled=${busy !== ''} onClick=${run('0 %', () => gif(props, (part) => set(`${Math.round(100 * part)} %`)))}>${busy.endsWith('%') ? busy : 'GIF'}</button>`;
}
