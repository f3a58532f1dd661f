import { expect, it } from 'vitest';
import { type ComparedEntry, compareEntries, newEntry } from '../src/compare-entries.ts';

const PROMPT: ComparedEntry = {
  ...{ id: 'ask', name: 'Ask', description: 'Asks.', type: null },
  arguments: [{ name: 'of', description: 'Whom', isRequired: true }],
};
const args = (...list: unknown[]): ComparedEntry => ({ ...PROMPT, arguments: list });
const OF = { name: 'of', description: 'Whom', isRequired: true };

it.each<[string, ComparedEntry, [string, boolean][]]>([
  ['the same', { ...PROMPT }, []],
  ['another name', { ...PROMPT, name: 'Read the keys' }, [['/name', true]]],
  ['no words', { ...PROMPT, description: '' }, [['/description', false]]],
  ['no field for words', { ...PROMPT, description: undefined }, [['/description', false]]],
  ['a type', { ...PROMPT, type: 'text/html' }, [['/type', true]]],
  ['a size', { ...PROMPT, bytes: 7 }, []],
  [
    'an argument',
    args(OF, { name: 'keys', description: '', isRequired: false }),
    [['/arguments/keys', true]],
  ],
  ['what is no argument', args(OF, null, 'keys'), []],
  ['no argument', args(), [['/arguments/of', false]]],
  ['an optional argument', args({ ...OF, isRequired: false }), [['/arguments/of/isRequired', false]]],
  ['other words of one', args({ ...OF, description: 'Keys' }), [['/arguments/of/description', true]]],
  ['what is beside it', { ...PROMPT, given: { title: 'T' } }, [['/title', true]]],
  ['an unknown field', { ...PROMPT, more: 'x' }, [['/more', true]]],
])('an entry with %s', (_what, after, changes) => {
  expect(compareEntries('prompt', 'ask', PROMPT, after)).toEqual(
    changes.map(([path, widens]) => expect.objectContaining({ of: 'prompt', tool: 'ask', path, widens })),
  );
});

it('the origins of a page may become fewer', () => {
  const page = (csp: object): ComparedEntry => ({ uri: 'ui://a', csp });
  const changes = (before: object, after: object) =>
    compareEntries('page', 'ui://a', page(before), page(after)).map(({ path, widens }) => [path, widens]);
  const two = { connectDomains: ['https://a.example', 'https://b.example'] };
  expect(changes(two, { connectDomains: ['https://b.example'] })).toEqual([['/csp/connectDomains', false]]);
  expect(changes(two, {})).toEqual([['/csp/connectDomains', false]]);
  expect(changes({}, two)).toEqual([['/csp/connectDomains', true]]);
  expect(changes(two, { connectDomains: ['https://c.example'] })).toEqual([['/csp/connectDomains', true]]);
});

it('icons that go bring nothing new, others do', () => {
  const icon = (src: string): ComparedEntry => ({ ...PROMPT, given: { icons: [{ src }] } });
  const changes = (after: ComparedEntry) =>
    compareEntries('prompt', 'ask', icon('a'), after).map(({ path, widens }) => [path, widens]);
  expect(changes({ ...PROMPT, given: {} })).toEqual([['/icons', false]]);
  expect(changes(icon('b'))).toEqual([['/icons', true]]);
});

it('a new entry is shown whole', () => {
  expect(newEntry('prompt', 'ask', PROMPT)).toMatchObject({ kind: 'new', before: null, after: PROMPT });
});
