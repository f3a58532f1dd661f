import { describe, expect, it } from 'vitest';
import { createAdmission, endedBy } from '../../src/calls/admission.ts';
import type { RuntimeEvent } from '../../src/events/events.ts';
import { RuntimeError } from '../../src/platform/runtime-error.ts';
import { said } from '../support/calls.ts';
import { realSystem } from '../support/real-system.ts';
import { refused } from '../support/refused.ts';
import type { RefreshAnswer } from '../support/wild-servers.ts';
import { type Auth, wildApp, wildClient, wildServers } from '../support/wild-world.ts';

const KINDS = [true, false].flatMap((stream) => [true, false].map((sessions) => ({ stream, sessions })));
const AUTHS: Auth[] = ['declared', 'mcp'];

const raw = (status: number, body: unknown, type = 'application/json'): RefreshAnswer => ({
  kind: 'raw',
  status,
  body: typeof body === 'string' ? body : JSON.stringify(body),
  type,
});

/** Answers after which the account is disconnected. */
const REFUSALS: [string, RefreshAnswer][] = [
  ['invalid_grant', raw(400, { error: 'invalid_grant' })],
  ['INVALID_GRANT in capital letters', raw(400, { error: 'INVALID_GRANT' })],
  ['unauthorized_client', raw(400, { error: 'unauthorized_client' })],
  ['invalid_request', raw(400, { error: 'invalid_request' })],
  ['403 access_denied', raw(403, { error: 'access_denied' })],
  ['200 bad_refresh_token', raw(200, { error: 'bad_refresh_token' })],
  ['an error as a form', raw(200, 'error=bad_refresh_token', 'application/x-www-form-urlencoded')],
  ['400 in HTML', raw(400, '<h1>Bad Request</h1>', 'text/html')],
  ['401 without a body', raw(401, '', 'text/plain')],
  ['an error that is an object', raw(400, { error: { code: 190, message: 'expired' } })],
];

/** Answers after which the account stays connected. */
const OUTAGES: [string, RefreshAnswer][] = [
  ['500', raw(500, 'oops', 'text/plain')],
  ['503 with an error of OAuth', raw(503, { error: 'invalid_grant' })],
  ['429', raw(429, { error: 'slow_down' })],
  ['408', raw(408, '')],
  ['no answer', { kind: 'closed' }],
  ['a page of a proxy', raw(200, '<html>', 'text/html')],
  ['404', raw(404, 'nothing', 'text/plain')],
];

async function connected(auth: Auth, kind = { stream: false, sessions: true }) {
  const servers = await wildServers(kind);
  const app = wildApp(servers, auth);
  const client = await wildClient(servers, app);
  expect(await client.call()).toEqual(said('did say'));
  client.cards.length = 0;
  return { ...servers, ...client, app, servers };
}

describe('a live session whose account is lost', () => {
  describe.each(KINDS)('of a server with %j', (kind) => {
    it.each(AUTHS)('shows Connect and continues when the token expires (%s)', async (auth) => {
      const { call, cards, expire, oauth } = await connected(auth, kind);
      expire();
      oauth.script.push(raw(400, { error: 'invalid_grant' }));
      expect(await call()).toEqual(said('did say'));
      expect(cards).toMatchObject([{ kind: 'connect', host: new URL(oauth.url).host }]);
    });

    it.each(AUTHS)('shows Connect and continues when the server refuses the token (%s)', async (auth) => {
      const { call, kinds, oauth } = await connected(auth, kind);
      oauth.access.clear();
      oauth.script.push(raw(400, { error: 'invalid_grant' }));
      expect(await call()).toEqual(said('did say'));
      expect(kinds()).toEqual(['connect']);
    });

    it.each(AUTHS)('returns the result of a call that the server accepted before (%s)', async (auth) => {
      const { call, kinds, expire, oauth, mcp } = await connected(auth, kind);
      const held = call('held');
      await expect.poll(() => mcp.held.length).toBe(1);
      expire();
      oauth.script.push(raw(400, { error: 'invalid_grant' }));
      expect(await call()).toEqual(said('did say'));
      expect(kinds()).toEqual(['connect']);
      mcp.held[0]?.();
      expect(await held).toEqual(said('did held'));
    });
  });

  it.each(REFUSALS)(
    'shows Connect after %s, and lists the account as not connected',
    async (_name, answer) => {
      const { accounts, app, call, setAnswer, cards, expire, oauth, told } = await connected('declared');
      expire();
      oauth.script.push(answer);
      setAnswer(() => ({ accepted: false }));
      await expect(call()).rejects.toEqual(refused('declined'));
      expect(cards).toMatchObject([{ kind: 'connect' }]);
      expect(cards[0]).not.toHaveProperty('outage');
      expect(await accounts.list(app)).toMatchObject([{ connected: false }]);
      expect(told.filter(({ type }) => type === 'account-dropped')).toHaveLength(1);
    },
  );

  it.each(OUTAGES)('keeps the account after %s, and offers a retry and a sign-in', async (_name, answer) => {
    const { accounts, app, call, setAnswer, cards, expire, oauth } = await connected('declared');
    expire();
    oauth.script.push(answer, answer, answer);
    setAnswer(() => ({ accepted: false }));
    await expect(call()).rejects.toEqual(refused('token-unavailable'));
    expect(await accounts.list(app)).toMatchObject([{ connected: true }]);
    // The retry fails, and the user signs in.
    const answers = [{ accepted: true, choice: 'retry' } as const, { accepted: true } as const];
    setAnswer(() => answers.shift() ?? { accepted: false });
    expect(await call()).toEqual(said('did say'));
    expect(cards.map((card) => 'outage' in card)).toEqual([true, true, true]);
    expect(oauth.requests.filter(({ path }) => path === '/authorize')).toHaveLength(2);
  });

  it('continues when a retry succeeds', async () => {
    const { call, setAnswer, kinds, expire, oauth } = await connected('declared');
    expire();
    oauth.script.push(raw(503, ''));
    setAnswer(() => ({ accepted: true, choice: 'retry' }));
    expect(await call()).toEqual(said('did say'));
    expect(kinds()).toEqual(['connect']);
    expect(oauth.requests.filter(({ path }) => path === '/authorize')).toHaveLength(1);
  });

  it('fails when a retry is chosen on every card, instead of showing cards for ever', async () => {
    const { call, setAnswer, cards, expire, oauth } = await connected('declared');
    expire();
    oauth.script.push(...Array.from({ length: 100 }, () => raw(503, '')));
    setAnswer(() => ({ accepted: true, choice: 'retry' }));
    await expect(call()).rejects.toEqual(refused('token-unavailable'));
    expect(cards.length).toBeLessThan(20);
  });
});

it('registers a new client when the server no longer knows the old one, with one Connect card', async () => {
  const { call, kinds, expire, oauth } = await connected('mcp');
  expire();
  oauth.clients.clear();
  expect(await call()).toEqual(said('did say'));
  expect(kinds()).toEqual(['connect']);
  expect(oauth.requests.filter(({ path }) => path === '/register')).toHaveLength(2);
});

describe('the order of cards', () => {
  it('is Connect, approval, and then the call', async () => {
    const servers = await wildServers();
    const { call, kinds, cards } = await wildClient(servers, wildApp(servers, 'declared'));
    expect(await call('sure')).toEqual(said('did sure'));
    expect(kinds()).toEqual(['connect', 'approval']);
    expect(await call('sure')).toEqual(said('did sure'));
    expect(cards).toHaveLength(3);
  });

  it('has no approval after a declined Connect card', async () => {
    const servers = await wildServers();
    const app = wildApp(servers, 'declared');
    const { call, kinds } = await wildClient(servers, app, { answer: () => ({ accepted: false }) });
    await expect(call('sure')).rejects.toEqual(refused('declined'));
    expect(kinds()).toEqual(['connect']);
    expect(servers.mcp.calls).toEqual([]);
  });
});

describe('two processes on one folder', () => {
  it('show Connect in the second when the first has lost the account, and both continue', async () => {
    const first = await connected('declared');
    const second = await wildClient(first.servers, first.app, { folder: first.folder });
    expect(await second.call()).toEqual(said('did say'));
    for (const { expire } of [first, second]) expire();
    first.oauth.script.push(raw(401, ''));
    first.setAnswer(() => ({ accepted: false }));
    await expect(first.call()).rejects.toEqual(refused('declined'));
    expect(await second.call()).toEqual(said('did say'));
    expect(second.kinds()).toEqual(['connect']);
    expect(await first.call()).toEqual(said('did say'));
    expect(first.kinds()).toEqual(['connect']);
  });
});

it('closing an app ends all of its work, also after some of it has ended', async () => {
  const admission = createAdmission(realSystem);
  const until = (signal: AbortSignal) =>
    new Promise((_, reject) => (signal.onabort = () => reject(signal.reason)));
  const running = admission.run({ appId: 'one', project: 'a' }, undefined, until);
  const other = admission.run({ appId: 'one', project: 'b' }, undefined, until);
  await admission.run({ appId: 'one', project: 'a' }, undefined, async () => undefined);
  admission.close('one', new RuntimeError('yanked'), 'a');
  await expect(running).rejects.toEqual(refused('yanked'));
  admission.stop(new RuntimeError('switched-off'));
  await expect(other).rejects.toEqual(refused('switched-off'));
});

it.each<[object, string | undefined, boolean | undefined]>([
  [{ type: 'app-yanked' }, 'yanked', undefined],
  [{ type: 'app-switched', on: false, project: null }, 'switched-off', undefined],
  [{ type: 'app-switched', on: true, project: null }, undefined, undefined],
  [{ type: 'app-removed' }, 'not-installed', undefined],
  [{ type: 'app-updated' }, 'switched-off', undefined],
  [{ type: 'account-disconnected', accountId: 'a' }, undefined, false],
  [{ type: 'account-dropped', accountId: 'a' }, undefined, true],
  [{ type: 'call-ended' }, undefined, undefined],
])('%j ends the calls of its app, or the sessions of its account', (event, code, retire) => {
  const ended = endedBy({ ...event, appId: 'one' } as RuntimeEvent);
  expect(ended === null).toBe(code === undefined && retire === undefined);
  if (!ended) return;
  expect(ended.appId).toBe('one');
  expect('reason' in ended ? ended.reason.code : undefined).toBe(code);
  expect('retire' in ended ? ended.retire : undefined).toBe(retire);
});

describe('the seventeenth call of an app at once', () => {
  /** An app with sixteen calls that run; `next` ends one of them. */
  function busy(system = realSystem) {
    const admission = createAdmission(system);
    const ends: (() => void)[] = [];
    const order: number[] = [];
    const run = (number: number, given: { signal?: AbortSignal; ms?: number } = {}) =>
      admission.run({ appId: 'one', project: 'p', ms: given.ms }, given.signal, async () => {
        order.push(number);
        await new Promise<void>((resolve) => ends.push(resolve));
      });
    const running = Array.from({ length: 16 }, (_, at) => run(at));
    return {
      admission,
      run,
      running,
      order,
      next: () => ends.shift()?.(),
      finish: () => ends.splice(0).map((end) => end()),
    };
  }

  it('waits for its turn, in the order of the calls, and another app does not', async () => {
    const { admission, run, order, next, finish, running } = busy();
    const [later, last] = [run(16), run(17)];
    expect(await admission.run({ appId: 'two', project: 'p' }, undefined, async () => 'at once')).toBe(
      'at once',
    );
    expect(order).toHaveLength(16);
    next();
    await expect.poll(() => order.slice(16)).toEqual([16]);
    next();
    await expect.poll(() => order.slice(16)).toEqual([16, 17]);
    finish();
    await Promise.all([...running, later, last]);
  });

  it('is cancelled by its caller, or by the end of its app, and takes no turn', async () => {
    const { admission, run, order, next } = busy();
    const caller = new AbortController();
    const [gone, closed] = [run(16, { signal: caller.signal }), run(17)];
    caller.abort('gone');
    await expect(gone).rejects.toBe('gone');
    next();
    await expect.poll(() => order.slice(16)).toEqual([17]);
    const waiting = run(18);
    admission.close('one', new RuntimeError('yanked'));
    await expect(waiting).rejects.toEqual(refused('yanked'));
    closed.catch(() => undefined);
    expect(order.slice(16)).toEqual([17]);
  });

  it('passes its turn on when its caller goes at that moment', async () => {
    const { run, order, next } = busy();
    const caller = new AbortController();
    const [gone, after] = [run(16, { signal: caller.signal }), run(17)];
    next();
    // The turn of 16 was given, and nothing of it has run.
    setImmediate(() => undefined);
    caller.abort('gone');
    await gone.catch(() => undefined);
    next();
    await expect.poll(() => order.slice(16)).toContain(17);
    after.catch(() => undefined);
  });

  it('is refused after its own time, and where sixty-four wait', async () => {
    const { run, finish, running, order } = busy();
    const late = await run(16, { ms: 5 }).catch((error: unknown) => error);
    expect(late).toMatchObject({ code: 'too-many', message: expect.stringContaining('Nothing was sent') });
    const waiting = Array.from({ length: 64 }, (_, at) => run(17 + at));
    await expect(run(99)).rejects.toEqual(refused('too-many'));
    while (order.length < 80) {
      finish();
      await new Promise((resolve) => setImmediate(resolve));
    }
    finish();
    await Promise.all([...running, ...waiting]);
  });
});
