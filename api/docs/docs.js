// SPDX-License-Identifier: Apache-2.0
// api/docs/docs.js - lays /openapi.json out as a page; every text enters it as text, never as markup.
'use strict';

const METHODS = ['get', 'put', 'post', 'delete'];

function make(name, attributes, ...children) {
  const element = document.createElement(name);
  Object.entries(attributes).forEach(([key, value]) => { element[key] = value; });
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
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
    default: 'default', minimum: 'from', maximum: 'to', exclusiveMinimum: 'above', exclusiveMaximum: 'below',
    minItems: 'items at least', maxItems: 'items at most', maxLength: 'letters at most', pattern: 'like',
  }).filter(([key]) => key in schema).map(([key, word]) => `${word} ${JSON.stringify(schema[key])}`).join(', ');

  // objects inside, through arrays and choices
  const inside = (schema) => {
    const one = follow(schema);
    if (one.properties) return [one];
    if (one.items) return inside(one.items);
    return (one.oneOf || one.anyOf || one.allOf || []).flatMap(inside);
  };

  function field(name, schema, needed) {
    const one = follow(schema);
    const head = [make('code', { textContent: name }), ' ', make('span', { className: 'kind', textContent: kind(schema) }),
      needed ? make('span', { className: 'need', textContent: '  needed' }) : null,
      make('span', { textContent: [' ', one.description, bounds(one)].filter(Boolean).join(' ') })];
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

  const token = make('input', { className: 'path', type: 'password', size: 40, autocomplete: 'off' });

  function attempt(method, path, examples) {
    const body = make('textarea', { rows: 6, spellcheck: false });
    const where = make('input', { className: 'path', size: 60, value: path.replace('{name}', 'panda') });
    const answer = make('pre', { hidden: true });
    const choice = make('select', { ariaLabel: 'example' }, ...Object.entries(examples)
      .map(([name, example]) => make('option', { value: name, textContent: `${name}${example.summary ? `: ${example.summary}` : ''}` })));
    const show = () => {
      where.value = path.replace('{name}', examples[choice.value]['x-robot'] || 'panda');
      body.value = JSON.stringify(examples[choice.value].value, null, 1).replace(/\n\s+(?=[-\d\]])/g, ' ');
    };
    choice.addEventListener('change', show);
    show();
    const send = make('button', { type: 'button', textContent: 'Send' });
    send.addEventListener('click', async () => {
      answer.hidden = false;
      answer.textContent = '...';
      try {
        const headers = { 'Content-Type': 'application/json', ...(token.value ? { Authorization: `Bearer ${token.value}` } : {}) };
        const reply = await fetch(where.value, { method: method.toUpperCase(), body: body.value, headers });
        answer.textContent = `${reply.status} ${reply.headers.get('Content-Type')}\n${(await reply.text()).slice(0, 100000)}`;
      } catch (fault) {
        answer.textContent = String(fault);
      }
    });
    return [make('h3', { textContent: 'Examples' }), choice, ' ', where, ' ', send, body, answer];
  }

  function operation(method, path, item) {
    const one = item[method];
    const section = make('section', { id: one.operationId },
      make('h2', {}, make('span', { className: 'method', textContent: method.toUpperCase() }), ' ', make('span', { className: 'path', textContent: path })),
      make('p', {}, make('strong', { textContent: one.summary || '' })),
      one.description ? make('p', { textContent: one.description }) : null);
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
    Object.entries(one.responses || {}).forEach(([status, response]) => {
      const told = follow(response);
      const media = Object.keys(told.content || {});
      const form = (told.content || {})['application/json'];
      const list = form && form.schema ? fields(form.schema) : [];
      section.append(make('details', {}, make('summary', { textContent: `${status}: ${told.description || ''} ${media.join(', ')}` }), ...list));
    });
    if (json && json.examples) section.append(...attempt(method, path, json.examples));
    return section;
  }

  const index = document.getElementById('index');
  const page = document.getElementById('contract');
  page.replaceChildren(make('h1', { textContent: `${contract.info.title} ${contract.info.version}` }),
    make('p', { textContent: contract.info.description }),
    make('p', {}, 'The same for programs: ', make('a', { href: '/openapi.json', textContent: '/openapi.json' })),
    make('p', {}, make('label', {}, 'Token, where one is needed: ', token)));
  contract.tags.forEach((tag) => {
    index.append(make('h2', { textContent: tag.name }));
    Object.entries(contract.paths).forEach(([path, item]) => METHODS.filter((method) => item[method]).forEach((method) => {
      const one = item[method];
      if (!(one.tags || []).includes(tag.name)) return;
      index.append(make('a', { href: `#${one.operationId}`, title: one.summary || '' },
        make('span', { className: 'method', textContent: method.toUpperCase() }), ` ${path.replace('/v1/', '')}`));
      page.append(operation(method, path, item));
    }));
  });
  if (window.location.hash) document.getElementById(window.location.hash.slice(1))?.scrollIntoView();
}

fetch('/openapi.json').then((reply) => {
  if (!reply.ok) throw new Error(`/openapi.json: ${reply.status}`);
  return reply.json();
}).then(start).catch((fault) => { document.getElementById('wait').textContent = String(fault); });
