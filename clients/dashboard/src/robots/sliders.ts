// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/robots/sliders.ts - one row for each coordinate: a slider, its number, its unit.
import { html, type VNode } from '../base/html.ts';
import { motionUnit, number, type Unit } from '../base/format.ts';
import { handles, start } from './pose.ts';
import { degrees } from '../base/store.ts';
import type { Robot } from '../base/types.ts';

interface RowProps {
  name: string;
  value: number;
  range: [number, number];
  unit: Unit;
  limited?: [number | undefined, number | undefined];
  onvalue: (value: number) => void;
  selected?: boolean;
}

export function SliderRow({ name, value, range, unit, onvalue, selected }: RowProps): VNode {
  const low = Math.min(range[0], value);
  const high = Math.max(range[1], value);
  const outside = value < range[0] - 1e-9 || value > range[1] + 1e-9;
  const type = (event: Event): void => {
    const typed = Number((event.target as HTMLInputElement).value);
    if (Number.isFinite(typed)) onvalue(typed / unit.factor);
  };
  return html`<div class=${`slider${selected ? ' selected' : ''}${outside ? ' outside' : ''}`}>
    <span class="slider-name" title=${name}>${name}</span>
    <input type="range" min=${low} max=${high} step=${(high - low) / 1000 || 1e-3} value=${value} aria-label=${name}
      aria-valuetext=${`${number(value * unit.factor)} ${unit.name}${outside ? ', outside its limits' : ''}`}
      onInput=${(event: Event) => onvalue(Number((event.target as HTMLInputElement).value))} />
    <input type="number" step="any" value=${Number((value * unit.factor).toPrecision(5))} aria-label=${`${name}, ${unit.name}`} onChange=${type} />
    <span class="unit">${unit.name}</span>
  </div>`;
}

interface Props {
  robot: Robot;
  q: number[];
  onq: (q: number[]) => void;
  selected?: string;
}

export function PoseSliders({ robot, q, onq, selected }: Props): VNode {
  degrees.use();
  const rows = handles(robot);
  const random = (): void => {
    let next = q;
    for (const row of rows) next = row.write(next, row.range[0] + Math.random() * (row.range[1] - row.range[0]));
    onq(next);
  };
  const middle = (): void => {
    let next = q;
    for (const row of rows) next = row.write(next, (row.range[0] + row.range[1]) / 2);
    onq(next);
  };
  return html`<section class="panel sliders" aria-label="Joint positions">
    <div class="panel-head"><h2>Pose</h2><div class="row tight">
      <button class="small" onClick=${() => onq(start(robot))}>Zero</button><button class="small" onClick=${middle}>Middle</button><button class="small" onClick=${random}>Random</button></div></div>
    ${rows.map((row) => html`<${SliderRow} key=${row.name} name=${row.name} value=${row.read(q)} range=${row.range} selected=${selected !== undefined && row.joint.child === selected}
      unit=${row.turns ? motionUnit(undefined, 0) : { name: 'm', factor: 1 }} onvalue=${(value: number) => onq(row.write(q, value))} />`)}
  </section>`;
}
