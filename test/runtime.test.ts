import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Manifest } from '@svc/contracts';
import type { OpenPanel } from '@svc/runtime';
import { sampleBundle } from '@svc/testkit';
import { expect, it, onTestFinished, vi } from 'vitest';
import { portOf, start } from '../apps/store/test/support/program.ts';
import { ADMIN_TOKEN } from '../apps/store/test/support/test-store.ts';
import { serveSites } from '../packages/runtime/test/support/internet.ts';
import { behindSignIn } from '../packages/runtime/test/support/mcp-guard.ts';
import { type Exchange, serveMcp, text } from '../packages/runtime/test/support/mcp-server.ts';
import { oidcServer } from '../packages/runtime/test/support/oidc-server.ts';
import { photograph } from '../packages/runtime/test/support/pictures.ts';
import { openClient } from '../packages/runtime/test/support/runtime-world.ts';

const APP = 'com.example.notes';
const IN_CHAT = { project: 'project-1', chat: 'chat-1' };

/** A tool that asks, one that takes a picture and gives one back, one that never ends; an account and a panel. */
const MANIFEST: Partial<Manifest> = {
  contributes: {
    tools: [
      {
        id: 'attach',
        name: 'Attach',
        description: 'Attaches pictures.',
        account: 'notes',
        confirm: { title: 'Attach {{count}} picture?' },
        files: { picture: { accept: ['image/png'], prepare: { op: 'convert', format: 'png' } } },
      },
      { id: 'wait', name: 'Wait', description: 'Waits for news.', account: 'notes' },
    ],
    panels: [{ id: 'main', title: 'Notes', component: 'webview' }],
  },
  accounts: [{ id: 'notes', label: 'Notes', auth: 'mcp', scopes: ['notes:read'] }],
  grants: ['files:receive', 'files:return', 'host:media'],
};

/** A real store with a verified publisher, and a moderator who approves. */
async function startStore() {
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-runtime-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const program = start({ PORT: '0', SVC_DATA_DIR: folder, SVC_ADMIN_TOKEN: ADMIN_TOKEN });
  const url = `http://127.0.0.1:${await portOf(program)}`;
  const post = async (route: string, body: string | Uint8Array<ArrayBuffer>, type = 'application/json') => {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': type };
    const response = await fetch(url + route, { method: 'POST', headers, body });
    if (!response.ok) throw new Error(`${route}: ${response.status} ${await response.text()}`);
  };
  const admin = (route: string, body: object) => post(route, JSON.stringify(body));
  await admin('/api/admin/publishers', { slug: 'example', name: 'Example', verified: true });
  return {
    url,
    async publish(changes: Partial<Manifest>) {
      const { version = '1.0.0' } = changes;
      const page = '<!doctype html><title>Notes</title>';
      const bundle = sampleBundle({ ...MANIFEST, ...changes }, { 'ui/index.html': page });
      await post('/api/apps/publish', bundle as Uint8Array<ArrayBuffer>, 'application/zip');
      await admin(`/api/moderation/apps/${APP}/versions/${version}/approve`, {});
    },
    yank: (version: string) =>
      admin(`/api/apps/${APP}/versions/${version}/yank`, { reason: 'It lost notes.' }),
  };
}

/** An authorization server and the app's MCP server behind it, on an Internet of their own. */
async function startServers() {
  const site = await serveSites(['mcp.example.com', 'login.example.com']);
  const oidc = await oidcServer(site.at('login.example.com'));
  const attached: { picture?: { mimeType: string; data: string } }[] = [];
  const waiting: Exchange[] = [];
  const mcp = await serveMcp(
    (exchange) => {
      if (exchange.message.params.name === 'wait') {
        waiting.push(exchange);
        return;
      }
      const args = exchange.message.params.arguments as (typeof attached)[number];
      attached.push(args);
      const { authorization } = exchange.request.headers;
      const image = { type: 'image', data: args.picture?.data, mimeType: 'image/png' };
      return {
        content: [...(text(`Attached by ${authorization}.`) as { content: object[] }).content, image],
      };
    },
    {
      tools: [{ name: 'attach' }, { name: 'wait' }],
      serve: (listener) =>
        site.at('mcp.example.com')(
          behindSignIn(oidc.issuer, async (token) => Boolean(await oidc.find(token)), listener),
        ),
    },
  );
  return { connecting: site.connecting, oidc, mcp, attached, waiting };
}

/** Speaks for the page of a panel. */
function speakFor(panel: OpenPanel) {
  const heard: { id?: unknown; result?: Record<string, unknown> }[] = [];
  const closed: string[] = [];
  panel.listen({ message: (message) => heard.push(JSON.parse(message)), closed: (why) => closed.push(why) });
  const ask = async (method: string, params: object) => {
    panel.receive(JSON.stringify({ jsonrpc: '2.0', id: method, method, params }));
    return vi.waitFor(() => heard.find(({ id, result }) => id === method && result)?.result ?? expect.fail());
  };
  return { ask, closed };
}

it('a client installs an app, signs in, calls, shows a panel, updates, obeys a withdrawal and removes all of it', async () => {
  const [store, servers] = await Promise.all([startStore(), startServers()]);
  await store.publish({});
  const { runtime, folder, cards, events } = await openClient({
    store: store.url,
    connecting: servers.connecting,
  });
  const sheet = await runtime.installer.prepareInstall(APP);
  await expect(runtime.installer.install(sheet)).rejects.toMatchObject({ code: 'consent-needed' });
  await runtime.installer.install(sheet, { accepted: true, binding: sheet.binding });

  // The sign-in goes through the store's relay, and the approval is for what is sent.
  const picture = { name: 'shore.jpeg', bytes: await photograph('jpeg') };
  const request = { tool: 'attach', arguments: { note: 'n-1' }, files: { picture: [picture] }, ...IN_CHAT };
  const result = await runtime.call(APP, request);
  expect(cards.map(({ kind }) => kind)).toEqual(['approval', 'connect']);
  const [sent] = servers.attached;
  expect(sent).toMatchObject({ note: 'n-1', picture: { mimeType: 'image/png' } });
  const bytes = Buffer.from(sent?.picture?.data ?? '', 'base64');
  expect(bytes.subarray(1, 4).toString()).toBe('PNG');
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  expect(cards[0]).toMatchObject({ title: 'Attach 1 picture?', files: [{ type: 'image/png', sha256 }] });
  expect(servers.oidc.tokenRequests).toMatchObject([
    { grant_type: 'authorization_code', redirect_uri: `${store.url}/apps/oauth/callback` },
  ]);

  // The token is the server's own, and in nothing that comes back.
  const [{ authorization = '' } = {}] = servers.mcp.headersOf('tools/call');
  const token = authorization.slice('Bearer '.length);
  expect(await servers.oidc.find(token)).toBeDefined();
  expect(JSON.stringify(result)).toContain('Attached by');
  expect(JSON.stringify([result, events, cards])).not.toContain(token);
  const [kept] = result.files;
  expect(kept).toMatchObject({ type: 'image/png', sha256 });
  expect(existsSync(kept?.path ?? '')).toBe(true);

  // Another process of the client has the account too.
  const other = await openClient({ folder, store: store.url, connecting: servers.connecting });
  await other.runtime.call(APP, request);
  expect(other.cards.map(({ kind }) => kind)).toEqual(['approval']);

  const shown = { theme: 'dark', locale: 'en', project: IN_CHAT.project } as const;
  const old = speakFor(await runtime.openPanel(APP, 'main', shown));
  expect(await old.ask('accounts/token', { account: 'notes' })).toEqual({ accessToken: token });

  // An update that reaches further asks first, and what ran of the old version ends.
  const domains = ['api.example.com', 'more.example.com'];
  const mcpUrl = servers.mcp.url;
  await store.publish({ version: '1.1.0', remote: { mcpUrl, domains } });
  const { signal } = new AbortController();
  await expect
    .poll(() => runtime.reader.detail(APP), { timeout: 10_000 })
    .toMatchObject({ version: '1.1.0' });
  cards.length = 0;
  expect(await runtime.update(signal)).toMatchObject([{ outcome: 'updated', to: '1.1.0' }]);
  expect(cards).toMatchObject([{ kind: 'consent', widened: { domainsAdded: ['more.example.com'] } }]);
  await expect.poll(() => old.closed).toEqual(['updated']);

  // A withdrawal ends a call and a panel that are under way.
  const call = runtime
    .call(APP, { tool: 'wait', arguments: {}, ...IN_CHAT })
    .catch((error: unknown) => error);
  const panel = speakFor(await runtime.openPanel(APP, 'main', shown));
  await expect.poll(() => servers.waiting.length).toBe(1);
  await store.yank('1.1.0');
  await runtime.revocations.check();
  expect(await call).toMatchObject({ code: 'withdrawn' });
  expect(panel.closed).toEqual(['withdrawn']);
  await expect(runtime.call(APP, request)).rejects.toMatchObject({ code: 'withdrawn' });
  await expect(runtime.openPanel(APP, 'main', shown)).rejects.toMatchObject({ code: 'withdrawn' });
  // The other process has not asked the store, and obeys all the same.
  await expect(other.runtime.call(APP, request)).rejects.toMatchObject({ code: 'withdrawn' });

  expect(await runtime.remove(APP)).toEqual({ accounts: [{ id: 'notes', revoked: true }] });
  expect(await servers.oidc.find(token)).toBeUndefined();
  expect(existsSync(kept?.path ?? '')).toBe(false);
  expect(runtime.library.list()).toEqual([]);
}, 60_000);
