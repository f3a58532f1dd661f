import type { FileRule, Manifest, Tool } from '@svc/contracts';
import { expect, it } from 'vitest';
import { changesOf } from '../src/changes-of.ts';
import { footprintOf } from '../src/index.ts';
import { COMMON, LIST, SEND } from './support/diff-parts.ts';

const RULE: FileRule = { accept: ['image/png'], prepare: { op: 'resize', width: 64 } };
const SENDS: Tool = { ...SEND, files: { body: RULE } };

const withTools = (...tools: Tool[]): Manifest => ({ ...COMMON, contributes: { tools } });

/** The paths of an update that add permissions. */
const wider = (before: Tool[], after: Tool[]): string[] =>
  changesOf(footprintOf(withTools(...before)), footprintOf(withTools(...after)))
    .filter(({ widens }) => widens)
    .map(({ path }) => path);

const file = (rule: FileRule): Tool[] => [{ ...SENDS, files: { body: { ...RULE, ...rule } } }];
const ACCEPT = '/contributes/tools/send/files/body/accept';

it.each<[string, string[], string[], string[]]>([
  ['all types to one', ['*/*'], ['image/png'], []],
  ['one type to all', ['image/png'], ['*/*'], [ACCEPT]],
  ['a kind to one of it', ['image/*'], ['image/png'], []],
  ['a type to its kind', ['image/png'], ['image/*'], [ACCEPT]],
  ['a type to another one', ['image/png'], ['text/plain'], [ACCEPT]],
])('a file: from %s', (_what, before, after, paths) => {
  expect(wider(file({ accept: before }), file({ accept: after }))).toEqual(paths);
});

it('a tool that goes takes its restrictions with it, one that stays loses them', () => {
  expect(wider([SENDS, LIST], [LIST])).toEqual([]);
  const { confirm, files, ...bare } = SENDS;
  expect(wider([SENDS], [{ ...bare, files: { body: {} } }])).toEqual([
    '/contributes/tools/send/confirm',
    ACCEPT,
    '/contributes/tools/send/files/body/prepare',
  ]);
});

it.each<[string, Partial<Tool>, boolean]>([
  ['stays the same', {}, false],
  ['gets another name', { name: 'Send' }, true],
  ['is described otherwise', { description: 'Sends a letter.' }, true],
  ['calls another tool of the server', { remoteName: 'send' }, true],
  ['calls it too, with a card of its own', { remoteName: 'send', confirm: { title: 'Send it?' } }, false],
])('a card is lost where its tool goes and a tool without one %s', (_what, change, isLost) => {
  expect(wider([SENDS, LIST], [{ ...LIST, ...change }])).toEqual(
    isLost ? ['/contributes/tools/send/confirm'] : [],
  );
});
