import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { Terminal } from '../../src/io/terminal.ts';
import { signInOf } from '../../src/sign-in/request.ts';
import { clearWaiting, waitForToken, waitingLine } from '../../src/sign-in/wait-for-token.ts';
import { StoreClient } from '../../src/store-client.ts';
import { memoryTerminal, testContext } from '../support/command-context.ts';
import { deviceStore, ok, PENDING, refusal, START, TOKEN } from '../support/device-store.ts';

const SECOND = 1_000;

type Polls = NonNullable<Parameters<typeof deviceStore>[0]>['polls'];

/** Waits for a token of a store with these answers. `at` holds when it was polled, in seconds from the start. */
async function waiting(polls: Polls, given: Parameters<typeof testContext>[1] = {}, abortAt = Infinity) {
  const { context, shown } = await testContext({}, given);
  const began = context.now().getTime();
  const at: number[] = [];
  const elapsed = () => (context.now().getTime() - began) / SECOND;
  const store = await deviceStore({ polls: polls ?? [], onRequest: () => at.push(elapsed()) });
  const controller = new AbortController();
  const wait: typeof context.wait = async (ms, signal) => {
    await context.wait(ms, signal);
    if (elapsed() >= abortAt) controller.abort();
  };
  const client = new StoreClient({ baseUrl: store.url, fetch });
  const request = signInOf({ ...START, verifyUrl: `${store.url}/device` }, store.url);
  const result = waitForToken({ ...context, wait }, client, request, controller.signal);
  const token = await result.catch((error: Error) => error.message);
  return { token, at, shown, seen: store.seen, elapsed };
}

const DONE = ok({ token: TOKEN });

describe('waiting for a token', () => {
  it('polls at the interval of the store, with the device code and without a token', async () => {
    const { token, at, seen } = await waiting([PENDING, PENDING, DONE]);
    expect({ token, at }).toEqual({ token: TOKEN, at: [5, 10, 15] });
    for (const { body, authorization } of seen) {
      expect(JSON.parse(String(body))).toEqual({ deviceCode: START.deviceCode });
      expect(authorization).toBeUndefined();
    }
  });

  it('adds five seconds to the interval after each slow_down (RFC 8628 section 3.5)', async () => {
    const slow = refusal(429, 'slow_down', { retryAfter: 5 });
    const { at } = await waiting([slow, PENDING, slow, PENDING, DONE]);
    expect(at).toEqual([5, 15, 25, 40, 55]);
  });

  it('honours Retry-After', async () => {
    const { at } = await waiting([refusal(429, 'slow_down', { retryAfter: 30 }), PENDING, DONE]);
    expect(at).toEqual([5, 35, 45]);
  });

  it('retries with backoff while the store is unavailable', async () => {
    const away = refusal(503, 'unavailable', { retryAfter: 1 });
    const { token, at } = await waiting(['hang up', 'hang up', away, PENDING, DONE]);
    expect({ token, at }).toEqual({ token: TOKEN, at: [5, 15, 35, 75, 80] });
  });

  it.each([502, 503, 504])('treats a %i of a proxy as an unavailable store', async (status) => {
    expect((await waiting([{ status, body: '<html>' }, DONE])).token).toBe(TOKEN);
  });

  it.each([403, 429])('waits out a %i of a server before the store', async (status) => {
    const answer = { status, body: '<title>Attention Required!</title>' };
    const { token, at } = await waiting([answer, answer, DONE]);
    expect({ token, at }).toEqual({ token: TOKEN, at: [5, 15, 35] });
  });

  it.each([
    { status: 200, body: '<title>Sign in to the network</title>' },
    { status: 200, body: '' },
    { status: 401, body: '{"error":"proxy"}' },
    { status: 404, body: '<html>' },
  ])('polls on after what is no answer of the store: %j', async (answer) => {
    const { token, at } = await waiting([answer, DONE]);
    expect({ token, at }).toEqual({ token: TOKEN, at: [5, 15] });
  });

  it('waits as long as a server before the store asks for', async () => {
    const answer = { status: 429, body: 'Slow down', headers: { 'Retry-After': '30' } };
    expect((await waiting([answer, DONE])).at).toEqual([5, 35]);
  });

  it('fails when the user denies', async () => {
    const { token, at } = await waiting([PENDING, refusal(403, 'access_denied'), DONE]);
    expect(token).toBe('The sign-in was denied in the browser.');
    expect(at).toHaveLength(2);
  });

  it('fails when the code has expired', async () => {
    expect((await waiting([PENDING, refusal(410, 'expired')])).token).toContain('The code has expired');
  });

  it.each<{ what: string; polls: Polls }>([
    { what: 'nobody decides', polls: [PENDING] },
    { what: 'the store stays away', polls: ['hang up'] },
    { what: 'the store wants no polls', polls: [refusal(429, 'slow_down', { retryAfter: 1_000_000 })] },
  ])('ends with the codes when $what', async ({ polls }) => {
    const { token, elapsed } = await waiting(polls);
    expect(token).toContain('The code has expired');
    expect(elapsed()).toBe(600);
  });

  it.each([
    { what: 'another refusal', answer: refusal(400, 'invalid_request'), says: 'No: invalid_request.' },
    { what: 'an invalid response', answer: ok({ pending: 'perhaps' }), says: 'does not match the API' },
    { what: 'no token', answer: ok({ token: 'svcd_x\r\nX-Evil: 1' }), says: 'invalid token' },
    { what: 'a token without a shape', answer: ok({ token: 'hunter2' }), says: 'invalid token' },
  ])('ends with $what', async ({ answer, says }) => {
    const { token, at } = await waiting([answer, DONE]);
    expect(token).toContain(says);
    expect(token).not.toContain('hunter2');
    expect(at).toEqual([5]);
  });

  it('stops polling when it is interrupted', async () => {
    const { token, at } = await waiting([PENDING], {}, 12);
    expect({ token, at }).toEqual({ token: null, at: [5, 10] });
  });

  it('shows the remaining time on a terminal, then erases it', async () => {
    const { shown } = await waiting([PENDING, DONE], { terminal: { isScreen: true } });
    expect(shown.out).toContain('waiting for approval, 10:00 left');
    expect(shown.out).toContain('waiting for approval, 9:51 left');
    expect(shown.out.endsWith('\r\u001b[K')).toBe(true);
    expect(shown.out).not.toContain('\n');
  });

  it('shows nothing without a terminal', async () => {
    expect((await waiting([PENDING, DONE])).shown).toEqual({ out: '', err: '' });
  });
});

const lineOf = (left: number, look: Partial<Terminal> = {}, columns = 80, now = 0) => {
  const { terminal, shown } = memoryTerminal(false, columns, { isScreen: true, ...look });
  waitingLine(terminal, now, left);
  return stripVTControlCharacters(shown.out).replace('\r', '');
};

it.each([
  { left: 600_000, shown: '10:00' },
  { left: 599_001, shown: '10:00' },
  { left: 65_000, shown: '1:05' },
  { left: 1, shown: '0:01' },
  { left: 0, shown: '0:00' },
  { left: -5_000, shown: '0:00' },
])('shows $left ms as $shown', ({ left, shown }) => {
  expect(lineOf(left)).toBe(`⠋ waiting for approval, ${shown} left`);
});

it('animates the spinner', () => {
  const ascii = [0, 100, 200, 300, 400].map((now) => lineOf(0, { unicode: false }, 80, now)[0]);
  expect(ascii.join('')).toBe('|/-\\|');
});

it.each([10, 20, 40])('fits into a line of %i columns without filling it', (columns) => {
  expect([...lineOf(600_000, {}, columns)].length).toBeLessThan(columns);
});

it('writes nothing without a terminal', () => {
  const { terminal, shown } = memoryTerminal();
  waitingLine(terminal, 0, 1_000);
  clearWaiting(terminal);
  expect(shown.out).toBe('');
});
