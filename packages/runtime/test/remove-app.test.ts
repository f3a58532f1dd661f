import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DEEP } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { itAtSteps } from './support/at-steps.ts';
import { serveSites } from './support/internet.ts';
import { killedWorld } from './support/killed-world.ts';
import { behindSignIn } from './support/mcp-guard.ts';
import { serveMcp, text } from './support/mcp-server.ts';
import { oidcServer } from './support/oidc-server.ts';
import { relayServer } from './support/relay-server.ts';
import { openClient } from './support/runtime-world.ts';
import { APP } from './support/signing-store.ts';

/** A client with a connector whose account is connected. */
async function connected() {
  const [site, relay] = await Promise.all([
    serveSites(['mcp.example.com', 'login.example.com']),
    relayServer(),
  ]);
  const oidc = await oidcServer(site.at('login.example.com'));
  const isGood = async (token: string) => Boolean(await oidc.find(token));
  const mcp = await serveMcp(() => text('Found.'), {
    serve: (listener) => site.at('mcp.example.com')(behindSignIn(oidc.issuer, isGood, listener)),
    tools: [{ name: 'search' }],
  });
  const client = await openClient({ store: relay.url, connecting: site.connecting });
  const { runtime } = client;
  const { appId } = await runtime.addConnector(mcp.url);
  const call = () => runtime.call(appId, { tool: 'search', arguments: {}, project: 'p', chat: 'c' });
  await call();
  const [{ authorization = '' } = {}] = mcp.headersOf('tools/call');
  return { ...client, appId, oidc, mcp, call, token: authorization.slice('Bearer '.length) };
}

describe('removing an app', () => {
  it('switches it off first, revokes its account, and deletes it', async () => {
    const { runtime, appId, oidc, mcp, token, events, call } = await connected();
    expect(await oidc.find(token)).toBeDefined();
    events.length = 0;
    expect(await runtime.remove(appId)).toEqual({ accounts: [{ id: 'server', revoked: true }] });
    expect(await oidc.find(token)).toBeUndefined();
    // The request that ends its session has the token, and is sent at any time in between.
    const types = events.map(({ type }) => type).filter((type) => type !== 'token-used');
    expect(types).toEqual(['app-switched', 'account-disconnected', 'app-removed']);
    await expect(call()).rejects.toMatchObject({ code: 'not-installed' });
    await expect(runtime.remove(appId)).rejects.toMatchObject({ code: 'not-installed' });
    const again = await runtime.addConnector(mcp.url);
    expect(await runtime.accounts.list(again)).toMatchObject([{ connected: false }]);
  });

  it('deletes it when the authorization server is down, and returns that the revocation is pending', async () => {
    const { runtime, appId, oidc, mcp } = await connected();
    oidc.setDown(true);
    const { accounts } = await runtime.remove(appId);
    expect(accounts).toEqual([{ id: 'server', revoked: false, pending: true, reason: expect.any(String) }]);
    const again = await runtime.addConnector(mcp.url);
    expect(await runtime.accounts.list(again)).toMatchObject([{ connected: false }]);
  });

  it('deletes it even if the vault cannot be opened', async () => {
    const { runtime, appId, folder } = await connected();
    await writeFile(path.join(folder, 'vault'), 'damaged');
    const { accounts } = await runtime.remove(appId);
    expect(accounts).toEqual([{ id: 'server', revoked: false, reason: expect.stringContaining('vault') }]);
    expect(runtime.library.get(appId)).toBeNull();
  });

  itAtSteps(
    'leaves a complete app, one that is off, or none, when its process is killed',
    async (choose) => {
      const { connected: open, another, reopened, install, call, end, expectNoStrays } = await killedWorld();
      const first = await open();
      const steps = (await another(first, 'remove')) ?? 0;
      expect(steps).toBeGreaterThan(8);
      await end(first);
      const points = choose(steps);
      let killed = 0;
      for (const at of points) {
        const client = await open();
        const { runtime } = client;
        // The number of steps varies by background work.
        if ((await another(client, 'remove', at)) === null) killed += 1;
        await reopened(client);
        if (runtime.library.get(APP)) await runtime.remove(APP);
        expect(runtime.library.get(APP)).toBeNull();
        await expectNoStrays(client);
        await install(client);
        expect(await call(client)).toMatchObject({ parts: [{ text: 'did say' }] });
        await end(client);
      }
      expect(killed).toBeGreaterThan(points.length / 2);
    },
    DEEP,
  );
});
