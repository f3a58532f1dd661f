import { describe, expect, it } from 'vitest';
import { findings, issuesOf, letters } from '../support.ts';

const account = {
  id: 'notes',
  label: 'Notes',
  authorizeUrl: 'https://login.example.com/authorize',
  tokenUrl: 'https://login.example.com/token',
  clientId: 'notes-app',
  scopes: [],
};
const bare = { id: 'notes', label: 'Notes', scopes: [] };
const found = (fields: object, mode: 'store' | 'dev' = 'store') => findings({ accounts: [fields] }, mode);

describe.each(['authorizeUrl', 'tokenUrl', 'revokeUrl'])('%s', (field) => {
  it.each([
    'http://login.example.com',
    'https://u:p@login.example.com',
    'https://login.example.com/#a',
    '',
    null,
    7,
  ])('refuses %j', (url) =>
    expect(found({ ...account, [field]: url })).toEqual([`accounts.${field} /accounts/0/${field}`]),
  );

  it('accepts localhost only in dev mode, with a warning', () => {
    const local = { ...account, [field]: 'http://127.0.0.1:4000/x' };
    expect(found(local)).toEqual([`accounts.${field} /accounts/0/${field}`]);
    expect(issuesOf({ accounts: [local] }, 'dev')).toMatchObject([
      { code: `accounts.${field}.localhost`, level: 'warning', path: `/accounts/0/${field}` },
    ]);
  });
});

it('an account requires authorizeUrl, tokenUrl and clientId, unless auth is mcp', () => {
  expect(found(bare)).toEqual([
    'accounts.authorizeUrl /accounts/0/authorizeUrl',
    'accounts.tokenUrl /accounts/0/tokenUrl',
    'accounts.clientId /accounts/0/clientId',
  ]);
  expect(found({ ...bare, auth: 'mcp' })).toEqual([]);
  expect(found({ ...bare, auth: 'mcp', tokenUrl: 'x', clientId: '' })).toEqual([
    'accounts.tokenUrl /accounts/0/tokenUrl',
    'accounts.clientId /accounts/0/clientId',
  ]);
});

it('clientId has 1 to 200 characters', () => {
  for (const length of [1, 200]) expect(found({ ...account, clientId: letters(length) })).toEqual([]);
  for (const length of [0, 201]) {
    const refused = ['accounts.clientId /accounts/0/clientId'];
    expect(found({ ...account, clientId: letters(length) })).toEqual(refused);
  }
});
