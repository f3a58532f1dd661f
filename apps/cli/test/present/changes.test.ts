import { type ChangeText, describeChanges, GROUP_TITLES } from '@svc/permissions';
import { SAMPLE_CHANGES } from '@svc/testkit';
import { expect, it } from 'vitest';
import { allowedLines, changeLines } from '../../src/present/changes.ts';
import { escapeText } from '../../src/present/text.ts';
import { memoryTerminal } from '../support/command-context.ts';

const SIGNS = { added: '+', removed: '−', changed: '~' };

/** The lines of a change on a wide terminal: one line, or several if a value contains an arrow or a side is a list. */
function expected({ sign, label, subject, before, after }: ChangeText): string[] {
  const head = `      ${SIGNS[sign]} ${label}${subject === '' ? '' : `: ${escapeText(subject)}`}`;
  const values = [...(before ?? []), ...(after ?? [])];
  if (
    before &&
    after &&
    before.length < 2 &&
    after.length < 2 &&
    !values.some((value) => value.includes('→'))
  ) {
    return [`${head}: ${escapeText(before[0] ?? 'nothing')} → ${escapeText(after[0] ?? 'nothing')}`];
  }
  return [
    head,
    ...(before ?? []).map((value) => `          − ${escapeText(value)}`),
    ...(after ?? []).map((value) => `          + ${escapeText(value)}`),
  ];
}

it('shows every change in the words and groups of @svc/permissions', () => {
  const groups = describeChanges(SAMPLE_CHANGES);
  const text = changeLines(memoryTerminal(false, 10_000).terminal, SAMPLE_CHANGES);
  expect(text.split('\n')).toEqual([
    ...Object.entries(GROUP_TITLES).flatMap(([group, title]) => [
      `    ${title}:`,
      ...groups[group as keyof typeof groups].flatMap(expected),
    ]),
    '',
  ]);
});

it('shows unknown fields by path, and values of any type', () => {
  const text = changeLines(memoryTerminal(false, 10_000).terminal, SAMPLE_CHANGES);
  expect(text).toContain('      + Manifest field: /telepathy/reads~1minds\n');
  expect(text).toContain('      ~ Manifest field: /accounts/notes/tokenUrl/later/field\n');
  expect(text).toContain('{"toString":1,"valueOf":1}');
});

it('shows old and new values on one line when they fit, else on two', () => {
  const change = { path: '/name', kind: 'face', before: 'Tidy', after: 'Tidier', widens: false } as const;
  const at = (columns: number, more = {}) =>
    changeLines(memoryTerminal(false, columns, more).terminal, [change])
      .split('\n')
      .slice(1, -1);
  expect(at(40)).toEqual(['      ~ Name: Tidy → Tidier']);
  expect(at(20)).toEqual(['      ~ Name', '          − Tidy', '          + Tidier']);
  expect(at(40, { unicode: false })).toEqual(['      ~ Name: Tidy -> Tidier']);
});

it('escapes line breaks and colours, and keeps arrows unambiguous', () => {
  const evil = 'A → B\n    Other changes:\n\u001b[2J\u202e';
  const changes = [
    { path: '/name', kind: 'face', before: 'Tidy', after: evil, widens: false } as const,
    { path: `/accounts/${evil}`, kind: 'reach', before: null, after: evil, widens: true } as const,
  ];
  const text = changeLines(memoryTerminal().terminal, changes);
  expect(text).not.toMatch(/[^\n\P{C}]/u);
  expect(text.split('\n')).toEqual([
    '    Asks for new permissions:',
    expect.stringMatching(/^ {6}\+ Account: A → B\\n/),
    '    Changes how it presents itself:',
    '      ~ Name',
    '          − Tidy',
    expect.stringMatching(/^ {10}\+ A → B\\n {4}Other/),
    '',
  ]);
});

it('lists permissions in the same words, one kind per line', () => {
  const changes = SAMPLE_CHANGES.filter(({ kind, before }) => kind === 'reach' && before === null);
  const text = allowedLines(memoryTerminal().terminal, changes);
  const { widens, other } = describeChanges(changes);
  for (const { label, subject } of [...widens, ...other]) {
    const line = text.split('\n').find((one) => one.startsWith(`    ${label}: `));
    expect(line).toContain(escapeText(subject));
  }
  expect(text).toContain('    Scope of the account: notes:write (notes)\n');
});
