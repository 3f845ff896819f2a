// SPDX-License-Identifier: Apache-2.0
// clients/dashboard/build.mjs - src/ to dist/: scripts, a style sheet and a page; the same bytes from the same sources on any machine.
import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, 'dist');
// three.module.js holds the shaders of all its materials; those that neither a material of scene.ts includes nor the renderer names become empty
const MATERIALS = ['meshlambert_vert', 'meshlambert_frag', 'meshbasic_vert', 'meshbasic_frag'];
const fewShaders = {
  name: 'few-shaders',
  setup({ onLoad }) {
    onLoad({ filter: /three[\\/]build[\\/]three\.module\.js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const table = /^const ShaderChunk = \{([^}]*)\};/m.exec(text)[1];
      const variableOf = new Map([...table.matchAll(/(\w+): ([\w$]+)/g)].map(([, name, variable]) => [name, variable]));
      const sources = new Map([...text.matchAll(/^(?:const|var) ([\w$]+) = ("(?:[^"\\\n]|\\.)*");$/gm)].map(([, variable, source]) => [variable, source]));
      const used = new Set([...MATERIALS, ...[...text.matchAll(/ShaderChunk\[ '(\w+)' \]/g)].map(([, name]) => name)]);
      for (const name of used) {
        if (!sources.has(variableOf.get(name))) throw new Error(`three has no shader ${name}`);
        for (const [, part] of sources.get(variableOf.get(name)).matchAll(/#include <(\w+)>/g)) used.add(part);
      }
      const empty = [...variableOf].filter(([name, variable]) => !used.has(name) && sources.has(variable)).map(([, variable]) => variable);
      if (empty.length < 40) throw new Error('the shaders of three are written in another way: see build.mjs');
      return { contents: text.replace(/^(const|var) ([\w$]+) = "(?:[^"\\\n]|\\.)*";$/gm, (whole, kind, variable) => (empty.includes(variable) ? `${kind} ${variable} = "";` : whole)) };
    });
  },
};
const result = await build({
  absWorkingDir: here,
  entryPoints: { main: 'src/frame/main.ts', style: 'src/frame/style.css' },
  outdir: out,
  bundle: true,
  splitting: true,
  format: 'esm',
  target: 'es2022',
  minify: true,
  charset: 'utf8',
  legalComments: 'none',
  chunkNames: '[name]-[hash]',
  metafile: true,
  define: { 'process.env.NODE_ENV': '"production"' },
  write: false,
  plugins: [fewShaders],
});
// names that stay when the contents change; those of shared parts say what is in them
const SHARED = { base: '/preact/', view: 'src/scene/view3d.ts', solids: 'src/scene/inertia.ts' };
const nameOf = new Map(Object.entries(result.metafile.outputs).filter(([path]) => path.endsWith('.js')).map(([path, { entryPoint, inputs }]) => {
  const shared = Object.entries(SHARED).find(([, part]) => Object.keys(inputs).some((input) => input.includes(part)))?.[0];
  const name = entryPoint ? basename(entryPoint, '.ts') : shared;
  if (!name) throw new Error(`a shared part without a name: ${Object.keys(inputs)}`);
  return [basename(path), `${name}.js`];
}));
if (new Set(nameOf.values()).size < nameOf.size) throw new Error('two parts have one name');
const renamed = (text) => [...nameOf].reduce((now, [made, name]) => now.replaceAll(made, name), text);
const says = {
  'main.js': 'what all parts share, the frame and the list of robots; preact and htm inside: MIT',
  'commands.js': 'the last call as a line to copy, loaded when one is first asked for',
  'robot.js': 'the page of a robot, loaded when it is first shown',
  'view.js': 'the 3D view as pages have it, sliders, differences',
  'work.js': 'the pages with curves and results, loaded when one is first shown; uPlot inside: MIT',
  'scene.js': 'the 3D drawing, loaded when a robot is shown; three inside: MIT',
};
await rm(out, { recursive: true, force: true });
await mkdir(out, { recursive: true });
let total = 0;
const texts = new Map(result.outputFiles.map((file) => [nameOf.get(basename(file.path)) ?? basename(file.path), renamed(file.text)]));
// what the first page needs becomes one file: before the first paint each request takes time of the page's thread (DECISIONS.md)
const FIRST = ['base', 'main'];
const exportsOf = (part) => Object.entries(result.metafile.outputs).find(([path]) => nameOf.get(basename(path)) === `${part}.js`)[1].exports;
const first = await build({
  stdin: { contents: FIRST.map((part) => `export { ${exportsOf(part).map((name) => `${name} as ${part}_${name}`)} } from './${part}.js';`).join('\n') },
  bundle: true,
  format: 'esm',
  target: 'es2022',
  minify: true,
  charset: 'utf8',
  legalComments: 'none',
  write: false,
  plugins: [{
    name: 'made-before',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^\.\/\w+\.js$/ }, ({ path }) => (FIRST.some((part) => path === `./${part}.js`) ? { path, namespace: 'made' } : { path, external: true }));
      onLoad({ filter: /./, namespace: 'made' }, ({ path }) => ({ contents: texts.get(path.slice(2)) }));
    },
  }],
});
for (const part of FIRST) texts.delete(`${part}.js`);
// other parts import from that file what they imported from the two, whose short names collide: `a` of base.js is base_a
const fromFirst = (text) => text.replace(/\bimport\{([^}]*)\}from"\.\/(\w+)\.js"/g, (whole, names, part) => {
  if (!FIRST.includes(part)) return whole;
  return `import{${names.split(',').map((name) => `${part}_${name.includes(' as ') ? name : `${name} as ${name}`}`)}}from"./main.js"`;
});
const files = [['main.js', first.outputFiles[0].text], ...[...texts].map(([name, text]) => [name, fromFirst(text)]),
  ['index.html', await readFile(join(here, 'src/frame/index.html'), 'utf8')]];
if (files.some(([, text]) => FIRST.slice(0, -1).some((part) => text.includes(`./${part}.js`)))) throw new Error('a part is asked for that is within main.js');
for (const [name, text] of files) {
  const head = name.endsWith('.js')
    ? `/* SPDX-License-Identifier: Apache-2.0 */\n/* clients/dashboard/dist/${name} - ${says[name] ?? 'shared by the others'}; made by build.mjs */\n` : '';
  await writeFile(join(out, name), head + text);
  const packed = gzipSync(head + text, { level: 9 }).length;
  total += packed;
  console.log(`${name}: ${text.length} bytes, ${packed} compressed`);
}
// what it was made of, and what that made, for `sha256sum -c`: tests/lint/dashboard.sh
const sources = [...(await readdir(join(here, 'src'), { recursive: true })).filter((name) => name.includes('.')).sort().map((name) => `src/${name}`), 'build.mjs', 'package-lock.json', '../javascript/torqued.js'];
const sumOf = async (path, name) => `${createHash('sha256').update(await readFile(path)).digest('hex')}  ${name}\n`;
const sums = await Promise.all([...sources.map((name) => sumOf(join(here, name), name)), ...files.map(([name]) => sumOf(join(out, name), `dist/${name}`))]);
await writeFile(join(out, 'sources.sha256'), sums.join(''));
console.log(`in all: ${total} compressed`);
if (total > 250_000) throw new Error('more than 250 KB compressed');
