import { Script } from 'node:vm';
import { parse } from 'es-module-lexer/js';
import { transform } from 'sucrase';
import { RuntimeError } from '../../platform/runtime-error.ts';
import { contentHash } from '../policy.ts';

/** The path in a bundle that a relative address leads to; null for any other address. */
export function pathFrom(base: string, address: string): string | null {
  const root = 'bundle://files/';
  const url = URL.parse(address, root + base);
  if (!url?.href.startsWith(root)) return null;
  return decodeURIComponent(url.href.slice(root.length).replace(/[?#].*/, ''));
}

/** A module as a function, the modules that it imports first by their specifiers, and all that it names. */
type Module = { at: Record<string, string>; imports: string[]; run: string };

type Lexed = ReturnType<typeof parse>;
type Edit = [from: number, to: number, text: string];

const notOffered = (text: string): RuntimeError => new RuntimeError('not-offered', text);

function lexed(path: string, source: string): Lexed {
  try {
    return parse(source);
  } catch {
    throw notOffered(`The panel's module ${path} is not valid JavaScript.`);
  }
}

/** Whether the engine can read a function. Nothing of it runs. */
function isReadable(run: string): boolean {
  try {
    new Script(`'use strict';(${run})`);
    return true;
  } catch {
    return false;
  }
}

/** `import()`, and `import.meta`, which is empty: a script written into a document has no address. */
const importEdits = (imports: Lexed[0]): Edit[] =>
  imports.flatMap(({ t, ss, se }): Edit[] => {
    if (t === 2) return [[ss, ss + 'import'.length, '$import']];
    return t === 3 ? [[ss, se, '$meta']] : [];
  });

function edited(source: string, edits: Edit[]): string {
  let code = '';
  let end = 0;
  for (const [from, to, text] of edits.sort(([a], [b]) => a - b)) {
    code += source.slice(end, from) + text;
    end = to;
  }
  return code + source.slice(end);
}

/** What goes of an export that stays in its module: `export`, `export default`, and the brace of a list up to its end. */
const EXPORT = /^export(?:\s*\{|\s+(?:default\s+)?)/;

/** The end of a list of exports, of which comments are no part. @param from the end of its last name */
function endOfList(source: string, from: number): number {
  // A comment without an end reaches to that of the text: to look for it from each of many would take quadratic time.
  const rest = /\/\*[\s\S]*?(?:\*\/|$)|\/\/.*|\}/g;
  rest.lastIndex = from;
  while (rest.exec(source)?.[0].startsWith('/'));
  return rest.lastIndex;
}

/** The exports of a module's own names, each as a getter, so that importers see its changes. @returns what is to be changed for them */
function ownExports(source: string, [imports, exports]: Lexed): { edits: Edit[]; getters: string[] } {
  const passedOn = new Set(imports.map(({ ss }) => ss));
  const edits = new Map<number, Edit>();
  const getters: string[] = [];
  for (const { ss, e, n, ln } of exports) {
    const [start] = EXPORT.exec(source.slice(ss, ss + 100)) ?? [];
    // A class without a name that extends another is listed with the name `extends`.
    if (start === undefined || ln === undefined || ln === 'extends' || passedOn.has(ss)) continue;
    const isList = start.endsWith('{');
    edits.set(ss, isList ? [ss, endOfList(source, e), ';'] : [ss, ss + start.length, '']);
    getters.push(`[${JSON.stringify(n)}]:{enumerable:true,get:()=>${ln}}`);
  }
  return { edits: [...edits.values()], getters };
}

/**
 * A module as a function. One that imports nothing before it runs needs no transformation, which takes a second for a large one:
 * libraries and most chunks of bundlers are such modules.
 */
function functionOf(path: string, source: string, parts: Lexed): string {
  const { edits, getters } = ownExports(source, parts);
  const inside = (exports: string) => `Object.defineProperties(${exports},{${getters}});`;
  const own = edited(source, [...edits, ...importEdits(parts[0])]);
  const plain = `async($require,$exports,$import,$meta)=>{${inside('$exports')}${own}\n}`;
  if (isReadable(plain)) return plain;
  try {
    const { code } = transform(inside('exports') + own, {
      transforms: ['imports'],
      disableESTransforms: true,
      preserveDynamicImport: true,
    });
    const run = `async(require,exports,$import,$meta)=>{${code}\n}`;
    if (isReadable(run)) return run;
  } catch {
    // It is named below.
  }
  throw notOffered(`The panel's module ${path} is not valid JavaScript.`);
}

function readModule(path: string, source: string): Module {
  const parts = lexed(path, source);
  const at: Record<string, string> = {};
  const imports: string[] = [];
  for (const { t, n } of parts[0]) {
    if (t > 3) throw notOffered(`The panel's module ${path} imports in a way that cannot be shown here.`);
    if (n === undefined) continue;
    const found = pathFrom(path, n);
    if (found === null)
      throw notOffered(`The panel imports ${JSON.stringify(n)}, which is no file of the app.`);
    imports.push(found);
    if (t === 1) at[n] = found;
  }
  return { at, imports, run: functionOf(path, source, parts) };
}

/** Linked modules by path and content: the same panels are opened again and again. From this many characters on, the oldest are dropped. */
const MAX_KEPT = 16 * 1024 * 1024;
const kept = new Map<string, Module>();
let characters = 0;

function moduleOf(path: string, source: string): Module {
  const key = `${path} ${contentHash(source)}`;
  const known = kept.get(key);
  if (known) return known;
  const module = readModule(path, source);
  kept.set(key, module);
  characters += module.run.length;
  for (const [oldest, { run }] of kept) {
    if (characters <= MAX_KEPT) break;
    kept.delete(oldest);
    characters -= run.length;
  }
  return module;
}

/** Runs each module once, after those that it imports (ECMA-262, "Evaluate"). */
const LOADER = `const $ran = new Map();
const $load = (path) => {
  const known = $ran.get(path);
  if (known) return known.done;
  const { at, run } = $modules[path];
  const own = { exports: Object.defineProperty({}, '__esModule', { value: true }), done: null };
  $ran.set(path, own);
  const find = (from) => at[from] ?? from;
  const require = (from) => $ran.get(find(from)).exports;
  const later = async (from) => {
    const to = new URL(from, 'bundle://files/' + path).href.slice(15);
    await $load(to);
    return $ran.get(to).exports;
  };
  own.done = (async () => {
    for (const to of Object.values(at)) if (!$ran.has(to)) await $load(to);
    await run(require, own.exports, later, {});
  })();
  return own.done;
};`;

/**
 * Links the modules of a panel into one script, for a document without other files. Modules keep their order and their live bindings.
 * @param entry path of the first module
 * @param read returns the text of a file of the bundle
 * @throws RuntimeError `not-offered` for a module that cannot be linked
 */
export function linkModules(entry: string, read: (path: string) => string | undefined): string {
  const modules = new Map<string, string>();
  const waiting = [entry];
  for (const path of waiting) {
    if (modules.has(path)) continue;
    const source = read(path);
    if (source === undefined) {
      if (path === entry) throw notOffered(`The panel has no file ${path}.`);
      throw notOffered(`The panel imports ${path}, which is no file of the app.`);
    }
    const { imports, at, run } = moduleOf(path, source);
    waiting.push(...imports);
    modules.set(path, `{at:${JSON.stringify(at)},run:${run}}`);
  }
  const entries = [...modules].map(([path, code]) => `${JSON.stringify(path)}:${code}`);
  return `const $modules={${entries.join(',\n')}};\n${LOADER}\n$load(${JSON.stringify(entry)});`;
}
