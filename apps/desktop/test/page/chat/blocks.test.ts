import { expect, it } from 'vitest';
import { blocksOf, isCheap, isSmall } from '../../../page/src/chat/blocks.ts';

it.each([
  ['one\ntwo', ['one\ntwo']],
  ['one\n\ntwo\n\nthree', ['one', 'two', 'three']],
  ['- a\n\n- b\n\n  more\n\nend', ['- a\n\n- b\n\n  more', 'end']],
  ['1. a\n\n2. b', ['1. a\n\n2. b']],
  ['```js\na\n\nb\n```\n\nend', ['```js\na\n\nb\n```', 'end']],
  ['~~~\n```\n\na\n~~~\n\nb', ['~~~\n```\n\na\n~~~', 'b']],
  ['```\nopen\n\nstill', ['```\nopen\n\nstill']],
  ['', ['']],
])('splits %j into blocks', (text, blocks) => {
  expect(blocksOf(text)).toEqual(blocks);
});

it('loses no text', () => {
  const text = 'a\n\n\nb\n\n> q\n\n|t|\n\nc\n';
  expect(blocksOf(text).join('\n\n')).toBe(text);
});

it.each([
  ['a long text', 'Some words, and *some* of them emphasised. '.repeat(150), true],
  ['a table', `| a | b |\n|---|---|\n${'| x | y |\n'.repeat(200)}`, true],
  ['nested lists', '- a\n  - b\n    - c\n', true],
  ['a rule', '-'.repeat(80), true],
  ['a fence', `\`\`\`js\n${'const a = [1, *2, _3];\n'.repeat(1_000)}\`\`\``, true],
  ['emphasis', '*a_'.repeat(33_000), false],
  ['quotes', '> '.repeat(100), false],
  ['quotes without spaces', '>'.repeat(100), false],
  ['lists in lists', '- '.repeat(50).concat('a'), false],
  ['numbers in lists', '1. '.repeat(50).concat('a'), false],
  ['images', '![a]('.repeat(20_000), false],
  ['emphasis after a fence', `\`\`\`\n\`\`\`\n${'*a_'.repeat(9_000)}\n\`\`\``, false],
  ['an open fence that ends in a fence', `\`\`\`\n~~~\n${'*a_'.repeat(9_000)}\n~~~`, false],
])('parses %s: only if it is cheap', (_what, text, cheap) => {
  expect(isCheap(text)).toBe(cheap);
  // What is drawn as plain text is not parsed by the page either.
  if (!cheap) expect(isSmall(text)).toBe(false);
});
