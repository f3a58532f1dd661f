import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { DEEP } from '@svc/testkit';
import { describe, expect, it, vi } from 'vitest';
import { bindingOf, Grant } from '../../src/accounts/grant.ts';
import { createSettling, grantsIn } from '../../src/accounts/grants.ts';
import { createEvents } from '../../src/events/events.ts';
import type { InstalledApp } from '../../src/library/installed-app.ts';
import { RuntimeError } from '../../src/platform/runtime-error.ts';
import { openVault } from '../../src/vault/vault.ts';
import { itAtSteps } from '../support/at-steps.ts';
import { serveSites } from '../support/internet.ts';
import { startKilledClient } from '../support/killed-client.ts';
import { HOUR, type TestAccounts, USE } from '../support/open-accounts.ts';
import { realSystem } from '../support/real-system.ts';
import { relayServer } from '../support/relay-server.ts';
import { openClient } from '../support/runtime-world.ts';
import { appWith, fromStore } from '../support/sample-apps.ts';
import { DISCOVERED } from '../support/sign-in.ts';
import { grantsOf, signInWorld } from '../support/sign-in-world.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { wildMcp, wildOAuth } from '../support/wild-servers.ts';
import { vaultOf } from '../support/wild-world.ts';

describe('two processes with 100 calls after a token has expired', () => {
  const SOURCES = ['accounts/accounts', 'events/events'].map(
    (name) => new URL(`../../src/${name}.ts`, import.meta.url).href,
  );
  const PROGRAM = `
    import { randomBytes } from 'node:crypto';
    const [{ openAccounts }, { createEvents }] = await Promise.all(${JSON.stringify(SOURCES)}.map((url) => import(url)));
    const { folder, store, app, use, ahead } = JSON.parse(process.argv[1]);
    const sleep = (ms, signal) => new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, ms);
      signal?.addEventListener('abort', () => { clearTimeout(timer); reject(signal.reason); });
    });
    const accounts = openAccounts({
      folder, store, keys: [{ kind: 'key-file', file: folder + '/key' }],
      system: { now: () => Date.now() + ahead, randomBytes, sleep },
      events: createEvents(() => {}), guard: () => fetch, fetchStore: fetch,
      identity: { name: 'Another window' }, openBrowser: async () => {},
    });
    process.stdout.write('ready\\n');
    process.stdin.once('data', async () => {
      const calls = Array.from({ length: 50 }, () => accounts.token(app, 'main', use));
      process.stdout.write(JSON.stringify(await Promise.all(calls)) + '\\n');
      accounts.close();
      process.exit(0);
    });`;

  /** Another window of the client, an hour later. */
  async function anotherProcess(accounts: TestAccounts, store: string, app: unknown) {
    const input = JSON.stringify({ folder: accounts.folder, store, app, use: USE, ahead: HOUR });
    const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM, input], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    return async (): Promise<unknown[]> => {
      child.stdin.end('go');
      return JSON.parse(await text(child.stdout));
    };
  }

  it('send one refresh request, and every call receives the new token', async () => {
    const { accounts, app, oidc, relay } = await signInWorld();
    await accounts.connect(app, 'main');
    const old = await accounts.token(app, 'main', USE);
    accounts.pass(HOUR);
    const { consent: _consent, ...plain } = app;
    const there = await anotherProcess(accounts, relay.url, plain);
    const here = Array.from({ length: 50 }, () => accounts.token(app, 'main', USE));
    const tokens = (await Promise.all([there(), ...here])).flat();
    expect(tokens).toHaveLength(100);
    expect(new Set(tokens).size).toBe(1);
    expect(tokens[0]).not.toBe(old);
    expect(await oidc.find(String(tokens[0]))).toBeDefined();
    expect(grantsOf(oidc.tokenRequests)).toEqual(['authorization_code', 'refresh_token']);
    expect(accounts.activity(app.appId, 'main', 1000)).toHaveLength(101);
  });
});

/** A client with a connected connector; `another` runs a second process in its folder. */
async function connected() {
  const [site, relay] = await Promise.all([
    serveSites(['mcp.example.com', 'login.example.com']),
    relayServer(),
  ]);
  const oauth = await wildOAuth(site.at('login.example.com'));
  const mcp = await wildMcp(oauth, { stream: true, sessions: true }, site.at('mcp.example.com'));
  const client = await openClient({ store: relay.url, connecting: site.connecting });
  const { runtime, folder } = client;
  const { appId } = await runtime.addConnector(mcp.url);
  const call = () => runtime.call(appId, { tool: 'say', arguments: {}, project: 'p', chat: 'c' });
  await call();

  /** @returns the steps it took; null when it was killed */
  async function another(
    work: 'refresh' | 'remove',
    killAt: number | 'asked' | 'done',
  ): Promise<number | null> {
    const at = typeof killAt === 'number' ? killAt : 0;
    const child = startKilledClient({ folder, store: relay.url, site, appId, work, killAt: at });
    if (typeof killAt !== 'number') {
      oauth.state.gate = async (place, phase) => {
        const isMeant = place === (work === 'refresh' ? '/token' : '/revoke') && phase === killAt;
        if (!isMeant || !child.kill()) return;
        await child.exited;
      };
    }
    const steps = await child.ended();
    oauth.state.gate = async () => {};
    return steps;
  }

  const { entries } = vaultOf(folder);
  const left = async () => {
    const kinds = ['account', 'server', 'client', 'revocation'] as const;
    return (await Promise.all(kinds.map(entries))).flat().map(([[kind]]) => kind);
  };
  return { ...client, site, oauth, mcp, appId, call, another, left };
}

describe('a process that is killed', () => {
  itAtSteps(
    'during a refresh leaves an account that works, or that another process can connect again',
    async (choose) => {
      const { oauth, another, call, runtime, appId, left } = await connected();
      oauth.access.clear();
      const steps = await another('refresh', Number.POSITIVE_INFINITY);
      expect(steps).toBeGreaterThan(2);
      let killed = 0;
      const points = choose(steps ?? 0, ['asked', 'done']);
      for (const at of points) {
        oauth.access.clear();
        // The number of steps depends on what the previous process left behind.
        if ((await another('refresh', at)) === null) killed += 1;
        // The process that was not killed continues, at worst with a Connect card.
        expect(await call()).toMatchObject({ parts: [{ text: 'did say' }] });
        const app = runtime.library.get(appId);
        expect(app && (await runtime.accounts.list(app))).toMatchObject([{ connected: true }]);
        expect((await left()).sort()).toEqual(['account', 'client', 'server']);
      }
      expect(killed).toBeGreaterThan(points.length / 2);
    },
    DEEP,
  );

  itAtSteps(
    'during a removal leaves no token: it is revoked, and the vault is as small as without an account',
    async (choose) => {
      const { oauth, another, call, runtime, appId, mcp, left, folder } = await connected();
      const steps = await another('remove', Number.POSITIVE_INFINITY);
      expect(steps).toBeGreaterThan(4);
      const bare = (await stat(path.join(folder, 'vault'))).size;
      const points = choose(steps ?? 0, ['asked', 'done']);
      for (const at of points) {
        expect(await left()).toEqual([]);
        await runtime.addConnector(mcp.url);
        await call();
        expect(oauth.refresh.size).toBe(1);
        await another('remove', at);
        if (runtime.library.get(appId)) await runtime.remove(appId);
        await runtime.accounts.settle();
        expect([at, await left()]).toEqual([at, []]);
        expect(oauth.refresh.size).toBe(0);
        expect((await stat(path.join(folder, 'vault'))).size).toBe(bare);
      }
    },
    DEEP,
  );
});

const READ = Grant.parse({
  ...{ binding: '["store"]', accessToken: 'at-1', refreshToken: 'rt-1', issuedAt: 0, expiresAt: null },
  ...{ asked: null, granted: null, resource: null, connectedAt: 0 },
  server: { issuer: null, tokenEndpoint: 'https://as.example.com/token', revocationEndpoint: null },
  client: { id: 'a-client', secret: null, method: 'none' },
});

/** The grants of a vault of its own, of the apps that are installed. */
async function opened(installed?: (appId: string) => InstalledApp | null) {
  const folder = await tempFolder();
  const keys = [{ kind: 'key-file' as const, file: path.join(folder, 'key') }];
  const vault = openVault({ folder, keys, system: realSystem });
  return { vault, grants: grantsIn({ vault, system: realSystem, installed, revoking: () => undefined }) };
}

it('a grant with another token of either kind is not replaced or dropped as the one that was read', async () => {
  const { grants } = await opened();
  for (const change of [{ accessToken: 'at-2' }, { refreshToken: 'rt-2' }]) {
    const stored = { ...READ, ...change };
    await grants.keep('app', 'main', stored);
    expect(await grants.replace('app', 'main', READ, { ...READ, accessToken: 'at-3' })).toEqual(stored);
    expect(await grants.drop('app', 'main', READ, 'kept')).toEqual(stored);
    expect(await grants.find('app', 'main')).toEqual(stored);
  }
});

it('a server is remembered as agreed only where it was discovered', async () => {
  const { grants, vault } = await opened();
  await grants.keep('app', 'main', { ...READ, server: { ...READ.server, issuer: 'https://as.example.com' } });
  expect(await vault.names('server')).toEqual([['server', 'app', 'main']]);
  await grants.keep('app', 'main', READ);
  expect(await vault.names('server')).toEqual([]);
});

it('a registration stays for an account that is or was connected, and for a sign-in that may go on', async () => {
  const { grants, vault } = await opened();
  const [used, unused] = ['https://used.example.com', 'https://unused.example.com'];
  const registered = { client: READ.client, expiresAt: null };
  const hourAgo = realSystem.now() - HOUR;
  const entries = {
    old: [used, JSON.stringify({ ...registered, madeAt: hourAgo })],
    unreadable: [used, '{}'],
    unneeded: [unused, JSON.stringify({ ...registered, madeAt: hourAgo })],
    begun: [unused, JSON.stringify({ ...registered, madeAt: realSystem.now() })],
  } as const;
  for (const [redirect, [issuer, text]] of Object.entries(entries))
    await vault.change(['client', issuer, redirect], () => text);
  await grants.keep('app', 'main', { ...READ, server: { ...READ.server, issuer: used } });
  const left = async () => (await vault.names('client')).map((name) => name[2]).sort();
  await grants.endOrphans();
  expect(await left()).toEqual(['begun', 'old']);
  // Its refresh token has expired: the next sign-in uses the same client.
  await grants.drop(
    'app',
    'main',
    await grants.find('app', 'main').then((grant) => grant ?? expect.fail()),
    'kept',
  );
  await grants.endOrphans();
  expect(await left()).toEqual(['begun', 'old']);
});

describe('the binding of a grant', () => {
  const ofFolder = appWith([DISCOVERED]);
  const ofStore = appWith([DISCOVERED], { source: fromStore('https://store.example.com') });
  const moved = appWith([DISCOVERED], { mcpUrl: 'https://elsewhere.example.com/mcp' });
  const grantFor = (app: InstalledApp, revocationEndpoint: string | null = null): Grant => ({
    ...READ,
    binding: bindingOf(app, DISCOVERED),
    server: { ...READ.server, issuer: 'https://as.example.com', revocationEndpoint },
  });

  it.each([
    ['of a folder outlives a client that has not opened it', ofFolder, null, true],
    ['of a folder does not outlive the app of a store with its id', ofFolder, ofStore, false],
    ['of a store does not outlive its app', ofStore, null, false],
    ['stays with its app', ofStore, ofStore, true],
    ['does not outlive another server of its app', ofFolder, moved, false],
  ])('%s', async (_what, app, present, isKept) => {
    let installed: InstalledApp | null = app;
    const { grants } = await opened(() => installed);
    await grants.keep(app.appId, DISCOVERED.id, grantFor(app));
    installed = present;
    await grants.endOrphans();
    expect((await grants.find(app.appId, DISCOVERED.id)) !== null).toBe(isKept);
  });

  it('is that of the server which the user agreed to', async () => {
    const { grants } = await opened();
    await grants.keep(ofFolder.appId, DISCOVERED.id, grantFor(ofFolder));
    expect(await grants.agreedServer(ofFolder, DISCOVERED.id)).toMatchObject({
      issuer: 'https://as.example.com',
    });
    expect(await grants.agreedServer(moved, DISCOVERED.id)).toBe(null);
  });

  it('decides whether a later sign-in revokes the grant: the same server may end both', async () => {
    const { grants, vault } = await opened();
    const revocations = async () => (await vault.names('revocation')).length;
    const revoke = 'https://as.example.com/revoke';
    await grants.keep(ofFolder.appId, DISCOVERED.id, grantFor(ofFolder, revoke));
    await grants.keep(ofFolder.appId, DISCOVERED.id, { ...grantFor(ofFolder, revoke), accessToken: 'at-2' });
    expect(await revocations()).toBe(0);
    await grants.keep(ofFolder.appId, DISCOVERED.id, grantFor(moved, revoke));
    expect(await revocations()).toBe(1);
  });
});

const SETTLING = {
  revocations: { drain: async () => undefined },
  signIns: { cancel: () => false },
};

it('the removal of an app opens no vault that was not opened before: that may ask the user for its key', async () => {
  const endOrphans = vi.fn(async () => []);
  const events = createEvents(() => undefined);
  const work: Promise<void>[] = [];
  const closing = new AbortController();
  const { follow, settle } = createSettling({ ...SETTLING, grants: { endOrphans }, events, closing });
  follow((one) => work.push(one));
  const removed = { type: 'app-removed', appId: 'app', version: '1.0.0' } as const;
  events.emit(removed);
  expect(endOrphans).not.toHaveBeenCalled();
  await settle();
  events.emit(removed);
  // A sign-in leaves no grant without an account.
  events.emit({ type: 'account-connected', appId: 'app', accountId: 'main' });
  await Promise.all(work);
  expect(endOrphans).toHaveBeenCalledTimes(2);
});

it.each([
  ['is not reported when the vault cannot be opened', new RuntimeError('disk-unavailable'), false, false],
  ['is reported when it has another cause', new TypeError('a fault'), false, true],
  ['is not reported when the client closes', new TypeError('closed'), true, false],
])('the deletion of grants without an app that fails %s', async (_what, error, isClosing, isReported) => {
  const closing = new AbortController();
  if (isClosing) closing.abort();
  const faults: unknown[] = [];
  const { inBackground } = createSettling({
    ...SETTLING,
    grants: { endOrphans: () => Promise.reject(error) },
    events: createEvents(() => undefined),
    closing,
    onFault: (fault) => faults.push(fault),
  });
  await inBackground();
  expect(faults).toEqual(isReported ? [error] : []);
});
