import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { EQUIVALENT, isSame } from '../tools/mutate/equivalent.ts';
import { mutantsOf } from '../tools/mutate/mutants.ts';

const changesOf = (source: string): string[] =>
  mutantsOf(source).map(({ line, was, becomes }) => `${line}: ${was} → ${becomes}`);

it.each([
  ['a comparison', 'const f = (a: number) => a < 3;', ['1: < → <=']],
  ['a decision', 'if (isOpen) close();', ['1: isOpen → true', '1: isOpen → false', '1: close(); → ;']],
  ['logic', 'const f = a && !b;', ['1: && → ||', '1: !b → b']],
  ['a literal', 'const f = { isOpen: true };', ['1: true → false']],
  ['a call for its effect', 'async () => {\n  await check(a);\n};', ['2: await check(a); → ;']],
  ['a quantifier', 'const f = list.every(check);', ['1: every → some']],
  ['a value', "const f = kind === 'reach';", ['1: === → !==', "1: 'reach' → ''"]],
  ['a condition', 'const f = a ? 1 : 2;', ['1: a → true', '1: a → false']],
])('changes %s', (_what, source, changes) => expect(changesOf(source)).toEqual(changes));

const removalsOf = (source: string): string[] =>
  mutantsOf(source, { removals: true }).map(({ was, becomes }) => `${was} → ${becomes}`);

it.each([
  [
    'each operand',
    'const f = a && (b || c);',
    ['a && (b || c) → a', 'a && (b || c) → (b || c)', 'b || c → b', 'b || c → c'],
  ],
  ['each field of what is returned', 'const f = () => ({ a, b: 1 });', ['a → ...{}', 'b: 1 → ...{}']],
  [
    'a filter of a query',
    "db.selectFrom('apps').where('id', '=', id).execute();",
    ["db.selectFrom('apps').where('id', '=', id) → db.selectFrom('apps')"],
  ],
  ['a filter of a list', 'const f = list.filter(isOpen);', ['list.filter(isOpen) → list']],
  ['no option of a call', 'call({ a, b });', []],
])('takes away %s', (_what, source, changes) => expect(removalsOf(source)).toEqual(changes));

it.each([
  ['types', "type A = true | 'x';"],
  ['imports', "import { a } from 'b';"],
  ['lines of the log', "const f = () => log.warn({ a }, 'Done.');"],
  ['messages', "throw new Error('No such app.');"],
])('leaves %s as they are', (_what, source) => expect(changesOf(source)).toEqual([]));

it.each(EQUIVALENT)('knows a change without an effect that is still there: $file, $was', (change) => {
  const { file } = change;
  const source = readFileSync(join(import.meta.dirname, '..', file), 'utf8');
  const mutants = [mutantsOf(source), mutantsOf(source, { removals: true })].flat();
  expect(mutants.filter((mutant) => isSame({ ...mutant, file }, change))).toHaveLength(1);
});

it('keeps the rest of the source', () => {
  expect(mutantsOf('a();\nif (b) c();').map(({ text }) => text)).toContain('a();\nif (false) c();');
});
