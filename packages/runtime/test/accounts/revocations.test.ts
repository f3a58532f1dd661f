import { stat } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { InstalledApp } from '../../src/library/installed-app.ts';
import { HOUR } from '../support/open-accounts.ts';
import { refused } from '../support/refused.ts';
import { fromStore } from '../support/sample-apps.ts';
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
    pass(HOUR);
    await accounts.settle();
    expect(await left()).toEqual([]);
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
