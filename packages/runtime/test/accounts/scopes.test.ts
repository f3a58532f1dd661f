import { describe, expect, it } from 'vitest';
import { scopesToAsk } from '../../src/accounts/scopes.ts';

const NONE = { signed: [], offered: null, added: [], offersOfflineAccess: false };

describe('the scopes of a sign-in', () => {
  it.each([
    ['are left to the server when neither the manifest nor the server names any', {}, null],
    ['do not consist of offline_access alone', { offersOfflineAccess: true }, null],
    ['are those that the server asks for', { offered: ['a'] }, ['a']],
    [
      'include offline_access when the server offers it',
      { offered: ['a'], offersOfflineAccess: true },
      ['a', 'offline_access'],
    ],
    [
      'are those that the server asks for and those that a token lacked',
      { offered: ['a'], added: ['b', 'a'] },
      ['a', 'b'],
    ],
    [
      'are those of the manifest when it names any',
      { signed: ['s', 't', 's'], offered: ['a'], added: ['t'], offersOfflineAccess: true },
      ['s', 't'],
    ],
  ])('%s', (_what, wishes, expected) => {
    expect(scopesToAsk({ ...NONE, ...wishes })).toEqual(expected);
  });

  it('never exceed those of the manifest', () => {
    const wishes = { ...NONE, signed: ['s'], added: ['s', 'admin'] };
    expect(() => scopesToAsk(wishes)).toThrow(expect.objectContaining({ code: 'scope-refused' }));
  });
});
