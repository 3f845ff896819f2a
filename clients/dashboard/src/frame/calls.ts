// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/src/frame/calls.ts - the line at the foot: the call that was made last, to repeat without this page.
import { curl, python, torquectl } from './commands.ts';
import { html, useState, type VNode } from '../base/html.ts';
import { lastCall } from '../base/http.ts';
import { seconds } from '../base/format.ts';
import { Choice, Copy } from '../base/parts.ts';

export function Calls(): VNode | null {
  const call = lastCall.use();
  const [open, set] = useState(false);
  const [kind, pick] = useState('curl');
  if (!call) return null;
  const text = !open ? '' : kind === 'torquectl' ? torquectl(call, location.origin) ?? '# torquectl has no command for this call' : (kind === 'curl' ? curl : python)(call, location.origin);
  return html`<footer class="calls">
    <div class="row">
      <button class="small" aria-expanded=${open} onClick=${() => set(!open)}>${open ? 'Close' : 'As a command'}</button>
      <span class="call-line"><b>${call.method}</b> <code>${call.path}</code> <span class=${call.status < 400 ? 'good' : 'bad'}>${call.status}</span> <span class="dim">${seconds(call.ms / 1000)}</span></span>
      ${open && html`<${Choice} label="Language" value=${kind} options=${[['curl', 'curl'], ['python', 'Python'], ['torquectl', 'torquectl']]} onpick=${pick} /><${Copy} text=${text} />`}
    </div>
    ${open && html`<pre tabindex="0">${text.length > 20000 ? `${text.slice(0, 20000)}\n\u2026 ${text.length - 20000} characters more: Copy has them all` : text}</pre>`}
  </footer>`;
}
