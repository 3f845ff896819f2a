// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/curves/plot.ts - curves over time: one time cursor for all plots of a page, limits as dashed lines, marks of events.
import uPlot from 'uplot';
import { html, useLayoutEffect, useRef, type VNode } from '../base/html.ts';
import { number } from '../base/format.ts';
import { isDark, scheme, type Store } from '../base/store.ts';

export interface Curve {
  name: string;
  values: ArrayLike<number | null>;
  tone?: number; // which of the colours; its place in the list where it is absent
  dash?: number[];
  wide?: boolean;
}

export interface Mark {
  t: number;
  text: string;
}

interface Props {
  title: string;
  unit: string;
  t: ArrayLike<number>;
  curves: Curve[];
  levels?: { value: number; text: string }[];
  marks?: Mark[];
  time?: Store<number>;
  onzoom?: (from: number, to: number) => void; // times
  onall?: () => void; // by a double click
  height?: number;
  xunit?: string;
  band?: boolean; // between the first two curves
}

/** Okabe and Ito's colours, distinguishable without red and green; darker on light, lighter on dark. Dashes repeat with another period. */
const LIGHT = ['#0072b2', '#b8560f', '#00795a', '#a8407f', '#6b5b00', '#2a86b8', '#5b4bb0', '#5f6973'];
const DARK = ['#5db4ee', '#f2994a', '#3ecf9f', '#e48cc4', '#d9c64a', '#8fd0f5', '#a99bf5', '#aab4bf'];
const DASHES: number[][] = [[], [7, 3], [2, 3], [9, 3, 2, 3], [4, 2]];

export const tone = (k: number): string => (isDark() ? DARK : LIGHT)[k % LIGHT.length]!;
const dashOf = (curve: Curve, k: number): number[] => curve.dash ?? DASHES[k % DASHES.length]!;

function extremes(values: ArrayLike<number | null>): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (let k = 0; k < values.length; k++) {
    const value = values[k];
    if (value === null || value === undefined || !Number.isFinite(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}

/** From so many px up and down for each px across on, a curve is drawn as columns. */
const RUGGED = 4;
const smooth = uPlot.paths.linear!();

function isRugged(plot: uPlot, k: number, first: number, last: number): boolean {
  const y = plot.data[k]!;
  const { min, max } = plot.scales['y']!;
  const most = ((RUGGED * plot.bbox.width) / plot.bbox.height) * (max! - min!);
  let way = 0;
  for (let i = first + 1; i <= last && way <= most; i++) way += Math.abs((y[i] ?? 0) - (y[i - 1] ?? 0));
  return way > most;
}

/** A rugged curve, such as the least and greatest values of many rows: each column of pixels from its least to its greatest value. To stroke a line of as many points,
    with dashes, takes 20 times as long. Dashes become gaps between columns. */
function drawColumns(plot: uPlot, k: number, width: number, dash: number[]): void {
  const [x, y] = [plot.data[0]!, plot.data[k]!];
  const { ctx, bbox } = plot;
  const { min, max } = plot.scales['y']!;
  const across = plot.scales['x']!;
  const [right, up] = [bbox.width / (across.max! - across.min!), bbox.height / (max! - min!)];
  const thick = width * devicePixelRatio;
  const period = dash.reduce((a, b) => a + b, 0) * devicePixelRatio;
  let [column, low, high, before] = [-1, Infinity, -Infinity, NaN];
  const flush = (): void => {
    let [rest, part] = [period ? column % period : 0, 0];
    while (period && rest >= dash[part % dash.length]! * devicePixelRatio) rest -= dash[part++ % dash.length]! * devicePixelRatio;
    if (low > high || part % 2 || column < 0 || column > bbox.width) return;
    const top = Math.max(0, (max! - high) * up - thick / 2);
    ctx.fillRect(bbox.left + column, Math.round(bbox.top + top), 1, Math.round(Math.max(thick, Math.min(bbox.height, (max! - low) * up + thick / 2) - top)));
  };
  ctx.save();
  ctx.fillStyle = plot.series[k]!.stroke instanceof Function ? (plot.series[k]!.stroke as () => string)() : (plot.series[k]!.stroke as unknown as string);
  for (let i = 0; i < x.length; i++) {
    const at = Math.floor((x[i]! - across.min!) * right);
    const value = y[i];
    if (at !== column) {
      flush();
      // from where the last column ended
      [column, low, high] = [at, Number.isNaN(before) ? Infinity : before, Number.isNaN(before) ? -Infinity : before];
    }
    before = value ?? NaN;
    if (value === null || value === undefined) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  flush();
  ctx.restore();
}

function options(props: Props, width: number, live: { current: Props }): uPlot.Options {
  const rugged = new Set<number>();
  const ink = isDark() ? '#a2adb9' : '#54606d';
  const line = isDark() ? '#2c3641' : '#dfe4ea';
  const font = '12px system-ui, sans-serif';
  const axis = { stroke: ink, font, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1, size: 5 } };
  return {
    width,
    height: props.height ?? 210,
    legend: { show: false },
    cursor: { y: false, drag: { x: true, y: false }, points: { size: 6 } },
    scales: { x: { time: false }, y: { range: (_plot, low, high) => {
      const bounds = (props.levels ?? []).map((one) => one.value).filter((value) => Math.abs(value) < 3 * Math.max(Math.abs(low), Math.abs(high), 1e-12));
      const [a, b] = [Math.min(low, ...bounds), Math.max(high, ...bounds)];
      const room = (b - a || Math.abs(b) || 1) * 0.08;
      return [a - room, b + room];
    } } },
    axes: [{ ...axis, size: 28, values: (_plot, ticks) => ticks.map((one) => number(one, 6)) }, { ...axis, size: 58, values: (_plot, ticks) => ticks.map((one) => number(one, 5)) }],
    series: [{}, ...props.curves.map((curve, k) => ({ label: curve.name, stroke: tone(curve.tone ?? k), width: curve.wide ? 2.6 : 1.6, dash: dashOf(curve, k), points: { show: false }, spanGaps: false,
      paths: (plot: uPlot, at: number, first: number, last: number) => (!props.band && isRugged(plot, at, first, last) ? (rugged.add(at), null) : (rugged.delete(at), smooth(plot, at, first, last))) }))],
    bands: props.band ? [{ series: [2, 1], fill: `${tone(0)}33` }] : [],
    hooks: {
      drawSeries: [(plot, k) => { if (rugged.has(k)) drawColumns(plot, k, props.curves[k - 1]!.wide ? 2.6 : 1.6, dashOf(props.curves[k - 1]!, k - 1)); }],
      draw: [(plot) => {
        const { ctx } = plot;
        const { left, width: wide, top, height } = plot.bbox;
        ctx.save();
        ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
        ctx.fillStyle = ink;
        ctx.textAlign = 'left'; // the axes leave another one
        ctx.strokeStyle = isDark() ? '#ff8f86' : '#b3261e';
        ctx.lineWidth = devicePixelRatio;
        for (const level of props.levels ?? []) {
          const y = plot.valToPos(level.value, 'y', true);
          if (y < top || y > top + height) continue;
          ctx.setLineDash([6 * devicePixelRatio, 4 * devicePixelRatio]);
          ctx.beginPath();
          ctx.moveTo(left, y);
          ctx.lineTo(left + wide, y);
          ctx.stroke();
          ctx.fillText(level.text, left + 6 * devicePixelRatio, y + (level.value > 0 ? 13 : -5) * devicePixelRatio);
        }
        ctx.strokeStyle = ink;
        ctx.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio]);
        let last = -Infinity;
        let line = -Infinity;
        for (const mark of props.marks ?? []) {
          const x = plot.valToPos(mark.t, 'x', true);
          if (x < left || x > left + wide) continue;
          if (x - line < 5 * devicePixelRatio) continue; // of many that are close one is drawn
          line = x;
          ctx.beginPath();
          ctx.moveTo(x, top);
          ctx.lineTo(x, top + height);
          ctx.stroke();
          if (x > last) {
            const text = mark.text.slice(0, 24);
            ctx.fillText(text, x + 3 * devicePixelRatio, top + 12 * devicePixelRatio);
            last = x + ctx.measureText(text).width + 10 * devicePixelRatio;
          }
        }
        ctx.restore();
      }],
      setSelect: [(plot) => {
        if (plot.select.width > 4) live.current.onzoom?.(plot.posToVal(plot.select.left, 'x'), plot.posToVal(plot.select.left + plot.select.width, 'x'));
      }],
    },
  };
}

export function Plot(props: Props): VNode {
  const box = useRef<HTMLDivElement>(null);
  const held = useRef<uPlot | null>(null);
  const values = useRef<HTMLUListElement>(null);
  const light = scheme.use();
  const live = useRef(props);
  live.current = props;
  const shape = `${light} ${props.title} ${props.unit} ${props.height ?? ''} ${props.curves.map((one) => `${one.name}/${one.tone}/${one.wide}`).join(' ')} ${JSON.stringify([props.levels, props.marks])}`;
  // before the page is painted: an effect after it would come a frame or two later
  useLayoutEffect(() => {
    const host = box.current!;
    const plot = new uPlot(options(props, Math.max(120, host.clientWidth), live), [props.t, ...props.curves.map((one) => one.values)] as unknown as uPlot.AlignedData, host);
    held.current = plot;
    plot.over.addEventListener('dblclick', () => live.current.onall?.());
    const now = document.createElement('div');
    now.className = 'now';
    now.hidden = !props.time;
    plot.over.append(now);
    const show = (t: number): void => {
      const at = plot.valToPos(t, 'x');
      now.hidden = !(at >= 0 && at <= plot.over.clientWidth);
      now.style.transform = `translateX(${at}px)`;
      const k = plot.valToIdx(t);
      // what rounding leaves of zero, beside what is drawn, is zero
      const least = 1e-12 * Math.max(...['min', 'max'].map((end) => Math.abs(plot.scales['y']?.[end as 'min'] ?? 0)));
      values.current?.querySelectorAll('b').forEach((cell, i) => {
        const value = (plot.data[i + 1] as (number | null)[] | undefined)?.[k] ?? null;
        cell.textContent = number(value !== null && Math.abs(value) < least ? 0 : value);
      });
    };
    let stop = (): void => {};
    if (props.time) {
      const { time } = props;
      show(time.value);
      stop = time.follow(show);
      const seek = (event: PointerEvent): void => {
        const t = plot.posToVal(event.clientX - plot.over.getBoundingClientRect().left, 'x');
        const t0 = plot.data[0]![0]!;
        const t1 = plot.data[0]!.at(-1)!;
        time.set(Math.max(t0, Math.min(t1, t)));
      };
      plot.over.addEventListener('click', seek as EventListener);
      plot.setScale = ((set) => (key: string, limits: { min: number; max: number }) => { set.call(plot, key, limits); requestAnimationFrame(() => show(time.value)); })(plot.setScale) as typeof plot.setScale;
    }
    const watcher = new ResizeObserver(() => {
      const wide = Math.max(120, host.clientWidth);
      if (wide !== plot.width) plot.setSize({ width: wide, height: props.height ?? 210 });
      if (props.time) show(props.time.value);
    });
    watcher.observe(host);
    return () => {
      stop();
      watcher.disconnect();
      plot.destroy();
      held.current = null;
    };
  }, [shape, props.time]);
  useLayoutEffect(() => {
    held.current?.setData([props.t, ...props.curves.map((one) => one.values)] as unknown as uPlot.AlignedData);
    if (props.time) props.time.set(Math.max(props.t[0] ?? 0, Math.min(props.time.value, props.t[props.t.length - 1] ?? 0)));
  }, [props.t, props.curves]);
  const said = props.curves.map((one) => {
    const [low, high] = extremes(one.values);
    return `${one.name} from ${number(low)} to ${number(high)}`;
  }).join('; ');
  return html`<figure class="plot"><figcaption><b>${props.title}</b> <span class="dim">${props.unit}</span></figcaption>
    <div ref=${box} class="plot-box" role="img" data-marks=${props.marks?.length ? props.marks.map((one) => `${number(one.t)} ${one.text}`).join(', ') : undefined} aria-label=${`${props.title}, ${props.unit}, over ${props.xunit ?? 'time in s'}: ${said}`}></div>
    <ul class="legend" ref=${values}>${props.curves.map((one, k) => html`<li><svg width="26" height="8" aria-hidden="true"><line x1="0" y1="4" x2="26" y2="4" stroke=${tone(one.tone ?? k)} stroke-width=${one.wide ? 3 : 2} stroke-dasharray=${dashOf(one, k).join(' ')} /></svg>
      <span>${one.name}</span>${props.time && html`<b>${number(one.values[0])}</b>`}</li>`)}</ul></figure>`;
}
