import { readdir } from 'node:fs/promises';
import type { Account } from '@svc/contracts';
import { describe, expect, it } from 'vitest';
import type { Grant } from '../../src/accounts/grant.ts';
import type { Grants } from '../../src/accounts/grants.ts';
import { createRenewals } from '../../src/accounts/renew.ts';
import { createEvents } from '../../src/events/events.ts';
import { RuntimeError } from '../../src/platform/runtime-error.ts';
import { type Answer, fakeWeb, json } from '../support/fake-web.ts';
import { fullDisk } from '../support/full-disk.ts';
import { fakeSystem, HOUR, testAccounts, USE } from '../support/open-accounts.ts';
import { realSystem } from '../support/real-system.ts';
import { relayServer } from '../support/relay-server.ts';
import { appWith, fromStore } from '../support/sample-apps.ts';
import { DISCOVERED, trying } from '../support/sign-in.ts';

const AS = 'https://as.example.com';
const MAIN: Account = {
  id: 'main',
  label: 'Notes',
  authorizeUrl: `${AS}/authorize`,
  tokenUrl: `${AS}/token`,
  revokeUrl: `${AS}/revoke`,
  clientId: 'public-client',
  scopes: [],
};

const tokens = (number: number, more: object = {}) => ({
  access_token: `at-${number}`,
  refresh_token: `rt-${number}`,
  token_type: 'Bearer',
  expires_in: 3600,
  ...more,
});

/** An answer that waits for `release()`. */
function held(value: () => Response) {
  const { promise, resolve } = Promise.withResolvers<Response>();
  return { answer: (() => promise) satisfies Answer, release: () => resolve(value()) };
}

/** An account that was connected an hour ago, at a server that answers refresh requests as the test defines. */
async function connected(
  renewal: Answer,
  {
    account = MAIN,
    revocation = () => json({}) as Response,
    first = {},
    now = undefined as (() => number) | undefined,
  } = {},
) {
  const relay = await relayServer();
  const renewals: string[] = [];
  let exchanges = 0;
  const web = fakeWeb({
    [`${AS}/token`]: async (request) => {
      const body = await request.clone().text();
      if (!body.includes('grant_type=refresh_token')) {
        exchanges += 1;
        return json(exchanges === 1 ? tokens(1, first) : tokens(100));
      }
      renewals.push(new URLSearchParams(body).get('refresh_token') ?? '');
      return (await renewal(request)) ?? json({});
    },
    [`${AS}/revoke`]: revocation,
  });
  const deps = { store: relay.url, guard: web.guard, ...(now && { system: { ...fakeSystem(), now } }) };
  const accounts = await testAccounts({
    ...deps,
    openBrowser: async (url) => void relay.park({ state: new URL(url).searchParams.get('state'), code: 'c' }),
  });
  const app = appWith([account], { source: fromStore(relay.url) });
  await accounts.connect(app, 'main');
  accounts.pass(HOUR);
  const ask = () => accounts.token(app, 'main', USE);
  const dropped = () => accounts.told.filter(({ type }) => type === 'account-dropped');
  const revoked = () =>
    web.bodies
      .filter((_body, index) => web.asked[index]?.url === `${AS}/revoke`)
      .map((body) => new URLSearchParams(body).get('token'));
  const another = () => testAccounts({ ...deps, folder: accounts.folder });
  return { accounts, app, ask, another, renewals, dropped, revoked };
}

describe('a refresh', () => {
  it('uses the newest refresh token, and keeps the old one when the server sends none', async () => {
    let number = 1;
    const { accounts, ask, renewals } = await connected(() => {
      number += 1;
      return json(tokens(number, number === 3 ? { refresh_token: undefined } : {}));
    });
    for (let round = 2; round <= 4; round += 1) {
      expect(await ask()).toBe(`at-${round}`);
      accounts.pass(HOUR);
    }
    expect(renewals).toEqual(['rt-1', 'rt-2', 'rt-2']);
  });

  it('is stored before its token is returned', async () => {
    const { accounts, app, ask, renewals } = await connected(() => json(tokens(2)));
    expect(await ask()).toBe('at-2');
    // A process that starts now reads the new token.
    const later = await testAccounts({ store: 'https://store.example', folder: accounts.folder });
    expect(await later.token(app, 'main', USE)).toBe('at-2');
    expect(renewals).toEqual(['rt-1']);
  });

  it('requests nothing while the disk is full, as the new refresh token would be lost', async () => {
    const { accounts, app, ask, renewals } = await connected(() => json(tokens(2)));
    const disk = await fullDisk();
    await expect(ask()).rejects.toMatchObject({ code: 'disk-unavailable' });
    accounts.pass(-30_000);
    expect(await ask()).toBe('at-1');
    expect([renewals, await readdir(accounts.folder)]).toEqual([
      [],
      expect.not.arrayContaining(['vault.tmp']),
    ]);
    disk.mockRestore();
    accounts.pass(HOUR);
    expect(await ask()).toBe('at-2');
    expect(await accounts.list(app)).toMatchObject([{ connected: true }]);
  });

  it('happens after half of the lifetime of a short-lived token', async () => {
    let number = 1;
    const { accounts, ask } = await connected(() => {
      number += 1;
      return json(tokens(number, { expires_in: 20 }));
    });
    expect(await ask()).toBe('at-2');
    accounts.pass(8_000);
    expect(await ask()).toBe('at-2');
    accounts.pass(4_000);
    expect(await ask()).toBe('at-3');
  });

  it.each<[string, Answer]>([
    ['responds with 500', () => json({ error: 'server_error' }, 500)],
    ['responds with 503 and invalid_grant', () => json({ error: 'invalid_grant' }, 503)],
    ['responds with 429 and invalid_grant', () => json({ error: 'invalid_grant' }, 429)],
    ['sends HTML', () => new Response('<html>')],
    ['sends wrong types', () => json(tokens(2, { access_token: ['at-2'] }))],
    ['redirects', () => new Response('', { status: 302, headers: { location: 'https://10.0.0.1/' } })],
    ['cannot be reached', () => Promise.reject(new TypeError('fetch failed'))],
  ])('keeps the account when the server %s', async (_what, answer) => {
    let isWell = false;
    const { accounts, app, ask, dropped } = await connected((request) =>
      isWell ? json(tokens(2)) : answer(request),
    );
    await expect(ask()).rejects.toMatchObject({ code: 'token-unavailable', cause: undefined });
    expect(await accounts.list(app)).toEqual([expect.objectContaining({ connected: true })]);
    isWell = true;
    expect(await ask()).toBe('at-2');
    expect(dropped()).toEqual([]);
  });

  it.each([
    ['invalid_grant', 400],
    ['invalid_client', 401],
    ['invalid_grant', 200],
    ['invalid_scope', 400],
    ['access_denied', 403],
  ])('drops the account when the server responds with %s (%i)', async (error, status) => {
    const { ask, dropped, renewals } = await connected(() => json({ error }, status));
    expect(await ask()).toBeNull();
    expect(await ask()).toBeNull();
    expect(dropped()).toEqual([expect.objectContaining({ reason: error })]);
    expect(renewals).toEqual(['rt-1']);
  });

  it('drops the account when the server refuses without a reason', async () => {
    const { ask, dropped } = await connected(() => new Response('<html>', { status: 400 }));
    expect(await ask()).toBeNull();
    expect(dropped()).toEqual([expect.objectContaining({ reason: 'refused' })]);
  });

  it('is shared by all clients of a folder, as processes are', async () => {
    let at = Date.now();
    const { answer, release } = held(() => json(tokens(2)));
    const { app, ask, another, renewals } = await connected(answer, { now: () => at });
    const other = await another();
    at += HOUR;
    const both = Promise.all([ask(), other.token(app, 'main', USE)]);
    await expect.poll(() => renewals.length).toBe(1);
    release();
    expect(await both).toEqual(['at-2', 'at-2']);
    expect(renewals).toEqual(['rt-1']);
  });

  it('that fails for another reason says so', async () => {
    const locked = new RuntimeError('vault-locked');
    const parts = await connected(() => json(tokens(2)));
    const renewals = () =>
      createRenewals({
        ...{ folder: parts.accounts.folder, system: realSystem, events: createEvents(() => {}) },
        grants: { find: () => Promise.reject(locked) } as unknown as Grants,
        guard: () => fetch,
        clientGone: () => undefined,
      });
    const grant = { accessToken: 'at', refreshToken: 'rt', issuedAt: 0, expiresAt: 0 } as Grant;
    const owner = { app: parts.app, account: MAIN };
    await expect(renewals().after401(owner, grant)).rejects.toBe(locked);
    for (const expiresAt of [0, Date.now() + 10_000])
      await expect(renewals().fresh(owner, { ...grant, expiresAt })).rejects.toBe(locked);
  });

  it('is not of a grant that another process stored for another server of the app, also with the same token', async () => {
    const seen = {
      binding: 'before',
      accessToken: 'at',
      refreshToken: 'rt',
      issuedAt: 0,
      expiresAt: 0,
    } as Grant;
    const stored = { ...seen, binding: 'after' };
    const { accounts, app } = await connected(() => json(tokens(2)));
    const renewals = createRenewals({
      ...{ folder: accounts.folder, system: realSystem, events: createEvents(() => {}) },
      grants: { find: async () => stored } as unknown as Grants,
      guard: () => () => expect.fail('a request'),
      clientGone: () => undefined,
    });
    expect(await renewals.after401({ app, account: MAIN }, seen)).toBe(stored);
  });

  it('pauses for ten seconds after it failed, as long as the old token is valid', async () => {
    let at = Date.now();
    const { ask, renewals } = await connected(() => json({}, 503), { now: () => at });
    // Half a minute before the token expires; at last the clock is set back.
    const tries: number[] = [];
    for (const later of [HOUR - 30_000, 0, 9_999, 1, 0, -1]) {
      at += later;
      expect(await ask()).toBe('at-1');
      tries.push(renewals.length);
    }
    expect(tries).toEqual([1, 1, 1, 2, 2, 3]);
  });

  it('pauses no longer once it succeeded', async () => {
    let at = Date.now();
    const answers = [json({}, 503), json(tokens(2, { expires_in: 4 }))];
    const { accounts, app, ask, renewals } = await connected(() => answers.shift() ?? json(tokens(3)), {
      now: () => at,
    });
    at += HOUR - 30_000;
    expect(await ask()).toBe('at-1');
    expect(await accounts.refreshAfter401(app, 'main', 'at-1', null)).toBe('at-2');
    at += 3_000;
    expect(await ask()).toBe('at-3');
    expect(renewals).toHaveLength(3);
  });

  it('is not tried without a refresh token: the token is used until it expires', async () => {
    const { accounts, app, ask, renewals, dropped } = await connected(() => json({}), {
      first: { refresh_token: undefined },
    });
    accounts.pass(-30_000);
    expect(await ask()).toBe('at-1');
    expect(dropped()).toEqual([]);
    accounts.pass(30_000);
    expect(await ask()).toBeNull();
    expect(dropped()).toEqual([expect.objectContaining({ reason: 'expired', accountId: 'main' })]);
    expect(await accounts.list(app)).toMatchObject([{ connected: false }]);
    expect(renewals).toEqual([]);
  });

  it('changes what the response names: the expiry, the scopes and who signed in', async () => {
    const holder = `e30.${Buffer.from('{"email":"anna@example.com"}').toString('base64url')}.sig`;
    const answers = [
      tokens(2, { scope: 'read', id_token: holder, expires_in: 7200 }),
      tokens(3, { expires_in: undefined }),
    ];
    const { accounts, app, ask } = await connected(() => json(answers.shift()));
    await ask();
    const [status] = await accounts.list(app);
    expect(status).toMatchObject({ scopes: ['read'], holder: 'anna@example.com' });
    expect(Date.parse(status?.expiresAt ?? '') - Date.now()).toBeGreaterThan(2.9 * HOUR);
    accounts.pass(2 * HOUR);
    expect(await ask()).toBe('at-3');
    expect(await accounts.list(app)).toMatchObject([
      { scopes: ['read'], holder: 'anna@example.com', expiresAt: null },
    ]);
  });

  it('reports its failure without the refresh token that it sent', async () => {
    const echo: Answer = async (request) =>
      json({ error: 'server_error', error_description: await request.text() }, 500);
    const { ask } = await connected(echo);
    const error = await ask().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'token-unavailable' });
    expect(String((error as Error).stack)).not.toContain('rt-1');
  });
});

// A server that has lost its data answers `invalid_grant` too, and then does not know the client.
describe.each([
  ['alone', [DISCOVERED]],
  ['beside an account with the same client', [DISCOVERED, { ...DISCOVERED, id: 'other' }]],
])('an account %s that is dropped', (how, declared) => {
  it.each([
    ['has expired without a refresh token', { refresh_token: undefined }, null, 1, 1],
    ['is refused by its server', {}, 'invalid_grant', 2, 1],
    ['has a client that its server no longer knows', {}, 'invalid_client', 2, 2],
    ['has a client that its server may not know', {}, 'unauthorized_client', 2, 2],
  ])('because it %s registers again where that may help', async (_why, change, error, alone, shared) => {
    const { accounts, web, relay } = await trying(DISCOVERED, {
      [`${AS}/token`]: async (request) => {
        const isRefresh = (await request.text()).includes('grant_type=refresh_token');
        return isRefresh ? json({ error }, 400) : json(tokens(1, change));
      },
    });
    const app = appWith(declared, { source: fromStore(relay.url) });
    for (const { id } of declared) await accounts.connect(app, id);
    accounts.pass(HOUR);
    expect(await accounts.token(app, 'main', USE)).toBeNull();
    await accounts.connect(app, 'main');
    const registrations = web.urls().filter((url) => url.endsWith('/register'));
    expect(registrations).toHaveLength(how === 'alone' ? alone : shared);
  });
});

describe('a refresh during another change of its account', () => {
  it('does not restore an account that was disconnected, and revokes the tokens that it received', async () => {
    const { answer, release } = held(() => json(tokens(2)));
    const { accounts, app, ask, renewals, revoked } = await connected(answer);
    const asking = ask();
    await expect.poll(() => renewals).toHaveLength(1);
    expect(await accounts.disconnect(app, 'main')).toEqual({ revoked: true });
    release();
    expect(await asking).toBeNull();
    expect(await ask()).toBeNull();
    await expect.poll(revoked).toEqual(['rt-1', 'rt-2']);
  });

  it.each([
    ['new tokens', () => json(tokens(2))],
    ['invalid_grant for the old grant', () => json({ error: 'invalid_grant' }, 400)],
  ])(
    'keeps an account that was connected again, although the server answers with %s',
    async (_what, value) => {
      const { answer, release } = held(value);
      const { accounts, app, ask, renewals, dropped } = await connected(answer);
      const asking = ask();
      await expect.poll(() => renewals).toHaveLength(1);
      await accounts.connect(app, 'main');
      release();
      expect(await asking).toBe('at-100');
      expect(await ask()).toBe('at-100');
      expect(dropped()).toEqual([]);
    },
  );
});

describe('a disconnection', () => {
  it.each<[string, () => Response, string]>([
    ['responds with 500', () => new Response('', { status: 500 }), '500'],
    ['responds with 429', () => new Response('', { status: 429 }), '429'],
    [
      'redirects',
      () => new Response('', { status: 302, headers: { location: 'https://evil.example/' } }),
      'redirect',
    ],
  ])('is pending when the server %s, and returns the reason', async (_what, revocation, reason) => {
    const { accounts, app, ask } = await connected(() => json(tokens(2)), { revocation });
    expect(await accounts.disconnect(app, 'main')).toEqual({
      revoked: false,
      pending: true,
      reason: expect.stringContaining(reason),
    });
    expect(await ask()).toBeNull();
  });

  it('is not pending when the server rejects the revocation, and returns the reason', async () => {
    const revocation = () => json({ error: 'unsupported_token_type' }, 400);
    const { accounts, app } = await connected(() => json(tokens(2)), { revocation });
    expect(await accounts.disconnect(app, 'main')).toEqual({
      revoked: false,
      reason: expect.stringContaining('unsupported_token_type'),
    });
  });

  it('returns the reason when the server has no revocation endpoint', async () => {
    const { revokeUrl: _none, ...account } = MAIN;
    const { accounts, app } = await connected(() => json(tokens(2)), { account });
    expect(await accounts.disconnect(app, 'main')).toMatchObject({
      revoked: false,
      reason: expect.stringContaining('does not support revocation'),
    });
  });

  it('revokes an account that an update no longer declares', async () => {
    const { accounts, app, revoked } = await connected(() => json(tokens(2)));
    const updated = { ...app, manifest: { ...app.manifest, accounts: [] } };
    expect(await accounts.disconnect(updated, 'main')).toEqual({ revoked: true });
    expect(revoked()).toEqual(['rt-1']);
  });
});
