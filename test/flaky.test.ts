import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

/** A call of `poll` with a time limit, on any of its lines up to the matcher. */
const LIMITED_POLL = /\.poll\((?:(?!\)\s*\.(?:not|to[A-Z]\w*)\b).)*?\btimeout: /s;

/** Patterns that make a test fail now and then, and what to write instead. */
const FLAKY: [RegExp, string][] = [
  [/\bvi\.waitFor\(/, 'eventually() of the testkit: it waits as long as expect.poll'],
  [LIMITED_POLL, 'expect.poll without a time limit of its own'],
  [
    /expect\((?:performance|Date)\.now\(\) - \w+\)\.toBeLess/,
    'cpuMs() of the testkit, or a ratio within one run',
  ],
  [/\.listen\((?:\{ ?port: )?[1-9]\d{3,4}\b/, 'port 0, or freePort() of the testkit'],
  [
    /\.not\.(?:toContain|toMatch)\(['"/](?:[\da-f]{1,8}|[\w-]{1,3})['"/]\)/,
    'a longer text: tokens, digests and ids are random, and now and then contain one as short as this',
  ],
];

it.each(FLAKY)('no test has %s', (pattern) => {
  const files = globSync('{apps,examples,packages}/*/test/**/*.ts', { cwd: ROOT }).concat(
    globSync('{test,testkit/test}/**/*.ts', { cwd: ROOT }),
  );
  const found = files.filter(
    (file) => !file.endsWith('flaky.test.ts') && pattern.test(readFileSync(join(ROOT, file), 'utf8')),
  );
  expect(found).toEqual([]);
});

it('finds the time limit of a poll on any line of the call, and of no later call', () => {
  const limited = [
    'expect',
    '  .poll(',
    '    () => read(String(1), () => [2]),',
    '    { timeout: 10_000 },',
    '  )',
    '  .toBe(1);',
  ];
  expect(LIMITED_POLL.test(limited.join('\n'))).toBe(true);
  expect(LIMITED_POLL.test(limited.join(''))).toBe(true);
  const later = [
    'await expect.poll(() => read()).not.toBe(1);',
    'await expect',
    '  .poll(read)',
    '  .toBe(1);',
    'run({ timeout: 1 });',
  ];
  expect(LIMITED_POLL.test(later.join('\n'))).toBe(false);
});
