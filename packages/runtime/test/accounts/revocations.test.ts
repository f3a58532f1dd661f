import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { Grant } from '../../src/accounts/grant.ts';
import { addRevocation, createRevocations } from '../../src/accounts/revocations.ts';
import type { InstalledApp } from '../../src/library/installed-app.ts';
import type { Draft, EntryKind, EntryName, Vault } from '../../src/vault/vault.ts';
import { type Answer, fakeWeb, json } from '../support/fake-web.ts';
import { HOUR } from '../support/open-accounts.ts';
import { refused } from '../support/refused.ts';
import { fromStore } from '../support/sample-apps.ts';
import { stoppedClock } from '../support/stopped-clock.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { vaultOf, wildApp, wildClient, wildServers } from '../support/wild-world.ts';

/** An app of a store with an account, and functions that update or remove the app. */
async function connected(openBrowser?: (url: string) => Promise<void>) {
  const servers = await wildServers();
  const app: InstalledApp = { ...wildApp(servers, 'mcp'), source: fromStore(servers.relay.url) };
  const installed = new Map([[app.appId, app]]);
  const client = await wildClient(servers, app, {
    installed: (appId) => installed.get(appId) ?? null,
    loopbackOf: () => true,
    ...(openBrowser && { openBrowser }),
  });
  const { entries } = vaultOf(client.folder);
  const left = async () => {
    const kinds = ['account', 'server', 'client', 'revocation'] as const;
    return (await Promise.all(kinds.map(entries))).flat().map(([[kind]]) => kind);
  };
  /** An update, or with null a removal, by this process or another. */
  const put = (next: InstalledApp | null) => {
    if (next) installed.set(app.appId, next);
    else installed.delete(app.appId);
    const type = next ? 'app-updated' : 'app-removed';
    client.events.emit({ type, appId: app.appId, version: app.version });
  };
  const removeSilently = () => void installed.delete(app.appId);
  return { ...client, ...servers, servers, app, left, put, removeSilently };
}

/** The size of a vault without entries. */
async function bareSize(): Promise<number> {
  const folder = await tempFolder();
  const { vault } = vaultOf(folder);
  await vault.change(['account', 'a', 'b'], () => 'x');
  await vault.change(['account', 'a', 'b'], () => null);
  return (await stat(path.join(folder, 'vault'))).size;
}

describe('a grant that no account needs any more', () => {
  it.each<[string, (app: InstalledApp) => InstalledApp | null]>([
    ['removes its app', () => null],
    ['drops the account', (app) => ({ ...app, manifest: { ...app.manifest, accounts: [] } })],
    [
      'moves the server',
      (app) => ({
        ...app,
        manifest: { ...app.manifest, remote: { mcpUrl: 'https://elsewhere.example/mcp', domains: [] } },
      }),
    ],
  ])('is revoked and deleted when a change %s', async (_what, change) => {
    const { call, app, put, oauth, left, folder } = await connected();
    await call();
    expect(await left()).toEqual(['account', 'server', 'client']);
    put(change(app));
    await expect.poll(left).toEqual([]);
    expect(oauth.refresh.size).toBe(0);
    expect((await stat(path.join(folder, 'vault'))).size).toBe(await bareSize());
  });

  it('is kept when an update does not change the account', async () => {
    const { call, app, put, accounts, left } = await connected();
    await call();
    put({ ...app, version: '2.0.0', manifest: { ...app.manifest, version: '2.0.0' } });
    await accounts.settle();
    expect(await left()).toEqual(['account', 'server', 'client']);
  });

  it.each<[string, ((app: InstalledApp) => InstalledApp | null) | undefined]>([
    ['whose developer folder this process has not opened', () => null],
    ['when no one says which apps are installed', undefined],
    ['whose app was updated', (app) => ({ ...app, version: '2.0.0' })],
  ])('is not that of an account %s', async (_what, installed) => {
    const servers = await wildServers();
    const app = wildApp(servers, 'mcp');
    const { accounts, call, folder } = await wildClient(servers, app, {
      ...(installed && { installed: () => installed(app) }),
    });
    await call();
    await accounts.settle();
    const { entries } = vaultOf(folder);
    expect([await entries('account'), await entries('server')]).toMatchObject([[{}], [{}]]);
  });

  it('is looked for when accounts were used, so that no event asks the user for the key of the vault', async () => {
    const { events, folder, accounts, app } = await connected();
    for (const type of ['app-installed', 'app-updated', 'app-removed'] as const)
      events.emit({ type, appId: 'com.example.other', version: '1.0.0' });
    await new Promise(setImmediate);
    expect(await readdir(folder)).not.toContain('vault');
    expect(await accounts.ready(app, 'main')).toBe(false);
  });

  it('ends with events that tell what became of the account', async () => {
    const { call, accounts, app, told, put } = await connected();
    const ends = () =>
      told.filter(({ type }) => type === 'account-dropped' || type === 'account-disconnected');
    await call();
    await accounts.disconnect(app, 'main');
    const account = { appId: app.appId, accountId: 'main' };
    expect(ends()).toEqual([{ type: 'account-disconnected', ...account }]);
    expect(await accounts.disconnect(app, 'main')).toEqual({
      revoked: false,
      reason: 'The account was not connected.',
    });
    await call();
    put(null);
    const dropped = { type: 'account-dropped', ...account, reason: 'moved' };
    await expect.poll(ends).toEqual([{ type: 'account-disconnected', ...account }, dropped]);
  });

  it('takes registrations along that no account uses, but not those of a sign-in that may be under way', async () => {
    const { call, accounts, vault, folder } = await connected();
    await call();
    const { entries } = vaultOf(folder);
    const [used] = await entries('client');
    const registered = (id: string, minutes: number) =>
      JSON.stringify({
        client: { id, secret: null, method: 'none' },
        expiresAt: null,
        madeAt: Date.now() - minutes * 60_000,
      });
    const nameOf = (id: string) => ['client', `https://${id}.example`, 'https://store.example'] as const;
    await vault.change(nameOf('old'), () => registered('old', 16));
    await vault.change(nameOf('new'), () => registered('new', 1));
    await vault.change(used?.[0] ?? nameOf('used'), (text) =>
      JSON.stringify({ ...JSON.parse(text ?? ''), madeAt: 0 }),
    );
    await accounts.settle();
    expect((await entries('client')).map(([name]) => name).sort()).toEqual([used?.[0], nameOf('new')].sort());
  });

  it('is tried again by the next process when the server was down, at most eight times in all', async () => {
    const first = await connected();
    await first.call();
    first.oauth.state.revocation = 503;
    first.put(null);
    await expect.poll(() => first.oauth.requests.filter(({ path }) => path === '/revoke').length).toBe(1);
    await first.accounts.settle();
    await first.close();
    expect(await first.left()).toEqual(['revocation']);
    const next = await wildClient(first.servers, first.app, { folder: first.folder, installed: () => null });
    for (let tries = 2; tries <= 10; tries += 1) {
      next.pass(24 * HOUR);
      await next.accounts.settle();
    }
    expect(first.oauth.requests.filter(({ path }) => path === '/revoke')).toHaveLength(8);
    expect(await first.left()).toEqual([]);
  });

  it('is revoked once the server is available again', async () => {
    const { call, put, oauth, left, accounts, pass } = await connected();
    await call();
    oauth.state.revocation = 'closed';
    put(null);
    await expect.poll(left).toEqual(['revocation']);
    oauth.state.revocation = 200;
    // The first try may still be under way: then it is what the first `settle` waits for.
    const settled = async () => {
      pass(HOUR);
      await accounts.settle();
      return left();
    };
    await expect.poll(settled).toEqual([]);
    expect(oauth.refresh.size).toBe(0);
  });

  it('is not restored by a refresh under way', async () => {
    const { call, put, oauth, left, expire } = await connected();
    await call();
    const asked = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    oauth.state.gate = async (place, phase) => {
      if (place !== '/token' || phase !== 'asked') return;
      asked.resolve();
      await release.promise;
    };
    expire();
    const calling = call();
    calling.catch(() => undefined);
    await asked.promise;
    put(null);
    await expect.poll(async () => (await left()).includes('account')).toBe(false);
    release.resolve();
    await expect(calling).rejects.toBeDefined();
    await expect.poll(left).toEqual([]);
    // The token of the refresh is revoked after the account is gone.
    await expect.poll(() => oauth.refresh.size).toBe(0);
  });

  it('is not created by a sign-in that ends after another process has removed the app', async () => {
    const opened = Promise.withResolvers<string>();
    const first = await connected(async (url) => opened.resolve(url));
    const { accounts, app, left, oauth, removeSilently } = first;
    const connecting = accounts.connect(app, 'main');
    connecting.catch(() => undefined);
    const url = await opened.promise;
    removeSilently();
    await fetch(url);
    await expect(connecting).rejects.toEqual(refused('connect-failed'));
    await accounts.settle();
    expect(await left()).toEqual([]);
    expect(oauth.refresh.size).toBe(0);
  });
});

const MINUTE = 60_000;
const settled = async () => {
  for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
};

/** Revocations in a vault in memory, with a clock, at a server that answers as a test says. */
function outbox(answer: Answer) {
  const entries = new Map<string, string>();
  const draft: Draft = {
    names: (kind) => [...entries.keys()].map((key) => JSON.parse(key)).filter(([own]) => own === kind),
    get: (name) => entries.get(JSON.stringify(name)) ?? null,
    set(name, text) {
      if (text === null) entries.delete(JSON.stringify(name));
      else entries.set(JSON.stringify(name), text);
    },
  };
  const broken = { now: false };
  const vault = {
    read: async (name: EntryName) => draft.get(name),
    names: async (kind: EntryKind) => {
      if (broken.now) throw new Error('a bug');
      return draft.names(kind);
    },
    edit: async <T>(work: (own: Draft) => T) => work(draft),
  } as unknown as Vault;
  const [system, closing, faults] = [stoppedClock(), new AbortController(), [] as unknown[]];
  const web = fakeWeb({ 'https://as.example.com/revoke': answer });
  const { guard } = web;
  const deps = {
    vault,
    system,
    guard,
    signal: closing.signal,
    onFault: (fault: unknown) => faults.push(fault),
  };
  const revocations = createRevocations(deps);
  const add = (change: Partial<Grant> = {}): EntryName | null =>
    addRevocation(
      draft,
      'com.example.notes',
      {
        ...({ accessToken: 'access-1', refreshToken: 'refresh-1', loopback: false } as Grant),
        server: {
          issuer: 'https://as.example.com',
          tokenEndpoint: 'https://as.example.com/token',
          revocationEndpoint: 'https://as.example.com/revoke',
        },
        client: { id: 'c', secret: null, method: 'none' },
        ...change,
      },
      system,
    );
  const sent = () => web.bodies.map((body) => new URLSearchParams(body).get('token'));
  return { ...web, ...revocations, add, entries, draft, system, closing, faults, sent, broken };
}

describe('a pending revocation', () => {
  const fails: Answer = () => new Response('', { status: 503 });

  it('is of the refresh token, or of the access token where there is no other (RFC 7009 section 2.1)', async () => {
    const { add, drain, bodies, entries } = outbox(() => new Response(''));
    add();
    add({ refreshToken: null });
    expect(entries.size).toBe(2);
    await drain();
    expect(bodies.map((body) => Object.fromEntries(new URLSearchParams(body)))).toEqual([
      { token: 'refresh-1', token_type_hint: 'refresh_token', client_id: 'c' },
      { token: 'access-1', token_type_hint: 'access_token', client_id: 'c' },
    ]);
    expect(entries.size).toBe(0);
  });

  it('is none at a server without an endpoint', () => {
    const { add, entries } = outbox(fails);
    const server = { issuer: null, tokenEndpoint: 'https://as.example.com/token', revocationEndpoint: null };
    expect([add({ server }), entries.size]).toEqual([null, 0]);
  });

  it.each<[string, Answer, object, number]>([
    ['accepts it', () => new Response(''), { revoked: true }, 0],
    [
      'refuses it',
      () => json({ error: 'unsupported_token_type' }, 400),
      { revoked: false, reason: 'The authorization server refuses (unsupported_token_type)' },
      0,
    ],
    ['fails', fails, { revoked: false, pending: true, reason: 'The authorization server fails (503).' }, 1],
  ])('when the server %s', async (_what, answer, expected, left) => {
    const { add, send, entries } = outbox(answer);
    const name = add();
    expect(name && (await send(name))).toEqual(expected);
    expect(entries.size).toBe(left);
  });

  it('is tried again for two days, after longer and longer waits', async () => {
    const { add, drain, system, sent, entries, faults } = outbox(fails);
    const sleep = vi.spyOn(system, 'sleep');
    add();
    await Promise.all([drain(), drain()]);
    await drain();
    expect(sent()).toHaveLength(1);
    // One timer, however often revocations are looked for.
    expect(sleep.mock.calls.filter(([ms]) => ms === MINUTE)).toHaveLength(1);
    for (const [index, minutes] of [1, 5, 30, 120, 360, 720, 1440].entries()) {
      // Timers of at most an hour: the machine may sleep.
      for (let left = minutes * MINUTE - 1; left > 0; left -= 60 * MINUTE) {
        await system.pass(Math.min(left, 60 * MINUTE));
        await settled();
      }
      expect([minutes, sent().length]).toEqual([minutes, index + 1]);
      await system.pass(1_000);
      await settled();
      expect([minutes, sent().length]).toEqual([minutes, index + 2]);
    }
    expect(entries.size).toBe(0);
    // Done, so that the next one is followed again.
    add();
    await drain();
    await system.pass(MINUTE);
    await settled();
    expect([sent().length, faults]).toEqual([10, []]);
  });

  it('waits for the one that is due first', async () => {
    const { add, drain, system, sent } = outbox(fails);
    add({ refreshToken: 'one' });
    await drain();
    await system.pass(10_000);
    add({ refreshToken: 'two' });
    await drain();
    for (const ms of [50_000, 10_000]) {
      await system.pass(ms);
      await settled();
    }
    expect(sent()).toEqual(['one', 'two', 'one', 'two']);
  });

  it('is not restored when another process has sent it, and deleted when it cannot be read', async () => {
    const world = outbox(() => {
      world.entries.clear();
      return new Response('', { status: 503 });
    });
    const name = world.add();
    await world.drain();
    expect([world.sent().length, world.entries.size]).toEqual([1, 0]);
    expect(name && (await world.send(name))).toEqual({ revoked: true });
    world.draft.set(['revocation', 'com.example.notes', 'x'], '{"of":"another version"}');
    await world.drain();
    expect([world.sent().length, world.entries.size]).toEqual([1, 0]);
  });

  it('is left when the client closes, and a fault of the client is reported', async () => {
    const left = outbox(fails);
    left.add();
    await left.drain();
    left.closing.abort(new Error('closing'));
    await expect(left.drain()).rejects.toThrow('closing');
    const faulty = outbox(fails);
    faulty.add();
    await faulty.drain();
    faulty.broken.now = true;
    await faulty.system.pass(MINUTE);
    await settled();
    expect([left.entries.size, left.faults, faulty.faults]).toEqual([1, [], [new Error('a bug')]]);
  });
});
