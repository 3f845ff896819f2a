// SPDX-License-Identifier: Apache-2.0
// api/docs/docs.js - lays /openapi.json out as a page and sends its requests; every text enters it as text, never as markup.
'use strict';

const METHODS = ['get', 'put', 'post', 'delete'];
const SHOWN_BYTES = 200000; // of an answer
const WIDTH = 92; // columns of printed JSON

function make(name, attributes, ...children) {
  const element = document.createElement(name);
  Object.entries(attributes).forEach(([key, value]) => { element[key] = value; });
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

// Markdown of the contract: `code`, **strong**, [text](address), blank lines between paragraphs, lists of lines with "- ".
function inline(text) {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*|\[[^\]]+\]\((?:\/|#|https:)[^)\s]*\))/).filter(Boolean).map((part) => {
    const link = /^\[([^\]]+)\]\(([^)]+)\)$/.exec(part);
    if (link) return make('a', { href: link[2], textContent: link[1] });
    if (/^`.+`$/.test(part)) return make('code', { textContent: part.slice(1, -1) });
    return /^\*\*.+\*\*$/.test(part) ? make('strong', { textContent: part.slice(2, -2) }) : part;
  });
}

function prose(text) {
  return (text || '').split(/\n\s*\n/).filter((part) => part.trim()).map((part) => {
    const lines = part.split('\n');
    if (!lines.every((line) => line.startsWith('- '))) return make('p', {}, ...inline(part));
    return make('ul', {}, ...lines.map((line) => make('li', {}, ...inline(line.slice(2)))));
  });
}

// on one line, with spaces
function flat(value) {
  if (Array.isArray(value)) return `[${value.map(flat).join(', ')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  return `{${Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${flat(one)}`).join(', ')}}`;
}

// JSON in lines of WIDTH: what fits into one line stays in one, so a matrix is a line a row.
function pretty(value, indent = '') {
  if (value === null || typeof value !== 'object' || indent.length + JSON.stringify(value).length <= WIDTH) return flat(value);
  const deeper = `${indent}  `;
  if (Array.isArray(value) && value.every((one) => typeof one !== 'object')) {
    const lines = [''];
    value.forEach((one, i) => {
      const text = JSON.stringify(one) + (i + 1 < value.length ? ', ' : '');
      if (lines.at(-1).length + text.length > WIDTH - deeper.length) lines.push('');
      lines[lines.length - 1] += text;
    });
    return `[\n${lines.map((line) => deeper + line.trimEnd()).join('\n')}\n${indent}]`;
  }
  const parts = Array.isArray(value) ? value.map((one) => deeper + pretty(one, deeper))
    : Object.entries(value).map(([key, one]) => `${deeper}${JSON.stringify(key)}: ${pretty(one, deeper)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${parts.join(',\n')}\n${indent}${close}`;
}

// ---- plots: arrays of numbers, or of rows of them, as long as `t`

function svg(name, attributes, text) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  Object.entries(attributes).forEach(([key, value]) => element.setAttribute(key, value));
  if (text !== undefined) element.textContent = text;
  return element;
}

function ticks(low, high) {
  const raw = (high - low) / 4 || 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((k) => k * power).find((k) => k >= raw);
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.floor(high / step + 1e-9) - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

function plot(name, t, rows) {
  const columns = Array.isArray(rows[0]) ? rows[0].map((_, j) => rows.map((row) => row[j])) : [rows];
  const all = columns.flat();
  const width = Math.min(900, window.innerWidth - 34); // drawn at its size, so that text keeps its own
  const [left, right, top, bottom] = [62, width - 12, 12, 196];
  let [low, high] = [Math.min(...all), Math.max(...all)];
  if (high - low <= 1e-12 * Math.max(Math.abs(low), Math.abs(high))) [low, high] = [low - 1, high + 1];
  const [begin, end] = [t[0], t.at(-1)];
  const x = (value) => left + ((right - left) * (value - begin)) / (end - begin || 1);
  const y = (value) => bottom - ((bottom - top) * (value - low)) / (high - low);
  const drawing = svg('svg', { viewBox: `0 0 ${width} 226`, role: 'img', 'aria-label': `${name} over t` });
  ticks(low, high).forEach((value) => drawing.append(svg('line', { class: 'axis', x1: left, x2: right, y1: y(value), y2: y(value) }),
    svg('text', { x: left - 6, y: y(value) + 4, 'text-anchor': 'end' }, String(value))));
  ticks(begin, end).forEach((value) => drawing.append(svg('text', { x: x(value), y: bottom + 16, 'text-anchor': 'middle' }, String(value))));
  drawing.append(svg('text', { x: right, y: 222, 'text-anchor': 'end' }, 't, s'));
  const legend = make('div', { className: 'legend' });
  columns.forEach((column, j) => {
    const colour = `hsl(${(j * 360) / Math.max(columns.length, 3) + 210} 70% 52%)`;
    const line = svg('polyline', { points: column.map((value, i) => `${x(t[i]).toFixed(2)},${y(value).toFixed(2)}`).join(' ') });
    line.style.stroke = colour;
    drawing.append(line);
    const label = make('span', { textContent: columns.length > 1 ? `${name}[${j}]` : name });
    label.style.setProperty('--c', colour);
    legend.append(label);
  });
  return make('div', {}, drawing, legend);
}

function plots(answer) {
  const { t } = answer || {};
  const isNumbers = (list) => Array.isArray(list) && list.every((one) => typeof one === 'number');
  if (!isNumbers(t) || t.length < 3) return [];
  return Object.entries(answer).filter(([name, rows]) => name !== 't' && Array.isArray(rows) && rows.length === t.length
    && (isNumbers(rows) || rows.every((row) => isNumbers(row) && row.length > 0 && row.length <= 32 && row.length === rows[0].length)))
    .map(([name, rows]) => plot(name, t, rows));
}

function start(contract) {
  const follow = (part) => {
    while (part && part.$ref) {
      const { $ref, ...beside } = part;
      part = { ...$ref.slice(2).split('/').reduce((at, key) => at[key], contract), ...beside };
    }
    return part || {};
  };

  const kind = (schema) => {
    const one = follow(schema);
    const choice = one.oneOf || one.anyOf;
    if (choice) return choice.map(kind).join(' or ');
    if (one.enum) return one.enum.map((value) => JSON.stringify(value)).join(' | ');
    if ('const' in one) return JSON.stringify(one.const);
    if (one.type === 'array') return `array of ${one.items ? kind(one.items) : 'anything'}`;
    return [].concat(one.type || 'anything').join(' or ');
  };

  const bounds = (schema) => Object.entries({
    minimum: 'from', maximum: 'to', exclusiveMinimum: 'above', exclusiveMaximum: 'below',
    minItems: 'items at least', maxItems: 'items at most', maxLength: 'letters at most', pattern: 'like',
  }).filter(([key]) => key in schema).map(([key, word]) => `${word} ${JSON.stringify(schema[key])}`).join(', ');

  // objects inside, through arrays and choices
  const inside = (schema) => {
    const one = follow(schema);
    if (one.properties) return [one];
    if (one.items) return inside(one.items);
    return (one.oneOf || one.anyOf || one.allOf || []).flatMap(inside);
  };

  // names of fields at any depth, for the search
  const namesIn = (schema, seen = new Set()) => inside(schema).filter((object) => !seen.has(object.properties)).flatMap((object) => {
    seen.add(object.properties);
    return Object.entries(object.properties).flatMap(([name, one]) => [name, ...namesIn(one, seen)]);
  });

  function field(name, schema, needed) {
    const one = follow(schema);
    const head = [make('code', { textContent: name }), ' ', make('span', { className: 'kind', textContent: kind(schema) }),
      needed ? make('span', { className: 'need', textContent: '  required' }) : null,
      make('span', {}, ' ', ...inline([one.description, bounds(one)].filter(Boolean).join(' ')))];
    const objects = inside(schema);
    if (!objects.length) return make('div', { className: 'leaf' }, ...head);
    const details = make('details', {}, make('summary', {}, ...head));
    details.addEventListener('toggle', () => {
      if (details.childElementCount === 1) objects.forEach((object) => details.append(...fields(object)));
    });
    return details;
  }

  function fields(schema) {
    return inside(schema).flatMap((object) => Object.entries(object.properties)
      .map(([name, one]) => field(name, one, (object.required || []).includes(name))));
  }

  // ---- requests

  const token = make('input', { className: 'path', type: 'password', autocomplete: 'off' });
  const authorization = () => (token.value ? { Authorization: `Bearer ${token.value}` } : {});
  const ask = async (path, method, body, media) => {
    const reply = await fetch(path, { method, body, headers: { ...authorization(), ...(media ? { 'Content-Type': media } : {}) } });
    if (!reply.ok && reply.status !== 409) throw new Error(`${path}: ${reply.status} ${await reply.text()}`);
    return reply;
  };

  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  const curlLine = (method, path, body, media) => ['curl -s', method === 'get' || (method === 'post' && body) ? null : `-X ${method.toUpperCase()}`,
    quoted(`${window.location.origin}${path}`), token.value ? '-H "Authorization: Bearer $TOKEN"' : null,
    body ? `-H ${quoted(`Content-Type: ${media}`)} ${method === 'put' ? '--data-binary' : '-d'} ${quoted(body)}` : null].filter(Boolean).join(' ');

  async function show(reply, ms, out) {
    const media = reply.headers.get('Content-Type') || '';
    const status = make('span', { className: `status ${reply.ok ? 'good' : 'bad'}`, textContent: `${reply.status} ${reply.statusText}` });
    const text = await reply.text();
    let answer = null;
    try { answer = /json/.test(media) ? JSON.parse(text) : null; } catch { answer = null; }
    const printed = answer === null ? text : pretty(answer);
    out.replaceChildren(make('p', {}, status, ` ${media}, ${text.length.toLocaleString('en')} bytes, ${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms here and back`),
      ...(answer ? plots(answer) : []),
      make('pre', { tabIndex: 0, textContent: printed.slice(0, SHOWN_BYTES) + (printed.length > SHOWN_BYTES ? '\n... cut here' : '') }));
  }

  function attempt(method, path, content, examples) {
    const media = Object.keys(content).find((name) => /json|csv|xml/.test(name)) || Object.keys(content)[0];
    const takesBody = Object.keys(content).length > 0;
    const names = Object.keys(examples);
    const address = (example) => path.replace(/\{(name|id|field)\}/g, (all, key) => (key === 'name' && path.includes('robots') ? (example || {})['x-robot'] || 'panda' : all));
    const where = make('input', { className: 'path wide', value: address(examples[names[0]]), ariaLabel: 'address' });
    const body = takesBody ? make('textarea', { rows: names.length ? 8 : 3, spellcheck: false, ariaLabel: 'body' }) : null;
    const choice = names.length ? make('select', { className: 'wide', ariaLabel: 'example' }, ...names
      .map((name) => make('option', { value: name, textContent: `${name}${examples[name].summary ? `: ${examples[name].summary}` : ''}` }))) : null;
    const out = make('div', { ariaLive: 'polite' });
    const load = () => {
      where.value = address(examples[choice.value]);
      body.value = pretty(examples[choice.value].value);
    };
    if (choice) {
      choice.addEventListener('change', load);
      load();
    }
    const send = make('button', { type: 'button', className: 'first', textContent: 'Send' });
    send.addEventListener('click', async () => {
      out.replaceChildren(make('p', { textContent: 'waiting ...' }));
      const begin = performance.now();
      try {
        const text = body && body.value ? body.value : undefined;
        const reply = await fetch(where.value, { method: method.toUpperCase(), body: text, headers: { ...authorization(), ...(text ? { 'Content-Type': media } : {}) } });
        await show(reply, performance.now() - begin, out);
      } catch (fault) {
        out.replaceChildren(make('p', { className: 'bad', textContent: String(fault) }));
      }
    });
    const copy = make('button', { type: 'button', textContent: 'Copy as curl' });
    copy.addEventListener('click', async () => {
      let text = body ? body.value : '';
      try { text = /json/.test(media) && text ? JSON.stringify(JSON.parse(text)) : text; } catch { /* as it is written */ }
      const line = curlLine(method, where.value, text, media);
      try {
        await navigator.clipboard.writeText(line);
        out.replaceChildren(make('p', { textContent: 'copied:' }), make('pre', { tabIndex: 0, textContent: line }));
      } catch {
        out.replaceChildren(make('pre', { tabIndex: 0, textContent: line }));
      }
    });
    return [make('h3', { textContent: names.length ? 'Try it' : 'Send it' }), choice ? make('div', { className: 'row' }, choice) : null,
      make('div', { className: 'row' }, where, send, copy), body, out];
  }

  function operation(method, path, item) {
    const one = item[method];
    const section = make('section', { id: one.operationId },
      make('h2', {}, make('span', { className: 'method', textContent: method.toUpperCase() }), ' ', make('span', { className: 'path', textContent: path })),
      make('p', {}, make('strong', {}, ...inline(one.summary || ''))), ...prose(one.description));
    const parameters = [...(item.parameters || []), ...(one.parameters || [])].map(follow);
    if (parameters.length) {
      section.append(make('details', {}, make('summary', { textContent: 'Parameters and headers' }), ...parameters.map((p) => field(
        `${p.name} (${p.in})`, { ...p.schema, description: [p.description, follow(p.schema).description].filter(Boolean).join('. ') }, p.required))));
    }
    const content = (one.requestBody || {}).content || {};
    const json = content['application/json'];
    if (Object.keys(content).length) {
      section.append(make('h3', { textContent: `Request: ${Object.keys(content).join(', ')}` }), ...(json ? fields(json.schema) : []));
    }
    section.append(make('h3', { textContent: 'Answers' }));
    Object.entries(one.responses || {}).forEach(([status, response]) => {
      const detail = follow(response);
      const media = Object.keys(detail.content || {});
      const form = (detail.content || {})['application/json'];
      const list = form && form.schema ? fields(form.schema) : [];
      section.append(make('details', {}, make('summary', {}, `${status}: `, ...inline(detail.description || ''), ` ${media.join(', ')}`), ...list));
    });
    section.append(...attempt(method, path, content, (json || {}).examples || {}).filter(Boolean));
    return section;
  }

  function beginning() {
    const form = make('form', {}, make('label', {}, 'Token, where the service needs one: ', token));
    form.addEventListener('submit', (event) => event.preventDefault());
    const link = (id, text) => make('a', { href: `#${id}`, textContent: text });
    return make('section', { id: 'start' }, make('h2', { textContent: 'Start here' }),
      make('p', {}, 'Robots in, numbers out: describe an arm once, then ask for torques, motions, or parameters from its logs.'),
      make('ol', {},
        make('li', {}, 'Torques of a built-in arm: ', link('inverseDynamics', 'inverse-dynamics'), ', press Send.'),
        make('li', {}, 'Your own robot: ', make('code', { textContent: `curl -T arm.urdf ${window.location.origin}/v1/robots/my-arm` }), ', or ', link('putRobot', 'PUT'), '. The answer lists what was read, what was ignored, and what is suspicious.'),
        make('li', {}, 'A motion: ', link('simulate', 'simulate'), '. Its time series are drawn above the answer. What takes longer becomes a ', link('listJobs', 'job'), '.'),
        make('li', {}, 'Parameters from logs: ', link('calibrate', 'calibrate'), '. Its examples, those of compare, and inverse-dynamics along a log read the built-in logs ',
          make('code', { textContent: 'sample-panda-1' }), ' and ', make('code', { textContent: 'sample-panda-2' }), ': a panda with friction and noise. ',
          ...(document.querySelector('a[href="/docs/guide/"]')
            ? ['From your robot to a calibrated model in an afternoon: ', make('a', { href: '/docs/guide/calibrating.html', textContent: 'the guide' }), '.']
            : ['From your robot to a calibrated model in an afternoon: ', make('code', { textContent: 'docs/calibrating.md' }), ' of the sources.']))),
      make('p', {}, 'A request at fault is answered by a problem document: it names the place, the reason and a remedy. The contract for programs: ', make('a', { href: '/openapi.json', textContent: '/openapi.json' }), '.'),
      form);
  }

  const index = document.getElementById('operations');
  const page = document.getElementById('page');
  page.replaceChildren(make('h1', { textContent: `${contract.info.title} ${contract.info.version}` }), beginning(),
    make('section', { id: 'conventions' }, make('details', {}, make('summary', { textContent: 'Conventions: units, media types, faults' }), ...prose(contract.info.description))));
  const entries = [];
  contract.tags.forEach((tag) => {
    const group = make('div', {}, make('h2', { textContent: tag.name, title: tag.description || '' }));
    index.append(group);
    Object.entries(contract.paths).forEach(([path, item]) => METHODS.filter((method) => item[method]).forEach((method) => {
      const one = item[method];
      if (!(one.tags || []).includes(tag.name)) return;
      const link = make('a', { href: `#${one.operationId}`, title: one.summary || '' },
        make('span', { className: 'method', textContent: method.toUpperCase() }), make('span', { textContent: path.replace('/v1/', '') }));
      const section = operation(method, path, item);
      group.append(link);
      page.append(section);
      const content = ((one.requestBody || {}).content || {})['application/json'] || {};
      const names = namesIn(content.schema || {});
      entries.push({ link, section, group, words: [path, method, one.operationId, one.summary, one.description, ...names].join(' ').toLowerCase() });
    }));
  });

  const search = document.querySelector('input.search');
  search.addEventListener('input', () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    entries.forEach((entry) => {
      const found = words.every((word) => entry.words.includes(word));
      entry.link.hidden = !found;
      entry.section.hidden = !found;
    });
    [...index.children].forEach((group) => { group.hidden = !entries.some((entry) => entry.group === group && !entry.link.hidden); });
    document.getElementById('start').hidden = words.length > 0;
    document.getElementById('conventions').hidden = words.length > 0;
  });
  if (window.matchMedia('(max-width: 50rem)').matches) document.querySelector('nav > details').open = false;
  if (window.location.hash) document.getElementById(window.location.hash.slice(1))?.scrollIntoView();
}

fetch('/openapi.json').then((reply) => {
  if (!reply.ok) throw new Error(`/openapi.json: ${reply.status}`);
  return reply.json();
}).then(start).catch((fault) => { document.getElementById('wait').textContent = String(fault); });
