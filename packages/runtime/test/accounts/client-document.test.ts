import { describe, expect, it } from 'vitest';
import { json } from '../support/fake-web.ts';
import { fromStore } from '../support/sample-apps.ts';
import { wildApp, wildClient, wildServers } from '../support/wild-world.ts';

const STORE = 'https://store.example.com';
const DOCUMENT = `${STORE}/apps/oauth/client.json`;

const METADATA = {
  client_id: DOCUMENT,
  client_name: 'svc',
  client_uri: STORE,
  logo_uri: `${STORE}/icon.svg`,
  redirect_uris: [`${STORE}/apps/oauth/callback`],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
  application_type: 'web',
};

/** A client of a store on the Internet, at a server that supports metadata documents. The relay of the store is on this machine. */
async function openAt(store: string, document: () => Response = () => json(METADATA)) {
  const servers = await wildServers();
  servers.oauth.state.takesDocuments = true;
  const app = { ...wildApp(servers, 'mcp'), source: fromStore(store) };
  const read: string[] = [];
  const fetchStore: typeof fetch = async (input) => {
    const url = new URL(String(input));
    if (url.pathname !== '/apps/oauth/client.json')
      return fetch(servers.relay.url + url.pathname + url.search);
    read.push(url.href);
    return document();
  };
  const { relay, oauth } = servers;
  const client = await wildClient(servers, app, {
    loopbackOf: () => true,
    fetchStore,
    async openBrowser(address) {
      const answer = await fetch(address, { redirect: 'manual' });
      const back = new URL(answer.headers.get('location') ?? 'https://nowhere.invalid/');
      if (back.searchParams.has('code')) relay.park(Object.fromEntries(back.searchParams));
    },
  });
  const clientIds = () => client.opened.map((url) => new URL(url).searchParams.get('client_id') ?? '');
  const reasons = () =>
    client.told.flatMap((event) => (event.type === 'client-document-unused' ? [event.reason] : []));
  return { ...client, app, oauth, read, clientIds, reasons };
}

describe('the client ID metadata document of a store', () => {
  it('identifies the client at a server that supports it, without a registration', async () => {
    const { accounts, app, oauth, read, clientIds, reasons } = await openAt(STORE);
    await accounts.connect(app, 'main');
    expect(clientIds()).toEqual([DOCUMENT]);
    expect(oauth.requests.map(({ path }) => path)).not.toContain('/register');
    expect(oauth.requests.find(({ path }) => path === '/token')?.form).toMatchObject({ client_id: DOCUMENT });
    await accounts.disconnect(app, 'main');
    await accounts.connect(app, 'main');
    expect(read).toEqual([DOCUMENT]);
    expect(reasons()).toEqual([]);
  });

  it.each<[string, string, (() => Response) | undefined, string]>([
    ['on this machine', 'http://localhost:8787', undefined, 'cannot read'],
    ['on this machine with TLS', 'https://localhost', undefined, 'cannot read'],
    ['without TLS', 'http://store.example.com', undefined, 'cannot read'],
    ['at an IP address', 'https://10.0.0.1', undefined, 'cannot read'],
    ['that an older store does not serve', STORE, () => json({}, 404), 'cannot be read'],
    [
      'with another client_id',
      STORE,
      () => json({ ...METADATA, client_id: `${DOCUMENT}?` }),
      'is not its URL',
    ],
    ['without the callback', STORE, () => json({ ...METADATA, redirect_uris: [] }), 'does not list'],
    ['that is not JSON', STORE, () => new Response('<html>'), 'cannot be read'],
    ['that is too long', STORE, () => json({ ...METADATA, more: 'x'.repeat(6000) }), 'cannot be read'],
  ])(
    '%s is not used: the client registers, and an event has the reason',
    async (_what, store, document, reason) => {
      const { accounts, app, clientIds, reasons } = await openAt(store, document);
      await accounts.connect(app, 'main');
      expect(clientIds()).toEqual([expect.stringMatching(/^client-/)]);
      expect(reasons()).toEqual([expect.stringContaining(reason)]);
      await accounts.connect(app, 'main');
      expect(clientIds()[1]).toBe(clientIds()[0]);
      expect(reasons()).toHaveLength(2);
    },
  );

  it('is used only at a server that takes clients without a secret', async () => {
    const { accounts, app, oauth, clientIds, reasons } = await openAt(STORE);
    oauth.state.clientMethods = ['client_secret_post'];
    await accounts.connect(app, 'main');
    oauth.state.clientMethods = ['client_secret_post', 'none'];
    await accounts.connect(app, 'main');
    expect(clientIds()).toEqual([expect.stringMatching(/^client-/), DOCUMENT]);
    expect(reasons()).toEqual([expect.stringContaining('without a secret')]);
  });

  it('is not used again at a server that no longer knows it', async () => {
    const { accounts, app, oauth, clientIds, expire } = await openAt(STORE);
    await accounts.connect(app, 'main');
    expire();
    oauth.script.push({ kind: 'raw', status: 401, body: '{"error":"invalid_client"}' });
    expect(await accounts.ready(app, 'main')).toBe(false);
    await accounts.connect(app, 'main');
    expect(clientIds()).toEqual([DOCUMENT, expect.stringMatching(/^client-/)]);
  });

  it('is not used again after a cancelled sign-in: the client registers, so that users can still sign in', async () => {
    const { accounts, app, clientIds, oauth, reasons } = await openAt(STORE);
    // RFC 6749 section 4.1.2.1: a server that does not know the client shows an error, and does not redirect back.
    oauth.state.refusesDocuments = true;
    const attempt = accounts.connect(app, 'main').catch((error: unknown) => error);
    await expect.poll(clientIds).toEqual([DOCUMENT]);
    accounts.cancel(app.appId, 'main');
    expect(await attempt).toMatchObject({ code: 'declined' });
    await accounts.connect(app, 'main');
    expect(clientIds()).toEqual([DOCUMENT, expect.stringMatching(/^client-/)]);
    expect(reasons()).toHaveLength(1);
  });
});
