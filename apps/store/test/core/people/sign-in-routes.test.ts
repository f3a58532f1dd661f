import { DEEP } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { createUnitOfWork } from '../../../src/adapters/database/stores.ts';
import { countAttempt, PASSWORDS } from '../../../src/core/people/tries.ts';
import { ANNA, browserAt, signInAt, signUpAt, type TestBrowser } from '../../support/browser.ts';
import { contentsOf, openDatabase } from '../../support/database.ts';
import { ADMIN_TOKEN, bodyOf, jsonOf, openTestStore } from '../../support/test-store.ts';

const MINUTE = 60_000;

describe('signing in with a password', () => {
  it('redirects to the account with a new session cookie', async () => {
    const store = await openTestStore();
    await signUpAt(store);
    const { browser, answer } = await signInAt(store, { ...ANNA, email: ' Anna@Example.COM ' });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/account']);
    expect(answer.headers.get('set-cookie')).toMatch(
      /^__Host-svc-session=[\w-]{43}; Max-Age=7776000; Path=\/; HttpOnly; Secure; SameSite=Lax/,
    );
    const me = await bodyOf(browser.send('GET', '/api/people/me'));
    expect(me).toMatchObject({ httpStatus: 200, name: 'Anna Ash', email: ANNA.email, emailVerified: false });
  });

  it('redirects to the requested page, and never to another site', async () => {
    const store = await openTestStore();
    await signUpAt(store);
    const wanted = await store.call('GET', '/account?tab=1');
    expect([wanted.status, wanted.headers.get('location')]).toEqual([
      303,
      '/sign-in?next=%2Faccount%3Ftab%3D1',
    ]);
    const { answer } = await signInAt(store, ANNA, '/account?tab=1');
    expect(answer.headers.get('location')).toBe('/account?tab=1');
    const astray = await signInAt(store, ANNA, '//evil.example/');
    expect(astray.answer.headers.get('location')).toBe('/account');
  });

  it('shows the same error for a wrong password, an unknown address and a user without a password', async () => {
    const store = await openTestStore();
    await signUpAt(store);
    await store.signedIn('ben');
    const faults = await Promise.all(
      [
        { ...ANNA, password: 'not the right one' },
        { ...ANNA, email: 'nobody@example.com' },
        { ...ANNA, email: 'ben@example.com' },
      ].map(async (typed) => {
        const { browser, answer } = await signInAt(store, typed);
        expect(browser.session()).toBeUndefined();
        const text = await answer.text();
        expect(text).toContain(`value="${typed.email}"`);
        return [answer.status, /role="alert">([^<]+)</.exec(text)?.[1]];
      }),
    );
    expect(new Set(faults.map(String))).toEqual(
      new Set(['403,The email address or the password is wrong. Check both and try again.']),
    );
  });

  it('reveals a suspension only after the right password', async () => {
    const store = await openTestStore();
    await signUpAt(store);
    const { people } = await jsonOf<{ people: { id: string }[] }>(store.admin('GET', '/api/admin/people'));
    await store.admin('PATCH', `/api/admin/people/${people[0]?.id}`, { suspended: true });
    const wrong = await signInAt(store, { ...ANNA, password: 'not the right one' });
    expect(await wrong.answer.text()).not.toContain('suspended');
    const right = await signInAt(store);
    expect([right.answer.status, right.browser.session()]).toEqual([403, undefined]);
    expect(await right.answer.text()).toContain('suspended');
  });

  it('is limited to ten wrong passwords per account and network in 15 minutes, also with concurrent requests', async () => {
    const store = await openTestStore();
    await signUpAt(store);
    const guess = (i: number) => signInAt(store, { ...ANNA, password: `guess number ${i}` });
    const guesses = await Promise.all(Array.from({ length: 14 }, (_, i) => guess(i)));
    expect(guesses.map(({ answer }) => answer.status).sort()).toEqual([
      ...Array<number>(10).fill(403),
      ...Array<number>(4).fill(429),
    ]);
    // The right password does not help an attacker in an unknown browser.
    const { answer } = await signInAt(store);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '900']);
    store.advance(15 * MINUTE + 1);
    expect((await signInAt(store)).answer.status).toBe(303);
  });

  it('counts no right password: an account signs in as often as it likes', async () => {
    const store = await openTestStore();
    await signUpAt(store);
    for (let i = 0; i < 12; i += 1) expect((await signInAt(store)).answer.status).toBe(303);
  });

  it('does not lock out others of the same network, nor a browser that the account has used before', async () => {
    const store = await openTestStore();
    const known = await signUpAt(store);
    await signUpAt(store, { ...ANNA, email: 'ben@example.com' });
    await known.open('/api/people/me');
    await known.submit('/sign-out', {});
    for (let i = 0; i < 11; i += 1) await signInAt(store, { ...ANNA, password: `guess number ${i}` });
    expect((await signInAt(store)).answer.status).toBe(429);
    expect((await signInAt(store, { ...ANNA, email: 'ben@example.com' })).answer.status).toBe(303);
    await known.open('/sign-in');
    const { name: _name, ...typed } = ANNA;
    expect((await known.submit('/sign-in', typed)).status).toBe(303);
  });

  it('is limited to ten wrong passwords in a known browser too, and its cookie is valid for its account only', async () => {
    const store = await openTestStore();
    const known = await signUpAt(store);
    await signUpAt(store, { ...ANNA, email: 'ben@example.com' });
    await known.open('/api/people/me');
    await known.submit('/sign-out', {});
    await known.open('/sign-in');
    const guess = (email: string, i: number) => known.submit('/sign-in', { email, password: `guess ${i}` });
    const statuses = async (email: string) => {
      const all: number[] = [];
      for (let i = 0; i < 11; i += 1) all.push((await guess(email, i)).status);
      return all.at(-1);
    };
    expect(await statuses(ANNA.email)).toBe(429);
    expect(await statuses('ben@example.com')).toBe(429);
    // As an unknown browser for ben, it has used up the tries of its network.
    expect((await signInAt(store, { ...ANNA, email: 'ben@example.com' })).answer.status).toBe(429);
  });

  it('is limited to a hundred wrong passwords of an account in all unknown browsers, from any network', async () => {
    const attempt = (n: number) => ({ account: ANNA.email, address: `203.0.113.${n % 250}`, browser: null });
    const unitOfWork = createUnitOfWork(await openDatabase());
    const deps = { unitOfWork, clock: () => new Date() };
    for (let n = 0; n < 100; n += 1) await countAttempt(deps, PASSWORDS, attempt(n));
    await expect(countAttempt(deps, PASSWORDS, attempt(101))).rejects.toMatchObject({ code: 'rate_limited' });
    await expect(countAttempt(deps, PASSWORDS, { ...attempt(102), browser: 'known' })).resolves.toBeDefined();
  });

  it('shows a signed-in user a link to continue instead of the form', async () => {
    const store = await openTestStore();
    const browser = await signUpAt(store);
    const page = await (await browser.open('/sign-in?next=%2Fdevice%3Fcode%3DX')).text();
    expect(page).toContain('You are signed in as <bdi>');
    expect(page).toContain('href="/device?code=X">Continue</a>');
    expect(page).not.toContain('type="password"');
    const evil = await (await browser.open('/sign-in?next=%2F%2Fevil.example')).text();
    expect(evil).toContain('href="/account">Go to your account</a>');
    expect((await browser.submit('/sign-out', {})).headers.get('location')).toBe('/sign-in');
  });

  it('always begins a new session, and ends the previous one (session fixation)', async () => {
    const store = await openTestStore();
    await signUpAt(store);
    const planted = 'A'.repeat(43);
    const { name: _name, ...typed } = ANNA;
    const victim = browserAt(store);
    victim.cookies.set('__Host-svc-session', planted);
    await victim.open('/sign-in');
    expect((await victim.submit('/sign-in', typed)).status).toBe(303);
    const first = victim.session() as string;
    expect(first).not.toBe(planted);
    await victim.open('/sign-in');
    await victim.submit('/sign-in', typed);
    expect(victim.session()).not.toBe(first);
    const thief = browserAt(store);
    for (const old of [planted, first]) {
      thief.cookies.set('__Host-svc-session', old);
      expect((await thief.send('GET', '/api/people/me')).status).toBe(401);
    }
  });

  it('leaves no password and no session token in the database, the log or the response', async () => {
    const store = await openTestStore();
    await signUpAt(store);
    const { browser } = await signInAt(store);
    const wrong = await signInAt(store, { ...ANNA, password: 'a wrong but secret one' });
    const told = (await wrong.answer.text()) + store.lines.join('\n');
    const held = await contentsOf(store.folder);
    expect(held).toContain('$argon2id$');
    for (const secret of [ANNA.password, 'a wrong but secret one', browser.session() as string]) {
      expect(held).not.toContain(secret);
      expect(told).not.toContain(secret);
    }
    expect(store.lines.join('\n')).not.toContain('argon2id');
  });

  it('does not accept the stored hash or id of a session as its cookie', async () => {
    const store = await openTestStore();
    const { personId } = await store.signedIn('anna');
    const [held] = await store.stores.sessions.of(personId, '2026-03-01T00:00:00.000Z');
    const thief = browserAt(store);
    for (const stolen of [held?.hash, held?.id]) {
      thief.cookies.set('__Host-svc-session', String(stolen));
      expect((await thief.send('GET', '/api/people/me')).status).toBe(401);
    }
  });

  it('after a sign-up is recorded in the audit log, with the user as actor', async () => {
    const store = await openTestStore();
    await signUpAt(store);
    const { entries } = await jsonOf<{ entries: { action: string; actor: string }[] }>(
      store.call('GET', '/api/admin/audit', { token: ADMIN_TOKEN }),
    );
    expect(entries.map(({ action }) => action)).toEqual(['session.begin', 'person.create']);
    expect(new Set(entries.map(({ actor }) => actor)).size).toBe(1);
    expect(entries[0]?.actor).toMatch(/^person:/);
  });
});

/** Runs work for each item, as many at a time as queues. @returns the milliseconds of each */
async function timed<T>(
  items: readonly T[],
  queues: number,
  work: (item: T) => Promise<void>,
): Promise<number[]> {
  const [left, times]: [T[], number[]] = [[...items], []];
  const queue = async () => {
    for (let item = left.pop(); item !== undefined; item = left.pop()) {
      const began = performance.now();
      await work(item);
      times.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: queues }, queue));
  return times.toSorted((a, b) => a - b);
}

describe('3,000 people behind one address, beside an attacker there', () => {
  it('sign in as fast as without the attacker, in browsers that they have used before', {
    ...DEEP,
    timeout: 900_000,
  }, async () => {
    const store = await openTestStore();
    await signUpAt(store);
    const anna = await store.stores.people.findByEmail(ANNA.email);
    const hash = (await store.stores.passwords.find(anna?.id ?? '')) ?? '';
    const emails = Array.from({ length: 3_000 }, (_, n) => `colleague-${n}@example.com`);
    for (const email of emails) {
      const person = {
        id: email,
        name: email,
        email,
        emailVerified: true,
        role: 'person',
        suspended: false,
      } as const;
      await store.stores.people.add({ ...person, createdAt: store.clock().toISOString() });
      await store.stores.passwords.set(email, hash, store.clock().toISOString());
    }
    const browsers: [string, TestBrowser][] = [];
    const alone = await timed(emails, 4, async (email) => {
      const { browser, answer } = await signInAt(store, { email, password: ANNA.password });
      expect(answer.status).toBe(303);
      browser.cookies.delete('__Host-svc-session');
      browsers.push([email, browser]);
    });
    let guesses = 0;
    let isOver = false;
    const attack = Array.from({ length: 100 }, async () => {
      while (!isOver) {
        guesses += 1;
        await signInAt(store, { email: `victim-${guesses}@example.com`, password: 'a guess of twelve' });
      }
    });
    const times = await timed(browsers, 4, async ([email, browser]) => {
      await browser.open('/sign-in');
      expect((await browser.submit('/sign-in', { email, password: ANNA.password })).status).toBe(303);
    });
    isOver = true;
    await Promise.all(attack);
    const at = (all: number[], part: number) => Math.round(all[Math.ceil(part * all.length) - 1] ?? 0);
    process.stdout.write(
      `sign-ins: median ${at(alone, 0.5)} ms alone, ${at(times, 0.5)} ms beside ${guesses} guesses, p99 ${at(alone, 0.99)} and ${at(times, 0.99)} ms\n`,
    );
    expect(at(times, 0.5)).toBeLessThan(3 * at(alone, 0.5));
    expect(at(times, 0.99)).toBeLessThan(10 * at(alone, 0.99));
  });
});
