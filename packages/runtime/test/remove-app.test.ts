import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { serveSites } from './support/internet.ts';
import { behindSignIn } from './support/mcp-guard.ts';
import { serveMcp, text } from './support/mcp-server.ts';
import { oidcServer } from './support/oidc-server.ts';
import { relayServer } from './support/relay-server.ts';
import { openClient } from './support/runtime-world.ts';

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
  it('switches it off first, has its sign-in taken back, and forgets it', async () => {
    const { runtime, appId, oidc, mcp, token, events, call } = await connected();
    expect(await oidc.find(token)).toBeDefined();
    events.length = 0;
    expect(await runtime.remove(appId)).toEqual({ accounts: [{ id: 'server', revoked: true }] });
    expect(await oidc.find(token)).toBeUndefined();
    // Its session ends with a request that bears the token, at any time in between.
    const types = events.map(({ type }) => type).filter((type) => type !== 'token-used');
    expect(types).toEqual(['app-switched', 'account-disconnected', 'app-removed']);
    await expect(call()).rejects.toMatchObject({ code: 'not-installed' });
    await expect(runtime.remove(appId)).rejects.toMatchObject({ code: 'not-installed' });
    const again = await runtime.addConnector(mcp.url);
    expect(await runtime.accounts.list(again)).toMatchObject([{ connected: false }]);
  });

  it('says so when a sign-in server could not be told, and forgets it all the same', async () => {
    const { runtime, appId, oidc, mcp } = await connected();
    oidc.setDown(true);
    const { accounts } = await runtime.remove(appId);
    expect(accounts).toEqual([{ id: 'server', revoked: false, pending: true, reason: expect.any(String) }]);
    const again = await runtime.addConnector(mcp.url);
    expect(await runtime.accounts.list(again)).toMatchObject([{ connected: false }]);
  });

  it('is not kept from it by a vault that does not open', async () => {
    const { runtime, appId, folder } = await connected();
    await writeFile(path.join(folder, 'vault'), 'damaged');
    const { accounts } = await runtime.remove(appId);
    expect(accounts).toEqual([{ id: 'server', revoked: false, reason: expect.stringContaining('vault') }]);
    expect(runtime.library.get(appId)).toBeNull();
  });
});
