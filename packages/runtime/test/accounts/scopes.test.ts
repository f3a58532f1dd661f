import { describe, expect, it } from 'vitest';
import { scopesToAsk } from '../../src/accounts/scopes.ts';

const NONE = { signed: [], offered: null, added: [], offersOfflineAccess: false };

describe('the scopes of a sign-in', () => {
  it.each([
    ['are left to the server when nobody names any', {}, null],
    ['are not made of offline_access alone', { offersOfflineAccess: true }, null],
    ['are what the server asks for', { offered: ['a'] }, ['a']],
    [
      'have a refresh token join them',
      { offered: ['a'], offersOfflineAccess: true },
      ['a', 'offline_access'],
    ],
    [
      'are what the server asks for and what a token lacked',
      { offered: ['a'], added: ['b', 'a'] },
      ['a', 'b'],
    ],
    [
      'are those of the manifest, whatever the server says',
      { signed: ['s', 't', 's'], offered: ['a'], added: ['t'], offersOfflineAccess: true },
      ['s', 't'],
    ],
  ])('%s', (_what, wishes, expected) => {
    expect(scopesToAsk({ ...NONE, ...wishes })).toEqual(expected);
  });

  it('never go beyond the manifest', () => {
    const wishes = { ...NONE, signed: ['s'], added: ['s', 'admin'] };
    expect(() => scopesToAsk(wishes)).toThrow(expect.objectContaining({ code: 'scope-refused' }));
  });
});
