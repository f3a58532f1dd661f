import { describe, expect, it } from 'vitest';
import { narrower, wider } from '../../../page/src/reach/changes.ts';
import { accountsOf, entriesOf } from '../../../page/src/reach/footprint.ts';
import { WIDENED } from '../support/sample-data.ts';

const NOTHING = Object.fromEntries(
  Object.entries(WIDENED).map(([key, value]) => [
    key,
    Array.isArray(value) ? [] : key === 'baseVersion' ? '1.0.0' : false,
  ]),
) as unknown as typeof WIDENED;

describe('what an update reaches beyond what was agreed to', () => {
  it('is told for every list that makes an update wider', () => {
    const lists = [
      'grantsAdded',
      'domainsAdded',
      'accountsAdded',
      'fileParamsAdded',
      'requiresAdded',
      'confirmRemoved',
    ] as const;
    const more = ['toolAccountsChanged', 'fileLimitsRaised', 'authEndpointsChanged', 'toolsAdded'] as const;
    expect(wider(NOTHING)).toEqual([]);
    for (const list of [...lists, ...more]) {
      expect(wider({ ...NOTHING, [list]: ['x.y'] }), list).toHaveLength(1);
    }
    expect(wider({ ...NOTHING, mcpUrlChanged: true })).toHaveLength(1);
  });

  it('tells accounts from their scopes, also those with colons in them', () => {
    const said = wider({ ...NOTHING, accountsAdded: ['notes', 'notes:urn:x:write'] });
    expect(said.map(({ what }) => what)).toEqual(['notes', 'urn:x:write']);
  });

  it('is apart from what it reaches no longer', () => {
    expect(narrower(WIDENED).map(({ what }) => what)).toEqual(['old.example.com']);
    expect(narrower({ ...NOTHING, toolsRemoved: ['t'] })).toHaveLength(1);
  });
});

describe('a footprint that came as JSON', () => {
  it('has the entries of its maps in whatever form they were sent', () => {
    const entries = [['a', 1]];
    expect(entriesOf(new Map([['a', 1]]))).toEqual(entries);
    expect(entriesOf({ a: 1 })).toEqual(entries);
    expect(entriesOf([['a', 1]])).toEqual(entries);
    expect(entriesOf(undefined)).toEqual([]);
  });

  it('joins scopes with their accounts', () => {
    expect(accountsOf(['a', 'a:x', 'a:y:z', 'ab', 'ab:q'])).toEqual([
      { id: 'a', scopes: ['x', 'y:z'] },
      { id: 'ab', scopes: ['q'] },
    ]);
  });
});
