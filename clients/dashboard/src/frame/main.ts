// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/frame/main.ts - the frame of the page: where one is, angles, light and dark, the last call, login.
import { Calls } from './calls.ts';
import { html, render, useEffect, useState, type VNode } from '../base/html.ts';
import { back, loginAsked, lost, send } from '../base/http.ts';
import { loadRest, Page, shownAt } from './pages.ts';
import { Fault, Notes } from '../base/parts.ts';
import { askEarly } from '../robots/robots.ts';
import { address, byToken, degrees, robotInUse, route, theme } from '../base/store.ts';

const PLACES: { key: string; text: string; of: (robot: string) => string[] }[] = [
  { key: 'robots', text: 'Robots', of: () => ['robots'] },
  { key: 'torque', text: 'Torques', of: (robot) => ['robots', robot || 'ur5e', 'torque'] },
  { key: 'simulate', text: 'Simulation', of: (robot) => ['robots', robot || 'ur5e', 'simulate'] },
  { key: 'calibrate', text: 'Calibration', of: (robot) => ['robots', robot || 'panda', 'calibrate'] },
  { key: 'jobs', text: 'Jobs', of: () => ['jobs'] },
  { key: 'sessions', text: 'Sessions', of: () => ['sessions'] },
  { key: 'datasets', text: 'Datasets', of: () => ['datasets'] },
  { key: 'service', text: 'Service', of: () => ['service'] },
];

function place(parts: string[]): string {
  if (parts[0] === 'robots' && parts[2]) return parts[2];
  return parts[0] ?? 'robots';
}

function Login(): VNode | null {
  const asked = loginAsked.use();
  const [fault, set] = useState<Error | null>(null);
  // what is behind it waits, for the keyboard too
  useEffect(() => { for (const one of document.querySelectorAll<HTMLElement>('header, main, .calls')) one.inert = asked; }, [asked]);
  useEffect(() => { if (asked) document.querySelector<HTMLInputElement>('.login input')?.focus(); }, [asked]);
  if (!asked) return null;
  const enter = async (event: Event): Promise<void> => {
    event.preventDefault();
    const token = (new FormData(event.target as HTMLFormElement).get('token') as string).trim();
    try {
      await send('POST', '/v1/session', { headers: { Authorization: `Bearer ${token}` }, quiet: true });
      byToken.set('1');
      loginAsked.set(false);
      // what was typed stays; what was refused is asked for anew
      back.set(back.value + 1);
    } catch (wrong) {
      set(wrong as Error);
    }
  };
  return html`<div class="veil"><form class="login" role="dialog" aria-modal="true" onSubmit=${enter} aria-labelledby="login-title">
    <h2 id="login-title">This service asks for a token</h2>
    <p>Whoever runs it has one for you. It is exchanged for a cookie that scripts cannot read, and opens for twelve hours.</p>
    <label>Token<input name="token" type="password" autocomplete="current-password" required autofocus /></label>
    <${Fault} fault=${fault} />
    <button class="first">Open</button>
  </form></div>`;
}

function Shell(): VNode {
  const { parts } = route.use();
  const [first = 'robots', name] = parts;
  const here = place(parts);
  const robot = robotInUse.use();
  const angles = degrees.use();
  const light = theme.use();
  const away = lost.use();
  useEffect(() => { document.documentElement.dataset['theme'] = light; }, [light]);
  useEffect(loadRest, []);
  useEffect(() => {
    if (first === 'robots' && name) robotInUse.set(name);
    document.title = `${(first === 'jobs' ? 'Job' : first === 'sessions' ? 'Session' : name) ?? (first[0] ?? '').toUpperCase() + first.slice(1)} \u00b7 torqued`;
  }, [first, name]);
  // where there is no room for all pages, the present one is in sight
  useEffect(() => document.querySelector('nav [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' }), [here]);
  const next: Record<string, string> = { auto: 'light', light: 'dark', dark: 'auto' };
  return html`<a class="skip" href="#main" onClick=${(event: Event) => { event.preventDefault(); document.getElementById('main')?.focus(); }}>To the content</a>
    <header>
      <a class="mark" href=${address(['robots'])}><svg viewBox="0 0 16 16" aria-hidden="true"><path d="M3 14V8l7-5" /><circle cx="3" cy="8" r="2" /><circle cx="10" cy="3" r="2" /></svg>torqued</a>
      <nav aria-label="Pages">${PLACES.map((one) => html`<a href=${address(one.of(robot))} aria-current=${one.key === here ? 'page' : undefined}>${one.text}</a>`)}</nav>
      <div class="switches">
        <button onClick=${() => degrees.set(angles === 'deg' ? 'rad' : 'deg')} title="Angles in radians or degrees" aria-label=${`Angles in ${angles === 'deg' ? 'degrees' : 'radians'}: change`}>${angles}</button>
        <button onClick=${() => theme.set(next[light]!)} title="Light, dark, or as the system has it" aria-label=${`Colours: ${light}: change`}>${light}</button>
        <a href="/docs">Docs</a>
      </div>
    </header>
    ${away && html`<div class="away-bar" role="alert">The service does not answer. Nothing is lost; this page goes on when it is back.</div>`}
    <main id="main" tabindex="-1"><${Page} parts=${parts} /></main>
    <${Calls} /><${Notes} /><${Login} />`;
}

document.documentElement.dataset['theme'] = theme.value;
// what the page needs is on its way before anything is drawn
const { part } = shownAt(route.value.parts);
const needed: Promise<unknown> = part ? part.load().catch(() => {}) : askEarly();
// the frame as the document itself has it is painted first; its elements stay, and the page is drawn once where what it needs comes soon
const painted = new Promise((go) => { if (document.visibilityState === 'hidden') go(0); else requestAnimationFrame(() => setTimeout(go)); });
void Promise.all([painted, Promise.race([needed, new Promise((go) => setTimeout(go, 300))])]).then(() => render(html`<${Shell} />`, document.getElementById('app')!));
