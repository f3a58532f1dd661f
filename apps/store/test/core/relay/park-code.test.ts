import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { BOTH_DATABASES, DEEP, readInterop } from '@svc/testkit';
import { eventually } from '@svc/testkit/eventually';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listen } from '../../../src/composition/serve.ts';
import { MAX_ENTRIES } from '../../../src/core/relay/capacity.ts';
import { type CollectDeps, collectCode, parkCode } from '../../../src/core/relay/park-code.ts';
import type { RelayStore } from '../../../src/core/relay/relay-store.ts';
import { digitsOf as digitsOfHash } from '../../../src/core/relay/routes.ts';
import { hashSecret, sealEntry } from '../../../src/platform/secret.ts';
import { BASE_URL, openTestStore, type TestStore, twinOf } from '../../support/test-store.ts';

/**
 * A relay in memory that counts like the database, which would be too slow for a million entries, and whose transactions follow each other.
 * @param others how many entries of other networks it has
 */
function countingRelay(others = 0) {
  let all = others;
  const byNetwork = new Map<string, number>();
  let transactions = 0;
  let last: Promise<unknown> = Promise.resolve();
  const relay: Pick<RelayStore, 'park' | 'countIn' | 'purgeExpired'> = {
    async park({ network }) {
      all += 1;
      byNetwork.set(network, (byNetwork.get(network) ?? 0) + 1);
    },
    countIn: async (network) => ({ all, here: byNetwork.get(network) ?? 0 }),
    purgeExpired: async () => {},
  };
  const deps = {
    relay,
    unitOfWork<T>(work: (stores: { relay: typeof relay }) => Promise<T>) {
      transactions += 1;
      const next = last.catch(() => undefined).then(() => work({ relay }));
      last = next;
      return next;
    },
    clock: () => new Date('2026-03-01T12:00:00.000Z'),
    random: randomBytes,
  };
  const park = (address: string) =>
    parkCode(deps, { state: 'a'.repeat(22), code: 'c' }, { address, ticket: 't' });
  return { park, count: () => all, transactions: () => transactions };
}

const refused = (work: Promise<void>) =>
  work.then(
    () => false,
    () => true,
  );

describe('a flood', () => {
  it('from one address gets 200 entries, blocks no writers, and does not affect other addresses', async () => {
    const { park, count, transactions } = countingRelay();
    let refusals = 0;
    for (let n = 0; n < 10_000; n += 1) if (await refused(park('192.0.2.1'))) refusals += 1;
    expect([count(), refusals, transactions()]).toEqual([200, 9_800, 200]);
    await expect(park('192.0.2.1')).rejects.toMatchObject({
      code: 'rate_limited',
      extras: { retryAfter: 60 },
    });
    await park('198.51.100.7');
  });

  it('of requests at the same time gets 200 entries too', async () => {
    const { park, count } = countingRelay();
    await Promise.all(Array.from({ length: 300 }, () => refused(park('192.0.2.1'))));
    expect(count()).toBe(200);
  });

  it('from a /48 network of IPv6 counts as one address', async () => {
    const { park, count } = countingRelay();
    for (let n = 0; n < 1_000; n += 1) await refused(park(`2001:db8:7:${n.toString(16)}::1`));
    expect(count()).toBe(200);
    await park('2001:db8:8::1');
  });

  it('of 200,000 states from 500 addresses leaves room for others', DEEP, async () => {
    const { park, count } = countingRelay();
    for (let n = 0; n < 200_000; n += 1) await refused(park(`10.0.${n % 4}.${n % 250}`));
    expect(count()).toBeLessThan(MAX_ENTRIES);
    await park('198.51.100.7');
  });

  it('that fills the relay makes it answer Unavailable with retryAfter', async () => {
    const { park } = countingRelay(MAX_ENTRIES - 1);
    await park('198.51.100.7');
    await expect(park('203.0.113.77')).rejects.toMatchObject({ name: 'Unavailable', retryAfter: 30 });
  });
});

/** Addresses for documentation (RFC 5737, RFC 3849). */
const [HOME, ELSEWHERE] = ['192.0.2.1', '203.0.113.9'];

const newState = (): string => randomBytes(16).toString('base64url');

/** The digits of a state, as docs/relay.md defines them. */
const digitsOf = (state: string): string =>
  String(createHash('sha256').update(state).digest().readUInt32BE(0) % 1000).padStart(3, '0');
const wrongDigitsOf = (state: string): string =>
  String((Number(digitsOf(state)) + 1) % 1000).padStart(3, '0');

/** A store behind a proxy on this machine, and what programs and browsers at any address do. */
async function behindProxy(environment: Record<string, string> = {}, present?: TestStore) {
  const store =
    present ?? (await openTestStore({ environment: { SVC_TRUSTED_PROXIES: '127.0.0.1', ...environment } }));
  const server = await listen(store, 0, '127.0.0.1');
  onTestFinished(() => server.close());
  const send = (address: string, path: string, init: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${server.port}${path}`, {
      ...init,
      headers: { ...(init.headers as Record<string, string>), 'x-forwarded-for': address },
    });
  const poll = async (address: string, state: string, headers: Record<string, string> = {}, more = '') =>
    (await send(address, `/api/apps/oauth/result?state=${state}${more}`, { headers })).json();
  /** A browser that comes back from a sign-in server, and types into the page that it gets. */
  function browser(address: string) {
    let cookie = '';
    let page = '';
    const field = (name: string) => new RegExp(`name="${name}" value="([^"]+)"`).exec(page)?.[1] ?? '';
    return {
      async comeBack(state: string, query = 'code=parked-c0de') {
        const answer = await send(address, `/apps/oauth/callback?state=${state}&${query}`, {
          headers: { cookie },
        });
        cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? cookie;
        page = await answer.text();
        return page;
      },
      ticket: () => field('ticket'),
      async type(digits: string, forged: { ticket?: string; csrf?: string; origin?: string } = {}) {
        const { ticket = field('ticket'), csrf = field('csrf'), origin = BASE_URL } = forged;
        const answer = await send(address, '/apps/oauth/digits', {
          method: 'POST',
          headers: { cookie, origin, 'content-type': 'application/x-www-form-urlencoded' },
          body: String(new URLSearchParams({ csrf, ticket, digits })),
        });
        return answer.text();
      },
    };
  }
  /** A client that sends a request, and has given up before the store reads it. */
  const giveUp = async (address: string, state: string) => {
    const socket = connect(server.port, '127.0.0.1');
    await once(socket, 'connect');
    const lines = ['Host: store.example', `X-Forwarded-For: ${address}`, '', ''];
    socket.write([`GET /api/apps/oauth/result?state=${state} HTTP/1.1`, ...lines].join('\r\n'));
    socket.destroy();
    await eventually(() => expect(store.lines.join('\n')).toContain('/api/apps/oauth/result'));
  };
  return { store, send, poll, browser, giveUp };
}

it('digits are those of the interop vectors', () => {
  const vectors = readInterop('relay', 'digits.json') as { state: string; digits: string }[];
  for (const { state, digits } of vectors) {
    expect(digitsOf(state)).toBe(digits);
    expect(digitsOfHash(hashSecret(state))).toBe(digits);
  }
});

const pending = { pending: true };
const STATE = newState();

/** What a client gets from a relay of which only the given part is called. */
function collectWith(part: Partial<RelayStore>) {
  const relay = part as RelayStore;
  const clock = () => new Date('2026-03-01T12:00:00.000Z');
  const deps = {
    clock,
    relay,
    unitOfWork: (work) => work({ relay }),
    relayBinding: 'address',
  } satisfies CollectDeps;
  return collectCode(deps, { state: STATE }, { address: HOME, hasLeft: async () => false });
}

const ASKS = '<title>Confirm this sign-in';
const CONFIRMED = '<title>Confirmed';
const ENDED = '<title>This sign-in has ended';
const CLOSE = 'You can close this tab';

describe('a code', () => {
  it(
    'reaches a client at the address of the browser at once, with nothing to type',
    BOTH_DATABASES,
    async () => {
      const { poll, browser } = await behindProxy();
      const state = newState();
      expect(await poll(HOME, state)).toEqual(pending);
      expect(await browser(HOME).comeBack(state)).toContain(CLOSE);
      expect(await poll(HOME, state)).toEqual({ code: 'parked-c0de' });
      expect(await poll(HOME, state)).toEqual(pending);
    },
  );

  it('of a victim never reaches the attacker who started the sign-in elsewhere', BOTH_DATABASES, async () => {
    const { poll, browser } = await behindProxy();
    const state = newState();
    expect(await poll(ELSEWHERE, state)).toEqual(pending);
    const victim = browser(HOME);
    const page = await victim.comeBack(state);
    expect(page).toContain(ASKS);
    expect(page).toContain(ELSEWHERE);
    expect(page).not.toContain(state);
    expect(page).not.toContain('parked-c0de');
    for (let n = 0; n < 20; n += 1) expect(await poll(ELSEWHERE, state)).toEqual(pending);
    // The attacker knows the digits, but has another browser: neither its page nor that of the victim helps.
    const attacker = browser('198.51.100.7');
    await attacker.comeBack(state, 'code=own');
    expect(await attacker.type(digitsOf(state))).toContain(ENDED);
    expect(await poll(ELSEWHERE, state)).toEqual(pending);
    // Its own page, sent by the browser of the victim: no CSRF token, a foreign origin, a ticket of another browser.
    expect(await victim.type(digitsOf(state), { csrf: 'none' })).toContain('did not come from a page');
    expect(await victim.type(digitsOf(state), { origin: 'https://evil.example' })).toContain('did not come');
    expect(await victim.type(digitsOf(state), { origin: 'null' })).toContain('did not come');
    expect(await victim.type(digitsOf(state), { ticket: attacker.ticket() })).toContain(ENDED);
    expect(await poll(ELSEWHERE, state)).toEqual(pending);
  });

  it('reaches a client elsewhere once the user typed its digits, once', BOTH_DATABASES, async () => {
    const { poll, browser } = await behindProxy();
    const state = newState();
    await poll(ELSEWHERE, state);
    const phone = browser(HOME);
    expect(await phone.comeBack(state)).not.toMatch(/These are not the digits|aria-invalid|addresses wait/);
    const again = await phone.type(wrongDigitsOf(state));
    expect(again).toMatch(/aria-invalid="true".*These are not the digits/s);
    expect(again).not.toContain('Your address');
    expect(await poll(ELSEWHERE, state)).toEqual(pending);
    expect(await phone.type(` ${digitsOf(state)} `)).toContain(CONFIRMED);
    for (let n = 0; n < 3; n += 1) expect(await phone.type(wrongDigitsOf(state))).toContain(ENDED);
    expect(await poll(ELSEWHERE, state)).toEqual({ code: 'parked-c0de' });
    expect(await poll(ELSEWHERE, state)).toEqual(pending);
    expect(await phone.type(digitsOf(state))).toContain(ENDED);
  });

  it('survives a reload of the page that asks', async () => {
    const { poll, browser } = await behindProxy();
    const state = newState();
    await poll(ELSEWHERE, state);
    const phone = browser(HOME);
    const first = await phone.comeBack(state);
    expect(await phone.comeBack(state)).toBe(first);
    expect(await phone.type(digitsOf(state))).toContain(CONFIRMED);
    expect(await poll(ELSEWHERE, state)).toEqual({ code: 'parked-c0de' });
  });

  it('is gone after three wrong tries, also for the right digits', BOTH_DATABASES, async () => {
    const { poll, browser } = await behindProxy();
    const state = newState();
    const phone = browser(HOME);
    await phone.comeBack(state);
    expect(await phone.type(wrongDigitsOf(state))).toContain('These are not the digits');
    expect(await phone.type('')).toMatch(/These are not the digits/);
    expect(await phone.type('x'.repeat(20))).toContain(ENDED);
    expect(await phone.type(digitsOf(state))).toContain(ENDED);
    expect(await poll(ELSEWHERE, state)).toEqual(pending);
    expect(await poll(HOME, state)).toEqual(pending);
  });

  it('allows a thousand guesses at once no more than three tries', BOTH_DATABASES, async () => {
    const { store, poll, browser } = await behindProxy();
    const twin = await behindProxy({}, await twinOf(store));
    const state = newState();
    const phone = browser(HOME);
    await phone.comeBack(state);
    const wrong = Array.from({ length: 40 }, (_, n) => (Number(digitsOf(state)) + 1 + n) % 1000);
    const pages = await Promise.all(wrong.map((digits) => phone.type(String(digits).padStart(3, '0'))));
    expect(pages.filter((page) => page.includes('These are not the digits'))).toHaveLength(2);
    expect(await phone.type(digitsOf(state))).toContain(ENDED);
    expect(await twin.poll(HOME, state)).toEqual(pending);
    expect(await poll(HOME, state)).toEqual(pending);
  });

  it('is read by one of the clients that a confirmation lets in', BOTH_DATABASES, async () => {
    const { store, poll, browser } = await behindProxy();
    const twin = await behindProxy({}, await twinOf(store));
    const state = newState();
    const phone = browser(HOME);
    await phone.comeBack(state);
    await Promise.all([phone.type(digitsOf(state)), phone.type(digitsOf(state))]);
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) => (n % 2 === 0 ? poll : twin.poll)(ELSEWHERE, state)),
    );
    expect(answers.filter((answer) => 'code' in (answer as object))).toEqual([{ code: 'parked-c0de' }]);
  });

  it('whose state two clients poll reaches the one at the address of the browser', async () => {
    const { poll, browser } = await behindProxy();
    const state = newState();
    await poll(ELSEWHERE, state);
    await poll(HOME, state);
    expect(await browser(HOME).comeBack(state)).toContain(CLOSE);
    expect(await poll(ELSEWHERE, state)).toEqual(pending);
    expect(await poll(HOME, state)).toEqual({ code: 'parked-c0de' });
  });

  it('waits for the next request of a client that has given up', async () => {
    const { poll, browser, giveUp } = await behindProxy();
    const state = newState();
    await browser(HOME).comeBack(state);
    await giveUp(HOME, state);
    expect(await poll(HOME, state)).toEqual({ code: 'parked-c0de' });
  });

  it('for which clients at two other addresses wait is shown as such', async () => {
    const { poll, browser } = await behindProxy();
    const state = newState();
    for (const address of [ELSEWHERE, '198.51.100.7', '198.51.100.8', '198.51.100.9', '198.51.100.10'])
      await poll(address, state);
    const page = await browser(HOME).comeBack(state);
    expect(page).toContain('Clients at 4 addresses wait');
    expect(page).not.toContain('198.51.100.10');
  });

  it('reaches a client of the same IPv6 /64, and no other', async () => {
    const { poll, browser } = await behindProxy();
    const [same, other] = [newState(), newState()];
    await poll('2001:db8:0:1::a', same);
    expect(await browser('2001:db8:0:1:ffff::b').comeBack(same)).toContain(CLOSE);
    expect(await poll('2001:db8:0:1::a', same)).toEqual({ code: 'parked-c0de' });
    await poll('2001:db8:0:2::a', other);
    expect(await browser('2001:db8:0:1::a').comeBack(other)).toContain('2001:db8:0:2::/64');
    expect(await poll('2001:db8:0:2::a', other)).toEqual(pending);
  });

  it('is on one machine where browser and client use different loopback families', async () => {
    const { poll, browser } = await behindProxy();
    const state = newState();
    await poll('127.0.0.1', state);
    expect(await browser('::1').comeBack(state)).toContain(CLOSE);
    expect(await poll('127.0.0.1', state)).toEqual({ code: 'parked-c0de' });
    const other = newState();
    await browser('127.0.0.2').comeBack(other);
    expect(await poll('127.0.0.1', other)).toEqual(pending);
  });

  it('is neither read nor claimed by a page in the browser of the victim', async () => {
    const { poll, browser } = await behindProxy();
    const state = newState();
    const crossSite = { 'sec-fetch-site': 'cross-site' };
    expect(await poll(HOME, state, crossSite)).toEqual(pending);
    await poll(ELSEWHERE, state);
    expect(await browser(HOME).comeBack(state)).toContain(ASKS);
    expect(await poll(HOME, state, crossSite)).toEqual(pending);
    expect(await poll(HOME, state)).toEqual({ code: 'parked-c0de' });
  });

  it('behind a proxy that hides addresses reaches every client: all have one address', async () => {
    const { poll, browser } = await behindProxy({ SVC_TRUSTED_PROXIES: '10.0.0.1' });
    const state = newState();
    await poll(ELSEWHERE, state);
    expect(await browser(HOME).comeBack(state)).toContain(CLOSE);
    expect(await poll(ELSEWHERE, state)).toEqual({ code: 'parked-c0de' });
  });
});

describe('SVC_RELAY_BINDING', () => {
  it('always: asks for digits also at one address', async () => {
    const { poll, browser } = await behindProxy({ SVC_RELAY_BINDING: 'always' });
    const state = newState();
    await poll(HOME, state);
    const own = browser(HOME);
    expect(await own.comeBack(state)).toContain(ASKS);
    expect(await poll(HOME, state)).toEqual(pending);
    await own.type(digitsOf(state));
    expect(await poll(HOME, state)).toEqual({ code: 'parked-c0de' });
  });

  it.each([
    ['always', ASKS],
    ['address', CLOSE],
  ])('%s: a browser whose address is unknown', async (binding, page) => {
    const { store } = await behindProxy({ SVC_RELAY_BINDING: binding });
    const answer = await store.call('GET', `/apps/oauth/callback?state=${newState()}&code=c`);
    expect(await answer.text()).toContain(page);
  });

  it('off: the state is enough', async () => {
    const { store, poll, browser } = await behindProxy({ SVC_RELAY_BINDING: 'off' });
    const state = newState();
    expect(await poll(ELSEWHERE, state)).toEqual(pending);
    // Nothing compares addresses, so none is recorded.
    expect(await store.stores.relay.countClients(ELSEWHERE, store.clock().toISOString())).toMatchObject({
      all: 0,
    });
    expect(await browser(HOME).comeBack(state)).toContain(CLOSE);
    expect(await poll(ELSEWHERE, state)).toEqual({ code: 'parked-c0de' });
  });

  it.each(['address', 'always', 'off'])(
    '%s: an error reaches every client, and asks for nothing',
    async (binding) => {
      const { poll, browser } = await behindProxy({ SVC_RELAY_BINDING: binding });
      const state = newState();
      expect(await browser(HOME).comeBack(state, 'error=access_denied')).toContain(CLOSE);
      expect(await poll(ELSEWHERE, state)).toEqual({ error: 'access_denied' });
    },
  );
});

describe('the page that asks', () => {
  it('names the app and its host, as the store lists it, and never what a client says', async () => {
    const { store, poll, browser } = await behindProxy();
    await store.publish(await store.publisherToken());
    await store.decide('approve', '1.0.0');
    const [listed, unknown] = [newState(), newState()];
    await poll(ELSEWHERE, listed, {}, '&app=com.example.notes');
    const page = await browser(HOME).comeBack(listed);
    expect(page).toMatch(/<dt>App<\/dt><dd>[^<]+, <code>[\w.-]+<\/code><\/dd>/);
    await poll(ELSEWHERE, unknown, {}, `&app=${encodeURIComponent('Your bank <b>')}`);
    expect(await browser(HOME).comeBack(unknown)).not.toMatch(/Your bank|<dt>App/);
  });

  it('names no app of a store that only members may read', async () => {
    const { store, poll, browser } = await behindProxy({ SVC_READ: 'members' });
    await store.publish(await store.publisherToken());
    await store.decide('approve', '1.0.0');
    const state = newState();
    await poll(ELSEWHERE, state, {}, '&app=com.example.notes');
    const page = await browser(HOME).comeBack(state);
    expect(page).toContain(ASKS);
    expect(page).not.toContain('<dt>App');
  });

  it('sends no script, no referrer with the state, and no frame', async () => {
    const { send } = await behindProxy();
    const answer = await send(HOME, `/apps/oauth/callback?state=${newState()}&code=c`);
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    expect(answer.headers.get('content-security-policy')).toMatch(
      /form-action 'self'.*frame-ancestors 'none'/,
    );
    expect(answer.headers.get('content-security-policy')).not.toContain('script-src');
    expect(await answer.text()).toContain('<meta name="referrer" content="strict-origin">');
  });
});

it.each<[string, number, { network: string; appId: null }[], number]>([
  ['as the last that there is room for', MAX_ENTRIES - 1, [], 1],
  ['but not beyond the limit', MAX_ENTRIES, [], 0],
  ['but not twice', 0, [{ network: HOME, appId: null }], 0],
  ['beside others of its state', 0, [{ network: ELSEWHERE, appId: null }], 1],
])('a waiting client is recorded %s, and waits all the same', async (_, all, waiting, recorded) => {
  let added = 0;
  const relay = {
    find: async () => null,
    clientsOf: async () => waiting,
    countClients: async () => ({ all, here: 0 }),
    purgeExpired: async () => undefined,
    async addClient() {
      added += 1;
    },
  };
  expect(await collectWith(relay)).toEqual(pending);
  expect(added).toBe(recorded);
});

it('a response that another request takes first is delivered once', async () => {
  const sealed = sealEntry(STATE, '{"code":"parked-c0de"}', randomBytes);
  const find = async () => ({ sealed, browser: null, isConfirmed: true });
  expect(await collectWith({ find, empty: async () => true })).toEqual({ code: 'parked-c0de' });
  expect(await collectWith({ find, empty: async () => false })).toEqual(pending);
});

it('waiting clients of one network are bounded, and wait all the same', async () => {
  const { store, poll, browser } = await behindProxy();
  const states = Array.from({ length: 210 }, newState);
  for (const state of states) expect(await poll(HOME, state)).toEqual(pending);
  const { here } = await store.stores.relay.countClients(HOME, store.clock().toISOString());
  expect(here).toBe(200);
  const last = states.at(-1) ?? '';
  expect(await browser(HOME).comeBack(last)).toContain(ASKS);
  expect(await poll(HOME, last)).toEqual({ code: 'parked-c0de' });
});
