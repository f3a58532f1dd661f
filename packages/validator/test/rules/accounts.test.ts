import { describe, expect, it } from 'vitest';
import { findings, letters } from '../support.ts';

const account = { id: 'notes', label: 'Notes', auth: 'mcp', scopes: [] };
const found = (...accounts: unknown[]) => findings({ accounts });

describe('accounts', () => {
  it('is a list of objects', () => {
    expect(findings({ accounts: null })).toEqual(['accounts.format /accounts']);
    expect(found(account, null, [account])).toEqual([
      'accounts.item /accounts/1',
      'accounts.item /accounts/2',
    ]);
    expect(found({ ...account, required: 'yes' })).toEqual(['accounts.item /accounts/0/required']);
  });

  it.each(['A', '1a', '_a', 'a-b', 'a b', '', 'ä', 7, undefined])('refuses the id %j', (id) =>
    expect(found({ ...account, id })).toEqual(['accounts.id /accounts/0/id']),
  );

  it.each(['a', 'a_1', 'constructor', letters(100)])('accepts the id %s', (id) =>
    expect(found({ ...account, id })).toEqual([]),
  );

  it('reports the second of two equal ids, but invalid ids only as invalid', () => {
    expect(found(account, { ...account, id: 'b' }, account)).toEqual(['accounts.duplicate /accounts/2/id']);
    expect(found({ ...account, id: 'B' }, { ...account, id: 'B' })).toEqual([
      'accounts.id /accounts/0/id',
      'accounts.id /accounts/1/id',
    ]);
  });

  it('has a label of 1 to 40 characters', () => {
    expect(found({ ...account, label: letters(40) })).toEqual([]);
    expect(found({ ...account, label: letters(41) })).toEqual(['accounts.label /accounts/0/label']);
  });

  it('reports no missing field when auth is malformed', () =>
    expect(found({ ...account, auth: 'MCP' })).toEqual(['accounts.auth /accounts/0/auth']));

  it('requires an MCP server for auth mcp in both modes', () => {
    const remote = { domains: [] };
    expect(findings({ accounts: [account], remote })).toEqual([
      'remote.missing /remote',
      'accounts.auth.remote /accounts/0/auth',
    ]);
    expect(findings({ accounts: [account], remote }, 'dev')).toEqual([
      'accounts.auth.remote /accounts/0/auth',
    ]);
  });
});

describe('scopes', () => {
  it.each(['read', 'https://www.example.com/auth/drive', 'a:b,c', '!'])('accepts %s', (scope) =>
    expect(found({ ...account, scopes: [scope] })).toEqual([]),
  );
  it.each(['', 'a b', 'a\n', 'é', '"', '\\', 7, null])('refuses %j', (scope) =>
    expect(found({ ...account, scopes: ['a', scope] })).toEqual(['accounts.scopes /accounts/0/scopes/1']),
  );
  it('are required', () =>
    expect(found({ ...account, scopes: undefined })).toEqual(['accounts.scopes /accounts/0/scopes']));
});

describe('params', () => {
  it('accepts strings', () =>
    expect(found({ ...account, params: { prompt: 'consent', constructor: '' } })).toEqual([]));
  it('refuses anything else', () => {
    expect(found({ ...account, params: [] })).toEqual(['accounts.params /accounts/0/params']);
    expect(found({ ...account, params: { a: 1, b: null } })).toEqual([
      'accounts.params /accounts/0/params/a',
      'accounts.params /accounts/0/params/b',
    ]);
  });
  it.each(
    'client_secret redirect_uri code_challenge state client_id response_type scope code_challenge_method resource request request_uri response_mode State'.split(
      ' ',
    ),
  )('reserves %s for the client', (name) =>
    expect(found({ ...account, params: { [name]: 'x' } })).toEqual([
      `accounts.params.reserved /accounts/0/params/${name}`,
    ]),
  );
});
