import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Account } from '@svc/contracts';
import { serveHere } from '@svc/testkit/http-server';
import { describe, expect, it, vi } from 'vitest';
import type { Guard } from '../../src/accounts/requests.ts';
import { authorisedFetch } from '../../src/calls/authorised-fetch.ts';
import { createSecrets } from '../../src/calls/secrets.ts';
import { RuntimeError } from '../../src/platform/runtime-error.ts';
import type { System } from '../../src/platform/system.ts';
import { type Answer, fakeWeb, json } from '../support/fake-web.ts';
import { HOUR, testAccounts, USE } from '../support/open-accounts.ts';
import { realSystem } from '../support/real-system.ts';
import { AS, DECLARED, DISCOVERED, honest, MCP, METADATA, trying } from '../support/sign-in.ts';
import { grantsOf, signInWorld } from '../support/sign-in-world.ts';

/** The contents of all files in the folder. */
async function bytesIn(folder: string): Promise<string> {
  const names = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isFile());
  return (await Promise.all(names.map(({ name }) => readFile(path.join(folder, name), 'latin1')))).join();
}

describe('an account whose authorization server is discovered', () => {
  it('connects with dynamic registration, PKCE and the relay, and has tokens only for its MCP server', async () => {
    const { accounts, app, oidc, mcpUrl, relay } = await signInWorld();
    expect(await accounts.token(app, 'main', USE)).toBeNull();
    await accounts.connect(app, 'main');
    const token = (await accounts.token(app, 'main', USE)) ?? '';
    const [address] = accounts.opened;
    expect(Object.fromEntries(address?.searchParams ?? [])).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      redirect_uri: `${relay.url}/apps/oauth/callback`,
      scope: 'notes:read offline_access',
      resource: mcpUrl,
      state: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(await oidc.find(token)).toMatchObject({ aud: mcpUrl, scope: 'notes:read' });
    expect(oidc.tokenRequests).toEqual([expect.objectContaining({ resource: mcpUrl })]);
    expect(oidc.tokenRequests[0]).not.toHaveProperty('client_secret');
    expect(await accounts.list(app)).toEqual([
      expect.objectContaining({ id: 'main', connected: true, host: new URL(oidc.issuer).host }),
    ]);
    // On a busy machine the answer may come so late that the digits are shown.
    const told = accounts.told.map(({ type }) => type).filter((type) => type !== 'sign-in-digits');
    expect(told).toEqual(['sign-in-started', 'account-connected', 'sign-in-ended', 'token-used']);
    expect(accounts.activity(app.appId, 'main')).toEqual([{ ...USE, at: expect.any(String) }]);
    expect(await bytesIn(accounts.folder)).not.toContain(token);
  });

  it('reuses its client registration for the next sign-in at the same server', async () => {
    const { accounts, app, oidc } = await signInWorld();
    await accounts.connect(app, 'main');
    const other = { ...app, appId: 'com.example.other' };
    await accounts.connect(other, 'main');
    expect(oidc.paths.filter((place) => place === '/reg')).toHaveLength(1);
    expect(await accounts.token(other, 'main', USE)).not.toBe(await accounts.token(app, 'main', USE));
  });

  it('registers a new client after an aborted sign-in', async () => {
    const { accounts, app, oidc, relay } = await signInWorld();
    const impatient = await testAccounts({
      store: relay.url,
      folder: accounts.folder,
      openBrowser: async () => {},
    });
    const giveUp = new AbortController();
    const attempt = impatient.connect(app, 'main', { signal: giveUp.signal });
    await expect.poll(() => impatient.opened).toHaveLength(1);
    giveUp.abort('enough');
    await expect(attempt).rejects.toBe('enough');
    // An aborted sign-in does not wait until its client is deleted.
    const registered = async () => {
      await accounts.connect(app, 'main');
      return oidc.paths.filter((place) => place === '/reg').length;
    };
    await expect.poll(registered).toBe(2);
  });

  it('opens one page for concurrent callers, and stays open for the others when one aborts', async () => {
    const { accounts, app } = await signInWorld();
    const signal = AbortSignal.abort('enough');
    const [first, second, gone] = await Promise.allSettled([
      accounts.connect(app, 'main'),
      accounts.connect(app, 'main', { signal: new AbortController().signal }),
      accounts.connect(app, 'main', { signal }),
    ]);
    expect([first.status, second.status]).toEqual(['fulfilled', 'fulfilled']);
    expect(gone).toEqual({ status: 'rejected', reason: 'enough' });
    expect(accounts.opened).toHaveLength(1);
  });

  it('connects for the other callers when the caller that started the sign-in aborts', async () => {
    const { accounts, app } = await signInWorld();
    const starter = new AbortController();
    const first = accounts.connect(app, 'main', { signal: starter.signal });
    const second = accounts.connect(app, 'main');
    starter.abort('enough');
    await expect(first).rejects.toBe('enough');
    await second;
    expect(await accounts.token(app, 'main', USE)).not.toBeNull();
    expect(accounts.opened).toHaveLength(1);
  });

  it('refreshes its token a minute before it expires, and not earlier', async () => {
    const { accounts, app, oidc, mcpUrl } = await signInWorld();
    await accounts.connect(app, 'main');
    const first = await accounts.token(app, 'main', USE);
    accounts.pass(HOUR - 70_000);
    expect(await accounts.token(app, 'main', USE)).toBe(first);
    accounts.pass(15_000);
    const second = await accounts.token(app, 'main', USE);
    expect(second).not.toBe(first);
    expect(oidc.tokenRequests.at(-1)).toMatchObject({ grant_type: 'refresh_token', resource: mcpUrl });
    accounts.pass(HOUR);
    expect(await accounts.token(app, 'main', USE)).not.toBe(second);
    expect(accounts.told.some(({ type }) => type === 'account-dropped')).toBe(false);
  });

  it('requests only the scopes of the manifest, even if the server asks for more', async () => {
    const { accounts, app } = await signInWorld({ scopes: ['notes:read'], scope: 'notes:read notes:write' });
    await accounts.connect(app, 'main');
    expect(accounts.opened[0]?.searchParams.get('scope')).toBe('notes:read');
    const beyond = accounts.connect(app, 'main', { scopes: ['notes:read', 'notes:write'] });
    await expect(beyond).rejects.toMatchObject({ code: 'scope-refused' });
    expect(accounts.opened).toHaveLength(1);
    await accounts.connect(app, 'main', { scopes: ['notes:read'] });
    expect(accounts.opened[1]?.searchParams.get('scope')).toBe('notes:read');
  });
});

describe('a token that its server refuses', () => {
  it('is refreshed once for concurrent calls that were refused', async () => {
    const { accounts, app, oidc } = await signInWorld();
    await accounts.connect(app, 'main');
    const token = (await accounts.token(app, 'main', USE)) ?? '';
    const many = await Promise.all(
      Array.from({ length: 20 }, () => accounts.refreshAfter401(app, 'main', token, 'Bearer')),
    );
    expect(new Set(many).size).toBe(1);
    expect(many[0]).not.toBe(token);
    expect(await accounts.refreshAfter401(app, 'main', token, 'Bearer')).toBe(many[0]);
    expect(grantsOf(oidc.tokenRequests)).toEqual(['authorization_code', 'refresh_token']);
  });

  it('is refreshed again when the one that replaced it has expired', async () => {
    const { accounts, app } = await signInWorld();
    await accounts.connect(app, 'main');
    const tokens = [await accounts.token(app, 'main', USE)];
    accounts.pass(HOUR);
    tokens.push(await accounts.token(app, 'main', USE));
    accounts.pass(HOUR);
    expect(tokens).not.toContain(await accounts.refreshAfter401(app, 'main', tokens[0] ?? '', 'Bearer'));
  });

  it('with insufficient_scope (RFC 6750 section 3.1) is replaced by a sign-in that requests that scope and those already granted', async () => {
    const { accounts, app, oidc } = await signInWorld();
    await accounts.connect(app, 'main');
    const token = await accounts.token(app, 'main', USE);
    const url = await serveHere(() => async ({ headers }, response) => {
      const found = await oidc.find((headers.authorization ?? '').replace('Bearer ', ''));
      if (found?.scope?.split(' ').includes('notes:write')) return void response.end('written');
      const challenge = 'Bearer error="insufficient_scope", scope="notes:write"';
      response.writeHead(403, { 'www-authenticate': challenge }).end();
    });
    const deps = { app, accountId: 'main', tokens: accounts, secrets: createSecrets() };
    const write = () => authorisedFetch({ ...deps, fetch })(url, { method: 'POST' });
    const detail = { accountId: 'main', scopes: ['notes:write'] };
    await expect(write()).rejects.toMatchObject({ code: 'not-connected', detail });
    expect(accounts.opened).toHaveLength(1);
    await accounts.connect(app, 'main', { scopes: detail.scopes });
    expect(await (await write()).text()).toBe('written');
    const scopes = accounts.opened[1]?.searchParams.get('scope')?.split(' ').sort();
    expect(scopes).toEqual(['notes:read', 'notes:write', 'offline_access']);
    const wider = (await accounts.token(app, 'main', USE)) ?? '';
    expect(wider).not.toBe(token);
    expect(await oidc.find(wider)).toMatchObject({ scope: expect.stringContaining('notes:write') });
  });
});

describe('a connected account', () => {
  /** Uses a refresh token a second time, like an attacker who stole it: the server revokes the grant. */
  async function stolen() {
    const all = await signInWorld();
    await all.accounts.connect(all.app, 'main');
    all.accounts.pass(HOUR);
    await all.accounts.token(all.app, 'main', USE);
    const used = all.oidc.tokenRequests.at(-1) ?? {};
    const body = new URLSearchParams(used);
    const answer = await fetch(`${all.oidc.issuer}/token`, { method: 'POST', body });
    expect(await answer.json()).toMatchObject({ error: 'invalid_grant' });
    all.accounts.pass(HOUR);
    return all;
  }

  it('is dropped once when its grant was revoked, and can be connected again', async () => {
    const { accounts, app, oidc } = await stolen();
    const many = await Promise.all(Array.from({ length: 10 }, () => accounts.token(app, 'main', USE)));
    expect(new Set(many)).toEqual(new Set([null]));
    const dropped = accounts.told.filter(({ type }) => type === 'account-dropped');
    expect(dropped).toEqual([
      { type: 'account-dropped', appId: app.appId, accountId: 'main', reason: 'invalid_grant' },
    ]);
    const { host } = new URL(oidc.issuer);
    expect(await accounts.list(app)).toEqual([expect.objectContaining({ connected: false, host })]);
    await accounts.connect(app, 'main');
    expect(await accounts.token(app, 'main', USE)).toEqual(expect.any(String));
    // As a new client: a server that has lost its data also answers `invalid_grant`.
    expect(oidc.paths.filter((path) => path === '/reg')).toHaveLength(2);
  });

  it('is kept while its server is down, and uses the old token until it expires', async () => {
    const { accounts, app, oidc } = await signInWorld();
    await accounts.connect(app, 'main');
    const token = await accounts.token(app, 'main', USE);
    oidc.setDown(true);
    accounts.pass(HOUR - 30_000);
    expect(await accounts.token(app, 'main', USE)).toBe(token);
    const asked = oidc.paths.length;
    expect(await accounts.token(app, 'main', USE)).toBe(token);
    expect(oidc.paths.length).toBe(asked);
    accounts.pass(HOUR);
    await expect(accounts.token(app, 'main', USE)).rejects.toMatchObject({ code: 'token-unavailable' });
    await expect(accounts.refreshAfter401(app, 'main', token ?? '', null)).rejects.toMatchObject({
      code: 'token-unavailable',
    });
    oidc.setDown(false);
    expect(await accounts.token(app, 'main', USE)).not.toBe(token);
    expect(accounts.told.some(({ type }) => type === 'account-dropped')).toBe(false);
  });

  it('is deleted here and revoked at the server when the user disconnects it', async () => {
    const { accounts, app, oidc } = await signInWorld();
    await accounts.connect(app, 'main');
    const token = (await accounts.token(app, 'main', USE)) ?? '';
    expect(await accounts.disconnect(app, 'main')).toEqual({ revoked: true });
    expect(await accounts.token(app, 'main', USE)).toBeNull();
    expect(await oidc.find(token)).toBeUndefined();
    expect(await accounts.disconnect(app, 'main')).toMatchObject({ revoked: false });
  });

  it('is deleted here when the server is down, and the result says that the revocation is pending', async () => {
    const { accounts, app, oidc } = await signInWorld();
    await accounts.connect(app, 'main');
    oidc.setDown(true);
    expect(await accounts.disconnect(app, 'main')).toEqual({
      revoked: false,
      pending: true,
      reason: expect.stringContaining('503'),
    });
    expect(await accounts.token(app, 'main', USE)).toBeNull();
  });
});

describe('a token of an account', () => {
  it('is refused to an app that is off or yanked, and for an account that the app does not declare', async () => {
    const { accounts, app } = await signInWorld();
    await accounts.connect(app, 'main');
    const yanked = {
      ...app,
      yanked: { reason: 'bad', at: '2026-01-01T00:00:00.000Z', comesBack: true },
    };
    for (const [bad, id, code] of [
      [{ ...app, on: false }, 'main', 'switched-off'],
      [yanked, 'main', 'yanked'],
      [app, 'other', 'unknown-account'],
    ] as const) {
      await expect(accounts.token(bad, id, USE)).rejects.toMatchObject({ code });
      await expect(accounts.connect(bad, id)).rejects.toMatchObject({ code });
      await expect(accounts.refreshAfter401(bad, id, 'x', null)).rejects.toMatchObject({ code });
    }
    // A yanked app can still be disconnected.
    expect(await accounts.disconnect(yanked, 'main')).toEqual({ revoked: true });
  });

  it('is not given to an app of the same id from another source, or whose update names another server', async () => {
    const { accounts, app, mcpUrl } = await signInWorld();
    await accounts.connect(app, 'main');
    const { manifest } = app;
    const elsewhere = { ...app, source: { kind: 'developer' as const, folder: '/tmp/copy' } };
    const moved = {
      ...app,
      manifest: { ...manifest, remote: { mcpUrl: `${mcpUrl}/other`, domains: [] } },
    };
    for (const other of [elsewhere, moved]) {
      expect(await accounts.token(other, 'main', USE)).toBeNull();
      expect(await accounts.list(other)).toEqual([expect.objectContaining({ connected: false })]);
    }
    expect(await accounts.token(app, 'main', USE)).toEqual(expect.any(String));
  });
});

describe('what a card says of a sign-in', () => {
  const PRM = 'https://mcp.example.com/.well-known/oauth-protected-resource/mcp';
  const offering = {
    [PRM]: () => json({ resource: MCP, authorization_servers: [AS], scopes_supported: ['a'] }),
    [`${AS}/.well-known/oauth-authorization-server`]: () =>
      json({ ...METADATA, scopes_supported: ['a', 'offline_access'] }),
  };
  const dead = { [MCP]: () => Promise.reject(new RuntimeError('unreachable')) };

  it.each<[string, Account, Record<string, Answer>, string[], object]>([
    ['of the manifest', DECLARED, dead, [], { host: 'as.example.com', scopes: ['read'] }],
    [
      'of a manifest without scopes, whatever its MCP server says',
      { ...DECLARED, scopes: [] },
      offering,
      [],
      { host: 'as.example.com', scopes: [] },
    ],
    ['that is discovered', DISCOVERED, {}, [], { host: 'as.example.com', scopes: [] }],
    ['with scopes', DISCOVERED, offering, [], { host: 'as.example.com', scopes: ['a', 'offline_access'] }],
    ['for a step-up', DISCOVERED, {}, ['b'], { host: 'as.example.com', scopes: ['b'] }],
    ['that cannot be discovered', DISCOVERED, dead, ['b'], { host: null, scopes: ['b'] }],
    [
      'with scopes of the manifest',
      { ...DISCOVERED, scopes: ['a', 'b'] },
      offering,
      ['b'],
      { host: 'as.example.com', scopes: ['a', 'b'] },
    ],
  ])('at a server %s', async (_what, account, pages, added, expected) => {
    const { accounts, app } = await trying(account, pages);
    expect(await accounts.signInDetails(app, 'main', added)).toEqual(expected);
  });

  it('has the scopes that the server offers now, also where its host is known', async () => {
    const { accounts, app } = await trying(DISCOVERED, offering);
    await accounts.connect(app, 'main');
    const details = { host: 'as.example.com', scopes: ['a', 'offline_access'] };
    expect(await accounts.signInDetails(app, 'main')).toEqual(details);
  });

  it('names no server that does not answer in time', async () => {
    const sleep: System['sleep'] = (ms, signal) => realSystem.sleep(ms === 10_000 ? 0 : ms, signal);
    const system = { ...realSystem, sleep };
    const { accounts, app } = await trying(DISCOVERED, { [MCP]: () => null }, null, { system });
    expect(await accounts.signInDetails(app, 'main')).toEqual({ host: null, scopes: [] });
  });

  it('is asked of no server where it is known, or the manifest does not allow it', async () => {
    const account = { ...DISCOVERED, scopes: ['a'] };
    const { accounts, app, web } = await trying(account);
    const refused = accounts.signInDetails(app, 'main', ['admin']);
    await expect(refused).rejects.toMatchObject({ code: 'scope-refused' });
    expect(web.urls()).toEqual([]);
    await accounts.connect(app, 'main');
    const before = web.urls().length;
    expect(await accounts.signInDetails(app, 'main')).toEqual({ host: 'as.example.com', scopes: ['a'] });
    expect(web.urls()).toHaveLength(before);
  });
});

it('one connection for each server is used again, and closed at the end', async () => {
  const web = fakeWeb(honest());
  const close = vi.fn(async () => {});
  const guard = vi.fn<Guard>((reach) => Object.assign(web.guard(reach), { close }));
  const { accounts, app } = await trying(DISCOVERED, {}, { code: 'c' }, { guard });
  await accounts.connect(app, 'main');
  expect(web.urls().length).toBeGreaterThan(4);
  expect(guard.mock.calls.map(([{ home }]) => home).sort()).toEqual([AS, 'https://mcp.example.com']);
  expect(guard.mock.calls[0]?.[0]).toMatchObject({ allowLoopback: false });
  await Promise.all([accounts.close(), accounts.close()]);
  expect(close).toHaveBeenCalledTimes(2);
});

describe('closing', () => {
  it('waits for a refresh under way, because its token would be lost', async () => {
    const { accounts, app, oidc, relay } = await signInWorld();
    await accounts.connect(app, 'main');
    accounts.pass(HOUR);
    const renewed = accounts.token(app, 'main', USE);
    let isStored = false;
    void renewed.then(() => {
      isStored = true;
    });
    await accounts.close();
    await new Promise(setImmediate);
    expect(isStored).toBe(true);
    const next = await testAccounts({ store: relay.url, folder: accounts.folder });
    expect(await next.token(app, 'main', USE)).toBe(await renewed);
    expect(await oidc.find(String(await renewed))).toBeDefined();
    expect(grantsOf(oidc.tokenRequests)).toEqual(['authorization_code', 'refresh_token']);
  });

  it('ends a sign-in that waits for the user', async () => {
    const { app, relay } = await signInWorld();
    const opened = Promise.withResolvers<void>();
    const accounts = await testAccounts({ store: relay.url, openBrowser: async () => opened.resolve() });
    const connecting = accounts.connect(app, 'main').catch((error: unknown) => error);
    await opened.promise;
    await accounts.close();
    expect(await connecting).toMatchObject({ code: 'switched-off' });
    expect(accounts.told.map(({ type }) => type)).toEqual(['sign-in-started', 'sign-in-ended']);
  });
});
