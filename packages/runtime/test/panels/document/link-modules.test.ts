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

it('refuses what is no file of the bundle', () => {
  const link = (source: string) => () =>
    linkModules('ui/a.js', (path) => (path === 'ui/a.js' ? source : undefined));
  expect(link(`import 'https://elsewhere.example/x.js'`)).toThrow('no file of the app');
  expect(link(`import './gone.js'`)).toThrow('ui/gone.js');
  expect(pathFrom('ui/index.html', '../assets/a.png?x#y')).toBe('assets/a.png');
  expect(pathFrom('ui/index.html', '//elsewhere.example/a')).toBeNull();
});
