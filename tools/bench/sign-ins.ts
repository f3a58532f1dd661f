import { randomUUID } from 'node:crypto';
import { apiRequest } from '@svc/contracts/client';
import type { Figure } from './lib/figure.ts';
import { automationAt, inTempFolder, whileStoreRuns } from './lib/processes.ts';

const PEOPLE = 3_000;
/** As many requests at a time as an HTTP/2 connection has. */
const ATTACKER = 100;
const HONEST = 4;
/** Accounts besides, at which an attacker guesses. */
const OTHERS = 300;
const PASSWORD = 'four words of a colleague';

const PAGE_CSRF = /(?:name="csrf" value=|"csrf":)"([^"]+)"/;

/** A browser: it keeps cookies, and submits forms of the pages that it opened. */
function browserAt(url: string) {
  const cookies = new Map<string, string>();
  let csrf = '';
  async function send(path: string, init: RequestInit = {}): Promise<Response> {
    const cookie = Array.from(cookies, (pair) => pair.join('=')).join('; ');
    const headers = { origin: 'http://localhost', cookie, ...init.headers };
    const answer = await fetch(url + path, { ...init, headers, redirect: 'manual' });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    return answer;
  }
  return {
    cookies,
    send,
    async open(path: string): Promise<void> {
      csrf = PAGE_CSRF.exec(await (await send(path)).text())?.[1] ?? '';
    },
    /** Sends JSON like a script of the page. */
    script: (path: string, json: object) => {
      const headers = { 'x-svc-csrf': csrf, 'content-type': 'application/json' };
      return send(path, { method: 'POST', headers, body: JSON.stringify(json) });
    },
    /** @returns the status of the answer */
    async submit(path: string, fields: Record<string, string>): Promise<number> {
      const answer = await send(path, { method: 'POST', body: new URLSearchParams({ csrf, ...fields }) });
      await answer.arrayBuffer();
      return answer.status;
    },
  };
}

type Browser = ReturnType<typeof browserAt>;

/** Does work for each person, as many at a time as lanes. @returns the milliseconds of each, sorted */
async function timed(lanes: number, work: (n: number) => Promise<void>, people = PEOPLE): Promise<number[]> {
  const times: number[] = [];
  let next = 0;
  const lane = async () => {
    for (let n = next++; n < people; n = next++) {
      const began = performance.now();
      await work(n);
      times.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return times.toSorted((a, b) => a - b);
}

const emailOf = (n: number): string => `colleague-${n}@example.com`;

/** Opens the page and signs in, with the right password, as one does. */
async function signIn(browser: Browser, n: number): Promise<void> {
  await browser.open('/sign-in');
  const status = await browser.submit('/sign-in', { email: emailOf(n), password: PASSWORD });
  if (status !== 303) throw new Error(`Signing in answered ${status}.`);
}

async function signUp(browser: Browser, n: number): Promise<void> {
  await browser.open('/sign-up');
  const person = { name: `Colleague ${n}`, email: emailOf(n), password: PASSWORD };
  const status = await browser.submit('/sign-up', person);
  if (status !== 303) throw new Error(`Signing up answered ${status}.`);
}

/** An attacker that guesses passwords until it is stopped, from the address of all others. */
function attack(url: string, emailOfGuess: () => string) {
  let [isOver, guesses] = [false, 0];
  const all = Array.from({ length: ATTACKER }, async () => {
    const browser = browserAt(url);
    await browser.open('/sign-in');
    for (; !isOver; guesses += 1)
      await browser.submit('/sign-in', { email: emailOfGuess(), password: 'a guess of many' });
  });
  return {
    /** @returns the guesses since the last call */
    take() {
      const taken = guesses;
      guesses = 0;
      return taken;
    },
    async stop() {
      isOver = true;
      await Promise.all(all);
    },
  };
}

function figureOf(what: string, at: 'other' | 'existing', times: readonly number[], guesses: number): Figure {
  const part = (share: number): number => times[Math.ceil(share * times.length) - 1] ?? 0;
  return {
    name: `Slowest of ${PEOPLE.toLocaleString('en')} sign-ins with a password, in browsers that ${what}, beside an attacker of the same address who guesses at ${at} accounts, ${ATTACKER} at a time`,
    measured: `page and sign-in; median ${part(0.5).toFixed(0)} ms, p99 ${part(0.99).toFixed(0)} ms; all succeeded, during ${guesses.toLocaleString('en')} guesses`,
    value: part(1),
    unit: ' ms',
    bound: { most: 1_000 },
  };
}

/** Users behind one address sign in while an attacker of the same address guesses passwords, each of another account. */
export const signIns = (): Promise<Figure[]> =>
  inTempFolder((folder) =>
    whileStoreRuns(folder, async ({ url }) => {
      await timed(HONEST, (n) => signUp(browserAt(url), n), PEOPLE + OTHERS);
      const outsider = attack(url, () => `${randomUUID()}@example.com`);
      const browsers = Array.from({ length: PEOPLE }, () => browserAt(url));
      const unseen = await timed(HONEST, (n) => signIn(browsers[n] as Browser, n));
      const first = figureOf('the store never saw', 'other', unseen, outsider.take());
      const known = await timed(HONEST, async (n) => {
        const browser = browsers[n] as Browser;
        browser.cookies.delete('__Host-svc-session');
        browser.cookies.delete('svc-session');
        await signIn(browser, n);
      });
      const second = figureOf('the account has used', 'other', known, outsider.take());
      await outsider.stop();
      // Each guess at an account that exists is checked, until it has had too many.
      const insider = attack(url, () => emailOf(PEOPLE + Math.floor(Math.random() * OTHERS)));
      const again = await timed(HONEST, (n) => signIn(browserAt(url), n));
      await insider.stop();
      return [first, second, figureOf('the store never saw', 'existing', again, insider.take())];
    }),
  );

/** Sessions and tokens of an account that is recovered. */
const ACCESSES = 20;

/** A recovery of an account: until its answer, after which every access from before is refused. */
export const recovery = (): Promise<Figure> =>
  inTempFolder((folder) =>
    whileStoreRuns(folder, async ({ url }) => {
      const attackers = Array.from({ length: ACCESSES }, () => browserAt(url));
      const [first] = attackers as [Browser];
      await signUp(first, 0);
      for (const browser of attackers.slice(1)) await signIn(browser, 0);
      await first.open('/api/people/me');
      const tokens: string[] = [];
      for (let n = 0; n < ACCESSES; n += 1) {
        const made = await first.script('/api/people/me/tokens', { name: `token ${n}` });
        tokens.push(((await made.json()) as { token: string }).token);
      }
      const refused = async () => {
        const answers = await Promise.all([
          ...attackers.map(({ send }) => send('/api/people/me')),
          ...tokens.map((token) =>
            fetch(`${url}/api/developer/whoami`, { headers: { authorization: `Bearer ${token}` } }),
          ),
        ]);
        return answers.filter(({ status }) => status === 401).length;
      };
      if ((await refused()) > 0) throw new Error('An access is refused before the recovery.');
      const { ask } = automationAt(url);
      const { people } = await ask(apiRequest('GET /api/admin/people', { query: { q: emailOf(0) } }));
      const params = { id: people[0]?.id ?? '' };
      const link = new URL((await ask(apiRequest('POST /api/admin/people/:id/reset-link', { params }))).url);
      const owner = browserAt(url);
      await owner.open(link.pathname + link.search);
      const fields = { key: link.searchParams.get('key') ?? '', password: 'another four good words' };
      const began = performance.now();
      const status = await owner.submit('/reset', fields);
      const ms = performance.now() - began;
      if (status !== 303) throw new Error(`The recovery answered ${status}.`);
      return {
        name: `Recovery of an account with ${ACCESSES} sessions and ${ACCESSES} tokens, from the new password to the answer`,
        measured: `${await refused()} of ${2 * ACCESSES} refused after it`,
        value: ms,
        unit: ' ms',
        bound: { most: 1_000 },
      };
    }),
  );
