import { expect, it } from 'vitest';
import { linkModules, pathFrom } from '../../../src/panels/document/link-modules.ts';

async function run(files: Record<string, string>): Promise<unknown[]> {
  const code = linkModules('ui/a.js', (path) => files[path]);
  const told: unknown[] = [];
  const done = code.slice(0, code.lastIndexOf('$load(')).concat('return $load("ui/a.js");');
  await (new Function('told', done) as (told: unknown[]) => Promise<void>)(told);
  return told;
}

it('runs modules in their order, with live bindings, cycles, later imports and top-level await', async () => {
  const files = {
    'ui/a.js': `import shown, { count, raise } from './b.js';
      import * as all from "../assets/c.js";
      export const name = () => 'a';
      raise();
      told.push(shown, count, all.raise === raise, await Promise.resolve(all.own), import.meta.url);
      const { late } = await import('./d.js');
      told.push(late);`,
    'ui/b.js': `import { name } from './a.js';
      told.push('b first');
      export let count = 1;
      export function raise() { count += 1; }
      export default 'shown';
      export const asked = () => name();`,
    'assets/c.js': `export * from '../ui/b.js'; export const own = /[a&&[a]]/v.test('a');`,
    'ui/d.js': `export const late = 'later';`,
  };
  expect(await run(files)).toEqual(['b first', 'shown', 2, true, true, undefined, 'later']);
});

it('exports what a module exports, in each of its forms', async () => {
  const files = {
    'ui/a.js': `import * as all from './all.js';
      const { count, raise, 'a name': named } = all;
      raise();
      told.push(Object.keys(all).sort().join(), count, all.count, named, all.default(), new all.Shape().sides, await all.later());
      told.push(Object.getPrototypeOf(await import('./lists.js')) === Object.prototype, (await import('./lists.js')).b, (await import('./lists.js')).c);
      told.push((await import('./word.js')).default, (await import('./hidden.js')).shown);`,
    'ui/all.js': `let count = 1; const kept = 'kept', also = 'also'; told.push(typeof require, typeof exports);
      export { count, kept as 'a name' };
      export class Shape { sides = 3 }
      export function raise() { count += 1; }
      export async function later() { return 'export { none }'; }
      export default function first() { return (() => raise)().name; }`,
    'ui/lists.js': `import { raise } from './all.js'; export * from './hidden.js'; export { raise as again } from './all.js';
      export var a = 1, b = function () { return 1, 2; }(); export let { length: c, ...rest } = 'four';`,
    'ui/word.js': `export default class extends Array {}`,
    'ui/hidden.js': `const source = { import(x) { return x; }, export: 1 }; export { shown /* } */ }; const shown = source.import("require('./none.js')");`,
  };
  expect(await run(files)).toEqual([
    ...['undefined', 'undefined'],
    ...['Shape,a name,count,default,later,raise', 1, 2, 'kept', 'raise', 3, 'export { none }'],
    ...[true, 2, 4, expect.any(Function), "require('./none.js')"],
  ]);
});

it('takes what a module in a cycle exports by default', async () => {
  const files = {
    'ui/a.js': `import { asked } from './b.js'; export default function name() { return 'a'; } told.push(asked());`,
    'ui/b.js': `import name, * as all from './a.js'; export const asked = () => [name(), Object.keys(all)].join();`,
  };
  expect(await run(files)).toEqual(['a,default']);
});

it('refuses what is no file of the bundle', () => {
  const link = (source: string) => () =>
    linkModules('ui/a.js', (path) => (path === 'ui/a.js' ? source : undefined));
  expect(link(`import 'https://elsewhere.example/x.js'`)).toThrow('no file of the app');
  expect(link(`import './gone.js'`)).toThrow('ui/gone.js');
  expect(link(`import('https://elsewhere.example/x.js')`)).toThrow('no file of the app');
  expect(link(`import defer * as later from './a.js'`)).toThrow('cannot be shown');
  for (const broken of [
    'const = 1',
    'export const a = ;',
    '}, async () => {',
    'import { a } from "./a.js"; a b',
    '"',
  ])
    expect(link(broken), broken).toThrow('ui/a.js is not valid JavaScript');
  expect(pathFrom('ui/index.html', '../assets/a.png?x#y')).toBe('assets/a.png');
  expect(pathFrom('ui/index.html', '//elsewhere.example/a')).toBeNull();
});
