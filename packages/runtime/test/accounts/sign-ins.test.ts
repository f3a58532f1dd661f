import { describe, expect, it } from 'vitest';
import { createSignIns, type SignInOwner, type SignInProgress } from '../../src/accounts/sign-ins.ts';
import { createEvents, type RuntimeEvent } from '../../src/events/events.ts';
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

  it.each([
    { type: 'app-removed', version: '1.0.0' },
    { type: 'app-yanked', version: '1.0.0', reason: 'It is malware.' },
  ] as const)('ends with the event $type of its app', async (event) => {
    const { accounts, app, opened, events } = await lostTab();
    const connecting = accounts.connect(app, 'main');
    connecting.catch(() => undefined);
    await expect.poll(() => opened.length).toBe(1);
    events.emit({ ...event, appId: 'com.example.other' });
    expect(await accounts.list(app)).toMatchObject([{ signingIn: true }]);
    events.emit({ ...event, appId: app.appId });
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

describe('the sign-ins of a process', () => {
  const OWNER = { appId: 'com.example.notes', accountId: 'main' };
  const OTHER = { appId: 'com.example.notes', accountId: 'other' };
  const ELSEWHERE = { appId: 'com.example.mail', accountId: 'main' };

  /** Sign-ins whose work a test ends. */
  function signIns() {
    const told: RuntimeEvent[] = [];
    const events = createEvents((error) => {
      throw error;
    });
    events.subscribe((event) => told.push(event));
    const pages: string[] = [];
    const own = createSignIns({ events, openBrowser: async (url) => void pages.push(url) });
    const start = (owner: SignInOwner, signal?: AbortSignal) => {
      const over = Promise.withResolvers<void>();
      const begun = Promise.withResolvers<SignInProgress & { signal: AbortSignal }>();
      const joined = own.join(
        JSON.stringify(owner),
        owner,
        (ended, progress) => {
          begun.resolve({ ...progress, signal: ended });
          return over.promise;
        },
        signal,
      );
      joined.catch(() => undefined);
      return { joined, begun: begun.promise, ...over };
    };
    return { ...own, start, told, pages };
  }

  it('show their digits once they have them', async () => {
    const { start, digits, told } = signIns();
    const { begun, resolve, joined } = start(OWNER);
    expect(digits(OWNER)).toBeNull();
    (await begun).onDigits('123');
    expect([digits(OWNER), digits(OTHER), digits(ELSEWHERE)]).toEqual(['123', null, null]);
    expect(told.at(-1)).toEqual({ type: 'sign-in-digits', ...OWNER, digits: '123' });
    resolve();
    await joined;
    expect(digits(OWNER)).toBeNull();
  });

  it('are cancelled for one account, or for all of an app', async () => {
    const { start, cancel, underWay } = signIns();
    const all = [OWNER, OTHER, ELSEWHERE].map((owner) => start(owner));
    const begun = await Promise.all(all.map((one) => one.begun));
    const aborted = () => begun.map(({ signal }) => signal.aborted);
    expect([cancel('com.example.notes', 'third'), aborted()]).toEqual([false, [false, false, false]]);
    expect([cancel('com.example.notes', 'other'), aborted()]).toEqual([true, [false, true, false]]);
    expect([cancel('com.example.notes'), aborted()]).toEqual([true, [true, true, false]]);
    expect(begun[0]?.signal.reason).toMatchObject({ code: 'declined' });
    expect(underWay(ELSEWHERE)).not.toBeNull();
  });

  it('end with the fault of their work, for those who wait for them too', async () => {
    const { start, underWay, told } = signIns();
    const { reject, joined } = start(OWNER);
    const waiting = underWay(OWNER);
    reject(new Error('refused'));
    await expect(waiting).rejects.toThrow('refused');
    await expect(joined).rejects.toThrow('refused');
    expect(underWay(OWNER)).toBeNull();
    expect(told.map(({ type }) => type)).toEqual(['sign-in-started', 'sign-in-ended']);
  });

  it('have no page to open again before it was opened', async () => {
    const { start, reopen, pages } = signIns();
    const { begun } = start(OWNER);
    const again = start(OWNER);
    expect(await reopen(OWNER)).toBe(false);
    await (await begun).open('https://as.example.com/authorize');
    expect([await reopen(OTHER), await reopen(OWNER), pages.length]).toEqual([false, true, 2]);
    again.resolve();
  });

  it('are not confused with one that was aborted, and ends later', async () => {
    const { start, underWay } = signIns();
    const caller = new AbortController();
    const first = start(OWNER, caller.signal);
    await first.begun;
    caller.abort('enough');
    await expect(first.joined).rejects.toBe('enough');
    const second = start(OWNER);
    await second.begun;
    first.resolve();
    await new Promise(setImmediate);
    expect(underWay(OWNER)).not.toBeNull();
    second.resolve();
    await second.joined;
    expect(underWay(OWNER)).toBeNull();
  });
});
