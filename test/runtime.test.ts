import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { OpenPanel } from '@svc/runtime';
import { eventually } from '@svc/testkit/eventually';
import { expect, it } from 'vitest';
import { photograph } from '../packages/runtime/test/support/pictures.ts';
import { openClient } from '../packages/runtime/test/support/runtime-world.ts';
import { APP, startServers, startStore } from './support/notes-app.ts';

const IN_CHAT = { project: 'project-1', chat: 'chat-1' };

/** Sends and receives messages as the page of a panel. */
function pageOf(panel: OpenPanel) {
  const heard: { id?: unknown; result?: Record<string, unknown> }[] = [];
  const closed: string[] = [];
  panel.listen({ message: (message) => heard.push(JSON.parse(message)), closed: (why) => closed.push(why) });
  const ask = async (method: string, params: object) => {
    panel.receive(JSON.stringify({ jsonrpc: '2.0', id: method, method, params }));
    return eventually(() => heard.find(({ id, result }) => id === method && result)?.result ?? expect.fail());
  };
  return { ask, closed };
}

it('a client installs an app, signs in, calls, shows a panel, updates, disables a yanked version, and removes the app', async () => {
  const [store, servers] = await Promise.all([startStore(), startServers()]);
  await store.publish({});
  const { runtime, folder, cards, events } = await openClient({
    store: store.url,
    connecting: servers.connecting,
    // Without a browser, no test shows that the panel is restricted to its hosts.
    panelTokens: 'always',
  });
  const sheet = await runtime.installer.prepareInstall(APP);
  await expect(runtime.installer.install(sheet)).rejects.toMatchObject({ code: 'consent-needed' });
  await runtime.installer.install(sheet, { accepted: true, binding: sheet.binding });

  // The sign-in uses the relay of the store, and the approval shows the bytes that are sent.
  const picture = { name: 'shore.jpeg', bytes: await photograph('jpeg') };
  const request = { tool: 'attach', arguments: { note: 'n-1' }, files: { picture: [picture] }, ...IN_CHAT };
  const result = await runtime.call(APP, request);
  expect(cards.map(({ kind }) => kind)).toEqual(['connect', 'approval']);
  const [sent] = servers.attached;
  expect(sent).toMatchObject({ note: 'n-1', picture: { mimeType: 'image/png' } });
  const bytes = Buffer.from(sent?.picture?.data ?? '', 'base64');
  expect(bytes.subarray(1, 4).toString()).toBe('PNG');
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  expect(cards[1]).toMatchObject({ title: 'Attach 1 picture?', files: [{ type: 'image/png', sha256 }] });
  expect(servers.oidc.tokenRequests).toMatchObject([
    { grant_type: 'authorization_code', redirect_uri: `${store.url}/apps/oauth/callback` },
  ]);

  // The token is valid at the server, and appears in no result, event or card.
  const [{ authorization = '' } = {}] = servers.mcp.headersOf('tools/call');
  const token = authorization.slice('Bearer '.length);
  expect(await servers.oidc.find(token)).toBeDefined();
  expect(JSON.stringify(result)).toContain('Attached by');
  expect(JSON.stringify([result, events, cards])).not.toContain(token);
  const [kept] = result.files;
  expect(kept).toMatchObject({ type: 'image/png', sha256 });
  expect(existsSync(kept?.path ?? '')).toBe(true);

  // Another process of the client has the same account.
  const other = await openClient({ folder, store: store.url, connecting: servers.connecting });
  await other.runtime.call(APP, request);
  expect(other.cards.map(({ kind }) => kind)).toEqual(['approval']);

  const shown = { theme: 'dark', locale: 'en', project: IN_CHAT.project } as const;
  const old = pageOf(await runtime.openPanel(APP, 'main', shown));
  expect(await old.ask('accounts/token', { account: 'notes' })).toEqual({ accessToken: token });

  // A panel calls tools like a chat: the runtime adds the token, which the panel never receives.
  const shownElsewhere = pageOf(await other.runtime.openPanel(APP, 'main', shown));
  const called = await shownElsewhere.ask('tools/call', { name: 'read' });
  expect(servers.mcp.headersOf('tools/call').at(-1)).toMatchObject({ authorization: `Bearer ${token}` });
  expect(JSON.stringify(called)).not.toContain(token);

  // An update with new permissions asks first, and closes the panels of the old version.
  const domains = ['api.example.com', 'more.example.com'];
  const mcpUrl = servers.mcp.url;
  await store.publish({ version: '1.1.0', remote: { mcpUrl, domains } });
  const { signal } = new AbortController();
  await expect.poll(() => runtime.reader.detail(APP)).toMatchObject({ version: '1.1.0' });
  cards.length = 0;
  expect(await runtime.update(signal)).toMatchObject([{ outcome: 'updated', to: '1.1.0' }]);
  expect(cards).toMatchObject([{ kind: 'consent', widened: { domainsAdded: ['more.example.com'] } }]);
  await expect.poll(() => old.closed).toEqual(['updated']);

  // A yank ends a running call and an open panel.
  const call = runtime
    .call(APP, { tool: 'wait', arguments: {}, ...IN_CHAT })
    .catch((error: unknown) => error);
  const panel = pageOf(await runtime.openPanel(APP, 'main', shown));
  await expect.poll(() => servers.waiting.length).toBe(1);
  await store.yank('1.1.0');
  await runtime.revocations.check();
  expect(await call).toMatchObject({ code: 'yanked' });
  expect(panel.closed).toEqual(['yanked']);
  await expect(runtime.call(APP, request)).rejects.toMatchObject({ code: 'yanked' });
  await expect(runtime.openPanel(APP, 'main', shown)).rejects.toMatchObject({ code: 'yanked' });
  // The other process has not sent a request to the store, and refuses too.
  await expect(other.runtime.call(APP, request)).rejects.toMatchObject({ code: 'yanked' });

  expect(await runtime.remove(APP)).toEqual({ accounts: [{ id: 'notes', revoked: true }] });
  expect(await servers.oidc.find(token)).toBeUndefined();
  expect(existsSync(kept?.path ?? '')).toBe(false);
  expect(runtime.library.list()).toEqual([]);
}, 60_000);
