import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { JOBS, OTHERS, POLLERS } from '../scripts/pollers.ts';

const ROOT = join(import.meta.dirname, '..');

/** What waits in the sources of a program: a function that sleeps, and a timer that repeats. */
const PAUSE = /\b(?:sleep|context\.wait|setInterval)\(/;

const sources = globSync(['packages/runtime/src/**/*.ts', 'apps/{desktop,cli,store}/src/**/*.ts'], {
  cwd: ROOT,
})
  .map((file) => file.replaceAll('\\', '/'))
  .map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }));

/** A declaration of the function itself pauses nothing. */
const pauses = (text: string): boolean =>
  text
    .split('\n')
    .some(
      (line) =>
        PAUSE.test(line) &&
        !/^\s*(?:export )?(?:async )?(?:function )?sleep\(.*(?:;|\{)$/.test(line) &&
        !/sleep\(ms: number/.test(line),
    );

it('each pause of a program is in the table, or asks no peer', () => {
  const found = sources.filter(({ text }) => pauses(text)).map(({ file }) => file);
  const known = [...Object.keys(POLLERS), ...Object.keys(OTHERS)];
  expect(found.filter((file) => !known.includes(file))).toEqual([]);
  expect(
    known.filter((file) => !found.includes(file) && file !== 'apps/store/src/platform/every.ts'),
  ).toEqual([]);
});

it('each row has the pause of its source, and all clients of a store pause by one function', () => {
  for (const [file, rows] of Object.entries(POLLERS)) {
    const text = readFileSync(join(ROOT, file), 'utf8');
    for (const { every, bound } of rows) {
      expect(text, file).toContain(every);
      expect(text.includes('pauseBefore('), file).toBe(bound === '30 minutes');
    }
  }
});

it('each job of the store is in the table', () => {
  const named = (text: string) => [
    ...Array.from(text.matchAll(/\brepeat(?:Reading)?\('([^']+)'/g), ([, name]) => name),
    ...Array.from(text.matchAll(/\bwhat: '([^']+)',\s*seconds:/g), ([, name]) => name),
  ];
  const jobs = sources
    .filter(({ file }) => file.startsWith('apps/store/'))
    .flatMap(({ text }) => named(text));
  expect(jobs.sort()).toEqual(Object.keys(JOBS).sort());
});
