import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { expect, it } from 'vitest';
import {
  RETIRED_IN_SOURCES,
  RETIRED_NAMES,
  RETIRED_PHRASES,
  RETIRED_PREFIXES,
  RETIRED_WORDS,
} from '../scripts/vocabulary.ts';

/** Retired names that stay for compatibility: used in vectors. */
const KEPT = new Set([
  'packages/runtime/test/support/relay-answers.ts: namesItself',
  'packages/runtime/test/accounts/authorization.test.ts: namesItself',
]);

const wordsOf = (name: string): string[] =>
  name.split(/(?<=[a-z0-9])(?=[A-Z])|_/).map((word) => word.toLowerCase());

/** The replacement for a retired name; undefined for any other name. */
function retired(name: string, inTest = false): string | undefined {
  const words = wordsOf(name);
  const found =
    RETIRED_NAMES.find(({ word }) => word === name) ??
    RETIRED_PREFIXES.find(({ word }) => name.startsWith(word)) ??
    [...RETIRED_WORDS, ...(inTest ? [] : RETIRED_IN_SOURCES)].find(({ word }) => words.includes(word));
  return found && `${name}: say ${found.say}`;
}

const isTest = (file: string): boolean => /(?:^|\/)test\//.test(file);

/** The names that a source declares or uses. */
function identifiersOf(file: string, text: string): Set<string> {
  const names = new Set<string>();
  const kind = file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) names.add(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, false, kind));
  return names;
}

const tracked = (...patterns: string[]): string[] =>
  execFileSync('git', ['ls-files', ...patterns], { encoding: 'utf8' })
    .trim()
    .split('\n');

const PHRASES = RETIRED_PHRASES.map(({ word, say }) => ({ pattern: new RegExp(`\\b(?:${word})\\b`), say }));

/** The replacements for the retired phrases in a line. */
const retiredPhrases = (line: string): string[] =>
  PHRASES.flatMap(({ pattern, say }) => {
    const found = pattern.exec(line)?.[0];
    return found === undefined ? [] : [`${found}: say ${say}`];
  });

/** Sources and documents, without tests, vectors, benchmarks, the changelog and the lists of retired words. */
const isProse = (file: string): boolean =>
  !/(?:^|\/)(?:test|interop|bench)\/|CHANGELOG|^scripts\/vocabulary\.ts$/.test(file);

it('has no retired word in an identifier', () => {
  const files = tracked('*.ts', '*.tsx');
  const found = files.flatMap((file) =>
    [...identifiersOf(file, readFileSync(file, 'utf8'))].flatMap((name) => {
      const advice = KEPT.has(`${file}: ${name}`) ? undefined : retired(name, isTest(file));
      return advice === undefined ? [] : [`${file}: ${advice}`];
    }),
  );
  expect(found).toEqual([]);
  expect(files.length).toBeGreaterThan(1_000);
});

it('finds a retired word at any position in a name', () => {
  expect(retired('isMended')).toBe('isMended: say fixed');
  expect(retired('MOST_BYTES')).toBe('MOST_BYTES: say MAX_');
  expect(retired('FigureStore')).toBe('FigureStore: say AppStatsStore');
  expect(retired('recommended')).toBeUndefined();
  expect(retired('toldOnce')).toBe('toldOnce: say reported, notified');
  expect(retired('toldOnce', true)).toBeUndefined();
});

it('has no retired phrase in comments, messages and documents', () => {
  const files = tracked('*.ts', '*.tsx', '*.css', '*.md', '*.yml', '*.yaml').filter(isProse);
  const found = files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, n) => retiredPhrases(line).map((advice) => `${file}:${n + 1}: ${advice}`)),
  );
  expect(found).toEqual([]);
  expect(files.length).toBeGreaterThan(800);
});

it('finds a retired phrase at any position in a line', () => {
  expect(retiredPhrases("// Somebody's bytes, which it speaks of.")).toEqual([
    "Somebody's: say user, caller, author, owner",
    'speaks of: say refers to',
  ]);
  expect(retiredPhrases('Nobody is told.')).toEqual([
    'Nobody: say no user, no caller, no visitor',
    'is told: say receives, learns, is notified',
  ]);
  expect(retiredPhrases('We recommend it. It runs as `nobody`.')).toEqual([]);
});

it('gives every error a name that ends in Error', () => {
  const found = tracked('*.ts', '*.tsx').flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/\bclass (\w+) extends \w*Error\b/g)].flatMap(([, name = '']) =>
      name.endsWith('Error') ? [] : [`${file}: ${name}`],
    ),
  );
  expect(found).toEqual([]);
});
