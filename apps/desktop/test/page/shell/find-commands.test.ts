import { describe, expect, it } from 'vitest';
import type { Command, Kind } from '../../../page/src/shell/commands.ts';
import { findCommands } from '../../../page/src/shell/find-commands.ts';

const command = (kind: Kind, label: string, hint?: string): Command => ({
  ...{ id: `${kind} ${label}`, kind, label, run: () => undefined },
  ...(hint !== undefined && { hint }),
});

const ALL = [
  command('page', 'Updates'),
  command('page', 'Store'),
  command('action', 'New chat'),
  command('tool', 'Contact sheet', 'Pinboard'),
  command('app', 'Pinboard'),
  command('model', 'small-model', 'Local, switch model'),
  ...Array.from({ length: 30 }, (_, n) => command('chat', `Conversation ${n}`)),
];

const labels = (query: string, only: Kind | null = null, given?: ReadonlySet<string>) =>
  findCommands(ALL, query, only, given).map(({ kind, commands }) => [
    kind,
    ...commands.map(({ label }) => label),
  ]);

describe('findCommands', () => {
  it('lists kinds in a fixed order for an empty query, and limits the results of each kind', () => {
    expect(labels(' ').map(([kind]) => kind)).toEqual(['action', 'page', 'chat', 'app', 'tool', 'model']);
    expect(labels('').find(([kind]) => kind === 'chat')).toHaveLength(1 + 6);
    expect(labels('conv').find(([kind]) => kind === 'chat')).toHaveLength(1 + 20);
  });

  it('matches letters of the label and the hint, with the kind of the best match first', () => {
    expect(labels('pinboard')).toEqual([
      ['app', 'Pinboard'],
      ['tool', 'Contact sheet'],
    ]);
    expect(labels('switch model')).toEqual([['model', 'small-model']]);
    expect(labels('nwcht')).toEqual([['action', 'New chat']]);
    expect(labels('zzz')).toEqual([]);
    // A match at the start of a word hides matches of scattered letters.
    const two = [command('page', 'Store'), command('action', 'Search conversations')];
    expect(findCommands(two, 'sto').map(({ kind }) => kind)).toEqual(['page']);
    expect(findCommands(two.slice(1), 'sto').map(({ kind }) => kind)).toEqual(['action']);
  });

  it('can be limited to one kind, and adds the results of another search at the end', () => {
    expect(labels('', 'model')).toEqual([['model', 'small-model']]);
    expect(labels('store', 'model')).toEqual([]);
    expect(labels('store', null, new Set(['chat Conversation 7']))).toEqual([
      ['page', 'Store'],
      ['chat', 'Conversation 7'],
    ]);
  });
});
