import { describe, expect, it } from 'vitest';
import {
  accountOf,
  bindingOf,
  entryAs,
  Grant,
  isFresh,
  isValid,
  statusOf,
} from '../../src/accounts/grant.ts';
import type { AppSource } from '../../src/library/installed-app.ts';
import { HOUR } from '../support/open-accounts.ts';
import { refused } from '../support/refused.ts';
import { appWith, fromStore } from '../support/sample-apps.ts';
import { AS, DECLARED, DISCOVERED, MCP } from '../support/sign-in.ts';

const ISSUED = Date.parse('2026-01-02T03:04:05.000Z');

const grantWith = (changes: Partial<Grant> = {}): Grant => ({
  binding: 'a binding',
  accessToken: 'at-1',
  refreshToken: 'rt-1',
  issuedAt: ISSUED,
  expiresAt: ISSUED + HOUR,
  asked: ['read', 'write'],
  granted: ['read'],
  server: { issuer: 'https://id.example.com', tokenEndpoint: `${AS}/token`, revocationEndpoint: null },
  client: { id: 'public-client', secret: null, method: 'none' },
  resource: null,
  connectedAt: ISSUED,
  holder: 'anna@example.com',
  loopback: false,
  ...changes,
});

describe('an access token', () => {
  it.each([
    ['is used until a minute before it expires', HOUR, HOUR - 60_000],
    ['with a short life is used for half of it', 20_000, 10_000],
  ])('%s, and is valid until it expires', (_what, lifetime, usedFor) => {
    const grant = grantWith({ expiresAt: ISSUED + lifetime });
    const at = [usedFor - 1, usedFor, lifetime - 1, lifetime].map((after) => ISSUED + after);
    expect(at.map((now) => isFresh(grant, now))).toEqual([true, false, false, false]);
    expect(at.map((now) => isValid(grant, now))).toEqual([true, true, true, false]);
  });

  it('without a known expiry is used until the server refuses it', () => {
    const grant = grantWith({ expiresAt: null });
    expect([isFresh, isValid].map((is) => is(grant, ISSUED + 10_000 * HOUR))).toEqual([true, true]);
  });
});

describe('the status of an account', () => {
  it('has who signed in, what was granted, and the host of the authorization server', () => {
    expect(statusOf(DECLARED, grantWith(), ISSUED)).toEqual({
      id: 'main',
      label: 'Notes',
      required: false,
      connected: true,
      holder: 'anna@example.com',
      expiresAt: '2026-01-02T04:04:05.000Z',
      scopes: ['read'],
      host: 'id.example.com',
    });
    const { holder: _none, ...nameless } = grantWith({ granted: null, expiresAt: null });
    const server = { ...nameless.server, issuer: null };
    const status = statusOf({ ...DISCOVERED, required: true }, { ...nameless, server }, ISSUED);
    expect(status).toMatchObject({ required: true, expiresAt: null, scopes: ['read', 'write'] });
    expect(status).toMatchObject({ host: 'as.example.com' });
    expect(status).not.toHaveProperty('holder');
    expect(statusOf(DISCOVERED, grantWith({ granted: null, asked: null }), ISSUED).scopes).toEqual([]);
  });

  it('is connected while its token is valid or can be renewed, else what the manifest says', () => {
    const later = ISSUED + 2 * HOUR;
    expect(statusOf(DECLARED, grantWith(), later).connected).toBe(true);
    const lasting = grantWith({ refreshToken: null, expiresAt: null });
    expect(statusOf(DECLARED, lasting, later).connected).toBe(true);
    const none = { ...{ id: 'main', label: 'Notes', required: false, connected: false, expiresAt: null } };
    for (const grant of [grantWith({ refreshToken: null }), null]) {
      expect(statusOf(DECLARED, grant, later)).toEqual({
        ...none,
        scopes: ['read'],
        host: 'as.example.com',
      });
      expect(statusOf(DISCOVERED, grant, later)).toEqual({ ...none, scopes: [], host: null });
    }
  });
});

it('an account that the app does not declare is unknown', () => {
  const app = appWith([{ ...DECLARED, id: 'other' }, DECLARED]);
  expect(accountOf(app, 'main')).toEqual(DECLARED);
  expect(() => accountOf(app, 'third')).toThrow(refused('unknown-account'));
  const { accounts: _none, ...manifest } = app.manifest;
  expect(() => accountOf({ ...app, manifest }, 'main')).toThrow(refused('unknown-account'));
});

describe('the binding of a grant', () => {
  const bound = (source: AppSource, account = DECLARED, mcpUrl = MCP) =>
    bindingOf(appWith([account], { source, mcpUrl }), account);

  it('differs with the source of the app, its servers, the kind of account and the client', () => {
    const store = fromStore('https://store.example.com');
    const bindings = [
      bound(store),
      bound(fromStore('https://other.example.com')),
      bound({ kind: 'developer', folder: 'https://store.example.com' }),
      bound({ kind: 'developer', folder: '/home/ada/app' }),
      bound({ kind: 'connector', url: 'https://store.example.com' }),
      bound({ kind: 'connector', url: MCP }),
      bound({ kind: 'built-in' }),
      bound(store, { ...DECLARED, authorizeUrl: `${AS}/other` }),
      bound(store, { ...DECLARED, tokenUrl: `${AS}/other` }),
      bound(store, { ...DECLARED, clientId: 'other' }),
      bound(store, DISCOVERED),
      bound(store, DISCOVERED, `${MCP}/other`),
      bound(store, { ...DISCOVERED, clientId: 'other' }),
    ];
    expect(new Set(bindings).size).toBe(bindings.length);
  });

  it('is stored, so that later versions of this program must write the same', () => {
    const addresses = [DECLARED.authorizeUrl, DECLARED.tokenUrl];
    expect(JSON.parse(bound({ kind: 'built-in' }))).toEqual([
      'built-in',
      '',
      null,
      ...addresses,
      'public-client',
    ]);
    expect(JSON.parse(bound({ kind: 'connector', url: MCP }, DISCOVERED))).toEqual([
      'connector',
      MCP,
      'mcp',
      MCP,
      null,
    ]);
  });

  it('stays the same after an update that changes none of them', () => {
    const { kind: _kind, ...store } = fromStore('https://store.example.com') as AppSource & { kind: 'store' };
    const updated = bound(
      { kind: 'store', ...store, sha256: 'cd'.repeat(32), keyId: 'next' },
      { ...DECLARED, label: 'My notes', scopes: ['more'], required: true },
      'https://elsewhere.example.com/mcp',
    );
    expect(updated).toBe(bound(fromStore('https://store.example.com')));
  });
});

it('an entry of the vault in another format is none, so that the user connects again', () => {
  const grant = grantWith();
  expect(entryAs(Grant, JSON.stringify(grant))).toEqual(grant);
  const { accessToken: _none, ...other } = grant;
  expect([entryAs(Grant, JSON.stringify(other)), entryAs(Grant, null)]).toEqual([null, null]);
  // Earlier versions did not store what the app could reach on this machine.
  const { loopback: _unknown, ...earlier } = grantWith({ loopback: true });
  expect(entryAs(Grant, JSON.stringify(earlier))).toEqual({ ...earlier, loopback: false });
});
