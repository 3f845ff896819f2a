// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/torque/bars.ts - torque of each joint by term: a bar stacked to either side of zero, its sum, its limits.
import { html, type VNode } from '../base/html.ts';
import { effortUnit, number } from '../base/format.ts';
import { tone } from '../curves/plot.ts';
import { scheme } from '../base/store.ts';
import type { Joint } from '../base/types.ts';

export const TERMS = ['gravity', 'inertia', 'coriolis', 'centrifugal', 'friction', 'rotor', 'spring', 'external', 'constraint'] as const;
export type Term = (typeof TERMS)[number];
export type Ledger = Partial<Record<Term | 'sum', number[] | number[][]>>;

/** What rounding leaves of zero is shown as zero. */
export const rounded = (value: number): number => (Math.abs(value) < 1e-9 ? 0 : value);

interface Props {
  axes: { joint: Joint; name: string }[];
  ledger: Partial<Record<Term, number[]>>;
  tau: number[];
  common: boolean; // one scale for all joints of a unit, else each its own
}

/** Terms that are somewhere not zero, in the order in which they are stacked. */
export const present = (ledger: Partial<Record<string, number[] | number[][]>>): Term[] =>
  TERMS.filter((term) => (ledger[term] as (number | number[])[] | undefined)?.some((one) => (Array.isArray(one) ? one.some((x) => Math.abs(x) > 1e-12) : Math.abs(one) > 1e-12)));

export const toneOf = (term: Term): number => TERMS.indexOf(term);

export function TorqueBars({ axes, ledger, tau, common }: Props): VNode {
  scheme.use();
  const terms = present(ledger);
  const stacks = axes.map((_, k) => {
    let up = 0;
    let down = 0;
    const parts = terms.map((term) => {
      const value = ledger[term]![k]!;
      const from = value >= 0 ? up : down;
      if (value >= 0) up += value;
      else down += value;
      return { term, value, from };
    });
    const reach = Math.max(up, -down, Math.abs(tau[k]!));
    return { parts, reach: reach < 1e-9 ? 0 : reach };
  });
  const reachOf = (k: number): number => {
    const own = (i: number): number => Math.max(stacks[i]!.reach, axes[i]!.joint.limits?.effort ?? 0);
    if (!common) return own(k) * 1.04 || 1;
    return Math.max(...axes.map((axis, i) => (effortUnit(axis.joint) === effortUnit(axes[k]!.joint) ? own(i) : 0))) * 1.04 || 1;
  };
  return html`<div class="bars">
    <ul class="legend">${terms.map((term) => html`<li><svg width="14" height="12" aria-hidden="true"><rect width="14" height="12" rx="2" fill=${tone(toneOf(term))} /></svg>${term}</li>`)}
      <li><svg width="14" height="14" aria-hidden="true"><path d="M7 0v14" stroke="currentColor" stroke-width="3" /></svg>sum</li><li><svg width="14" height="14" aria-hidden="true"><path d="M3 1h5v12H3" fill="none" stroke="currentColor" stroke-width="1.5" /></svg>limit</li></ul>
    ${axes.map((axis, k) => {
      const limit = axis.joint.limits?.effort;
      const reach = reachOf(k);
      const x = (value: number): number => 50 + (rounded(value) / reach) * 50;
      const over = limit !== undefined && Math.abs(tau[k]!) > limit;
      const unit = effortUnit(axis.joint);
      return html`<div class=${`bar${over ? ' over' : ''}`} key=${axis.name}>
        <span class="bar-name">${axis.name}</span>
        <span class="bar-value"><b>${number(rounded(tau[k]!))}</b> ${unit}${limit !== undefined && html` <span class=${over ? 'bad' : 'dim'}>${over ? 'above ' : 'of '}${number(limit)}</span>`}</span>
        <svg viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label=${`${axis.name}: ${number(tau[k])} ${unit}${limit === undefined ? '' : ` of ${number(limit)}`}; ${stacks[k]!.parts.map((part) => `${part.term} ${number(part.value)}`).join(', ')}`}>
          ${limit !== undefined && html`<rect class="within" x=${x(-limit)} width=${Math.max(0, x(limit) - x(-limit))} y="0" height="10" />`}
          ${stacks[k]!.parts.map((part) => html`<rect x=${Math.min(x(part.from), x(part.from + part.value))} width=${Math.abs(part.value / reach) * 50} y="2" height="6" fill=${tone(toneOf(part.term))}><title>${part.term} ${number(part.value)} ${unit}</title></rect>`)}
          <path class="zero" d="M50 0V10" />
          ${limit !== undefined && [limit, -limit].map((one) => html`<path class="limit" d=${`M${x(one)} 0V10`} />`)}
          <path class="sum" d=${`M${x(tau[k]!)} 0V10`} />
        </svg></div>`;
    })}</div>`;
}
