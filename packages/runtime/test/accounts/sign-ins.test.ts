import { describe, expect, it } from 'vitest';
import { browse } from '../support/browser.ts';
import { said } from '../support/calls.ts';
import { refused } from '../support/refused.ts';
import { type Auth, wildApp, wildClient, wildServers } from '../support/wild-world.ts';

/** A user who has lost the tab of a sign-in; `finish` completes the sign-in. */
async function lostTab(auth: Auth = 'declared') {
  const servers = await wildServers();
  const app = wildApp(servers, auth);
  const client = await wildClient(servers, app, { openBrowser: async () => {} });
  const finish = () => browse(client.opened.at(-1) ?? '');
  return { ...client, app, finish, servers };
}

describe('a sign-in whose tab is lost', () => {
  it('is opened again by a second caller, and both are connected', async () => {
    const { accounts, app, opened, finish } = await lostTab();
    const first = accounts.connect(app, 'main');
    await expect.poll(() => opened.length).toBe(1);
    const second = accounts.connect(app, 'main');
    await expect.poll(() => opened.length).toBe(2);
    expect(opened[1]).toBe(opened[0]);
    await finish();
    await Promise.all([first, second]);
    expect(await accounts.list(app)).toMatchObject([{ connected: true, signingIn: false }]);
  });

  it('is listed, opened again and cancelled by any caller, such as a page that was reloaded', async () => {
    const { accounts, app, opened, told } = await lostTab();
    expect(await accounts.reopen(app.appId, 'main')).toBe(false);
    expect(accounts.cancel(app.appId, 'main')).toBe(false);
    const connecting = accounts.connect(app, 'main');
    connecting.catch(() => undefined);
    await expect.poll(() => opened.length).toBe(1);
    expect(await accounts.list(app)).toMatchObject([{ connected: false, signingIn: true }]);
    expect(await accounts.reopen(app.appId, 'main')).toBe(true);
    expect(opened[1]).toBe(opened[0]);
    expect(accounts.cancel(app.appId, 'main')).toBe(true);
    await expect(connecting).rejects.toEqual(refused('declined'));
    expect(await accounts.list(app)).toMatchObject([{ signingIn: false }]);
    // The digits of the relay may come before.
    const types = told.map(({ type }) => type).filter((type) => type !== 'sign-in-digits');
    expect(types).toEqual(['sign-in-started', 'sign-in-ended']);
  });

  it('shows a second call a card of its own, from which the tab is opened again', async () => {
    const { call, cards, opened, finish } = await lostTab();
    const first = call();
    await expect.poll(() => opened.length).toBe(1);
    const second = call();
    await expect.poll(() => opened.length).toBe(2);
    expect(cards).toMatchObject([{ kind: 'connect' }, { kind: 'connect', isUnderWay: true }]);
    await finish();
    expect(await Promise.all([first, second])).toEqual([said('did say'), said('did say')]);
  });

  it('closes the card of a second call when the user finishes in the first tab', async () => {
    const { call, cards, opened, setAnswer, finish } = await lostTab();
    const first = call();
    await expect.poll(() => opened.length).toBe(1);
    setAnswer(() => new Promise(() => {}));
    const second = call();
    await expect.poll(() => cards.length).toBe(2);
    await finish();
    expect(await Promise.all([first, second])).toEqual([said('did say'), said('did say')]);
    expect(opened).toHaveLength(1);
  });

  it('continues when the call that started it is aborted', async () => {
    const { accounts, app, call, opened, finish, kinds } = await lostTab();
    const gone = new AbortController();
    const first = call('say', gone.signal);
    await expect.poll(() => opened.length).toBe(1);
    gone.abort(new Error('enough'));
    await expect(first).rejects.toThrow();
    expect(await accounts.list(app)).toMatchObject([{ signingIn: true }]);
    await finish();
    await expect.poll(async () => (await accounts.list(app))[0]?.connected).toBe(true);
    expect(await call()).toEqual(said('did say'));
    expect(kinds()).toEqual(['connect']);
  });

  it('ends when its app is removed', async () => {
    const { accounts, app, opened, events } = await lostTab();
    const connecting = accounts.connect(app, 'main');
    connecting.catch(() => undefined);
    await expect.poll(() => opened.length).toBe(1);
    events.emit({ type: 'app-removed', appId: app.appId, version: app.version });
    await expect(connecting).rejects.toEqual(refused('declined'));
  });
});

describe('the authorization server of an MCP account', () => {
  it('is shown on the card and stored, and a new server needs approval before its page is opened', async () => {
    const { accounts, call, cards, expire, opened, setAnswer, finish, servers, app } = await lostTab('mcp');
    const connecting = call();
    await expect.poll(() => opened.length).toBe(1);
    const host = new URL(servers.oauth.url).host;
    expect(cards).toMatchObject([{ kind: 'connect', host }]);
    await finish();
    await connecting;
    const other = await wildServers();
    servers.oauth.access.clear();
    servers.mcp.state.issuer = other.oauth.url;
    servers.oauth.script.push({ kind: 'raw', status: 400, body: '{"error":"invalid_grant"}' });
    expire();
    setAnswer((card) => ({ accepted: !('formerHost' in card) }));
    await expect(call()).rejects.toEqual(refused('declined'));
    expect(cards.slice(1)).toMatchObject([
      { kind: 'connect', host },
      { kind: 'connect', host: new URL(other.oauth.url).host, formerHost: host },
    ]);
    expect(opened).toHaveLength(1);
    // Connecting without a call does not open it either.
    setAnswer(() => ({ accepted: false }));
    await expect(accounts.connect(app, 'main')).rejects.toEqual(refused('declined'));
    expect(opened).toHaveLength(1);
  });

  it('is asked for the scopes of the metadata when the scope of the challenge is empty', async () => {
    const { accounts, app, opened, finish, servers } = await lostTab('mcp');
    servers.mcp.state.challengeScope = '';
    servers.mcp.state.scopes = ['notes:read'];
    const connecting = accounts.connect(app, 'main');
    await expect.poll(() => opened.length).toBe(1);
    expect(new URL(opened[0] ?? '').searchParams.get('scope')).toBe('notes:read');
    await finish();
    await connecting;
  });
});
