import { parse } from 'acorn';
import { transform } from 'sucrase';
import { RuntimeError } from '../../platform/runtime-error.ts';

type Node = { type: string; start: number; source?: { value?: unknown } | null };

/** The path in a bundle that a relative address leads to; null for any other address. */
export function pathFrom(base: string, address: string): string | null {
  const root = 'bundle://files/';
  const url = URL.parse(address, root + base);
  if (!url?.href.startsWith(root)) return null;
  return decodeURIComponent(url.href.slice(root.length).replace(/[?#].*/, ''));
}

/** The nodes of a module that may import: its statements, and all others where the word is in them too. */
function importersIn(source: string): Iterable<Node> {
  const { body } = parse(source, { ecmaVersion: 'latest', sourceType: 'module' });
  const statements = body.filter(({ type }) => type === 'ImportDeclaration').length;
  return source.split('import').length - 1 === statements ? (body as Node[]) : nodesOf(body);
}

/** All nodes of a syntax tree. */
function* nodesOf(node: unknown): Generator<Node> {
  if (typeof node !== 'object' || node === null) return;
  if ('type' in node && typeof node.type === 'string') yield node as Node;
  for (const value of Object.values(node)) yield* nodesOf(value);
}

type Module = { imports: string[]; code: string };

/** A module as a function of `require`, `exports`, `$import` and `$meta`, with the modules that it imports. */
function readModule(path: string, source: string): Module {
  const imports: string[] = [];
  let code = source;
  const edits: [number, number, string][] = [];
  for (const node of importersIn(source)) {
    const from = node.source?.value;
    const found = typeof from === 'string' ? pathFrom(path, from) : null;
    if (typeof from === 'string' && found === null)
      throw new RuntimeError(
        'not-offered',
        `The panel imports ${JSON.stringify(from)}, which is no file of the app.`,
      );
    if (found !== null) imports.push(found);
    if (node.type === 'ImportExpression') edits.push([node.start, 'import'.length, '$import']);
    // A script written into a document has no address, and so no `import.meta.url`.
    if (node.type === 'MetaProperty' && source.startsWith('import', node.start))
      edits.push([node.start, source.indexOf('meta', node.start) + 4 - node.start, '$meta']);
  }
  for (const [start, length, text] of edits.sort(([a], [b]) => b - a))
    code = code.slice(0, start) + text + code.slice(start + length);
  const linked = transform(code, {
    transforms: ['imports'],
    disableESTransforms: true,
    preserveDynamicImport: true,
  });
  return { imports, code: linked.code };
}

/** Runs each module once, after those that it imports (ECMA-262, "Evaluate"). */
const LOADER = `const $ran = new Map();
const $load = (path) => {
  const known = $ran.get(path);
  if (known) return known.done;
  const { at, run } = $modules[path];
  const own = { exports: {}, done: null };
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
      if (path === entry) throw new RuntimeError('not-offered', `The panel has no file ${path}.`);
      throw new RuntimeError('not-offered', `The panel imports ${path}, which is no file of the app.`);
    }
    const { imports, code } = readModule(path, source);
    waiting.push(...imports);
    const at = Object.fromEntries(
      [...code.matchAll(/require\('([^']*)'\)/g)].map(([, from = '']) => [from, pathFrom(path, from)]),
    );
    modules.set(path, `{at:${JSON.stringify(at)},run:async(require,exports,$import,$meta)=>{${code}\n}}`);
  }
  const entries = [...modules].map(([path, code]) => `${JSON.stringify(path)}:${code}`);
  return `const $modules={${entries.join(',\n')}};\n${LOADER}\n$load(${JSON.stringify(entry)});`;
}
