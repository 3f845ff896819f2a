// SPDX-License-Identifier: Apache-2.0
// docs/site/static/site.js - tabs, copying, search. Without it every block is on the page, one below the other.
'use strict';

const make = (tag, fields, ...children) => {
  const node = Object.assign(document.createElement(tag), fields);
  node.append(...children);
  return node;
};
const remembered = () => { try { return localStorage.getItem('torqued.guide.client'); } catch { return null; } };
const remember = (title) => { try { localStorage.setItem('torqued.guide.client', title); } catch { /* private window */ } };

// ---- tabs: blocks in one row, each with a title
const sets = [];
function show(set, title) {
  const chosen = set.titles.includes(title) ? title : set.titles[0];
  set.titles.forEach((one, k) => {
    set.panels[k].hidden = one !== chosen;
    set.tabs[k].setAttribute('aria-selected', one === chosen);
    set.tabs[k].tabIndex = one === chosen ? 0 : -1;
  });
}
function choose(set, title) {
  // what was clicked stays where it is, though other sets change their heights
  const before = set.list.getBoundingClientRect().top;
  remember(title);
  for (const one of sets) if (one.titles.includes(title)) show(one, title);
  scrollBy(0, set.list.getBoundingClientRect().top - before);
}
function tabbed(panels) {
  const set = { panels, titles: panels.map((panel) => panel.querySelector('.filename').textContent), tabs: [], list: make('div', { role: 'tablist', ariaLabel: 'client' }) };
  const id = `tabs-${sets.length}`;
  const box = make('div', { className: 'tabs' });
  panels[0].before(box);
  set.titles.forEach((title, k) => {
    const tab = make('button', { type: 'button', role: 'tab', id: `${id}-${k}`, textContent: title, onclick: () => choose(set, title) });
    tab.setAttribute('aria-controls', `${id}-${k}-panel`);
    tab.onkeydown = (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const next = (k + step + set.tabs.length) % set.tabs.length;
      choose(set, set.titles[next]);
      set.tabs[next].focus();
    };
    Object.assign(panels[k], { id: `${id}-${k}-panel`, role: 'tabpanel' });
    panels[k].setAttribute('aria-labelledby', tab.id);
    set.tabs.push(tab);
  });
  set.list.append(...set.tabs);
  box.append(set.list, ...panels);
  sets.push(set);
  show(set, remembered());
}
const titled = (node) => node?.classList?.contains('highlight') && node.querySelector('.filename') !== null;
for (const first of document.querySelectorAll('main .highlight')) {
  if (!titled(first) || titled(first.previousElementSibling) || first.closest('.tabs')) continue;
  const row = [first];
  while (titled(row.at(-1).nextElementSibling)) row.push(row.at(-1).nextElementSibling);
  if (row.length > 1) tabbed(row);
}

// ---- copying
for (const block of document.querySelectorAll('main .highlight:not(.language-text)')) {
  const button = make('button', { type: 'button', className: 'copy', textContent: 'Copy' });
  button.onclick = async () => {
    await navigator.clipboard?.writeText(block.querySelector('code').textContent);
    button.textContent = 'Copied';
    setTimeout(() => { button.textContent = 'Copy'; }, 1500);
  };
  block.querySelector('pre').before(button);
}

// ---- search, on this side: every word must be there; titles first, then headings, then text
const field = document.querySelector('#search');
const found = document.querySelector('#found');
const parts = document.querySelector('#parts');
let index;
function matches(words) {
  const rows = [];
  for (const [page, title, part, sections, text] of index) {
    const all = `${title} ${part} ${sections.map((one) => one[1]).join(' ')} ${text}`.toLowerCase();
    if (!words.every((word) => all.includes(word))) continue;
    const section = sections.find(([, name]) => words.every((word) => name.toLowerCase().includes(word)));
    const inTitle = words.every((word) => title.toLowerCase().includes(word));
    const at = Math.max(0, text.toLowerCase().indexOf(words[0]) - 30);
    rows.push({ rank: inTitle ? 0 : section ? 1 : 2, page, title, section, text: text.slice(at, at + 110) });
  }
  return rows.sort((a, b) => a.rank - b.rank).slice(0, 20);
}
async function search() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  found.hidden = words.length === 0;
  parts.hidden = words.length > 0;
  if (words.length === 0) return;
  index ??= await (await fetch('search.json')).json();
  const rows = matches(words);
  found.replaceChildren(...rows.map((row) => make('a', { href: `${row.page}.html${row.section ? `#${row.section[0]}` : ''}` },
    row.section ? `${row.title}: ${row.section[1]}` : row.title, make('small', { textContent: row.text }))));
  if (rows.length === 0) found.textContent = 'Nothing has all of these words.';
}
field.hidden = false;
field.addEventListener('input', search);
document.addEventListener('keydown', (event) => {
  if (event.key === '/' && !/INPUT|TEXTAREA/.test(document.activeElement.tagName)) { event.preventDefault(); field.focus(); }
});
if (matchMedia('(max-width: 52rem)').matches) parts.open = false;
