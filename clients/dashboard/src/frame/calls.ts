// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/frame/calls.ts - the line at the foot: the call that was made last, to repeat without this page.
import { html, useState, type VNode } from '../base/html.ts';
import { lastCall } from '../base/http.ts';
import { seconds } from '../base/format.ts';
import { Choice, Copy, Fault, useLoaded } from '../base/parts.ts';
import { byToken } from '../base/store.ts';

export function Calls(): VNode | null {
  const call = lastCall.use();
  const [open, set] = useState(false);
  const [kind, pick] = useState('curl');
  const [lines, away] = useLoaded(() => (open ? import('./commands.ts') : Promise.resolve(null)), open);
  if (!call) return null;
  const text = !lines ? '' : kind === 'torquectl' ? lines.torquectl(call, location.origin, Boolean(byToken.value)) ?? '# torquectl has no command for this call' : (kind === 'curl' ? lines.curl : lines.python)(call, location.origin, Boolean(byToken.value));
  return html`<footer class="calls">
    <div class="row">
      <button class="small" aria-expanded=${open} onClick=${() => set(!open)}>${open ? 'Close' : 'As a command'}</button>
      <span class="call-line"><b>${call.method}</b> <code>${call.path}</code> <span class=${call.status < 400 ? 'good' : 'bad'}>${call.status}</span> <span class="dim">${seconds(call.ms / 1000)}</span></span>
      ${lines && html`<${Choice} label="Language" value=${kind} options=${[['curl', 'curl'], ['python', 'Python'], ['torquectl', 'torquectl']]} onpick=${pick} /><${Copy} text=${text} />`}
    </div>
    <${Fault} fault=${away} />${lines && html`<pre tabindex="0">${text.length > 20000 ? `${text.slice(0, 20000)}\n\u2026 ${text.length - 20000} characters more: Copy has them all` : text}</pre>`}
  </footer>`;
}
