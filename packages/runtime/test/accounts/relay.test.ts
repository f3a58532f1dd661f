import type { RequestListener } from 'node:http';
import { readInterop } from '@svc/testkit';
import { serveHere } from '@svc/testkit/http-server';
import { describe, expect, it } from 'vitest';
import { awaitAnswer, digitsOf } from '../../src/accounts/relay.ts';
import { fakeSystem } from '../support/open-accounts.ts';

const STATE = 'a-state-of-the-test-0123456789';
const forever = new AbortController().signal;

/** Waits for an answer of a store that sends these answers, one after the other. */
async function waiting(answers: RequestListener[], signal = forever, onDigits = (_digits: string) => {}) {
  let asked = 0;
  const store = await serveHere(() => (request, response) => {
    const answer = answers[Math.min(asked, answers.length - 1)];
    asked += 1;
    answer?.(request, response);
  });
  const deps = { fetchStore: fetch, system: fakeSystem() };
  return {
    answer: awaitAnswer(deps, { store: `${store}/`, state: STATE, onDigits }, signal),
    asked: () => asked,
  };
}

/** The same, with the digits that were shown, and after how many polls. */
async function waitingWithDigits(answers: RequestListener[]) {
  const digits: { shown: string; after: number }[] = [];
  const { answer, asked } = await waiting(answers, forever, (shown) => {
    digits.push({ shown, after: asked() });
  });
  return { answer: answer.then((answered) => ({ answered, digits })), asked };
}

const says =
  (body: string, status = 200): RequestListener =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(body);
  };

describe('polling the relay', () => {
  it('continues while no answer has arrived, or the store is unavailable', async () => {
    const broken: RequestListener = (request) => request.socket.destroy();
    const answers = [
      says('{"pending":true}'),
      says('', 503),
      says('slow down', 429),
      broken,
      says('{"code":"c"}'),
    ];
    const { answer, asked } = await waiting(answers);
    expect(await answer).toEqual({ code: 'c' });
    expect(asked()).toBe(5);
  });

  it.each<[string, RequestListener]>([
    ['sends HTML', says('<html>')],
    ['rejects the request', says('{"code":"invalid_request"}', 400)],
    ['sends unknown JSON', says('{"codes":[]}')],
    ['sends an answer that is too long', says(`{"code":"${'x'.repeat(20_000)}"}`)],
  ])('ends when the store %s, and the error does not contain the state', async (_what, answer) => {
    const error = await (await waiting([answer])).answer.catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: 'OAuthError' });
    expect(String((error as Error).stack)).not.toContain(STATE);
  });

  it('does not follow a redirect of the store, and tries again', async () => {
    const moved: RequestListener = (_request, response) => {
      response.writeHead(302, { location: 'https://evil.example/' }).end();
    };
    const { answer } = await waiting([moved, says('{"code":"c"}')]);
    expect(await answer).toEqual({ code: 'c' });
  });

  it('gives the digits of the state once, after a few polls without a response', async () => {
    const { answer, asked } = await waitingWithDigits([
      ...Array.from({ length: 5 }, () => says('{"pending":true}')),
      says('{"code":"c"}'),
    ]);
    const { digits, answered } = await answer;
    expect(answered).toEqual({ code: 'c' });
    expect(digits).toEqual([{ shown: digitsOf(STATE), after: 3 }]);
    expect(asked()).toBe(6);
    const quick = await waitingWithDigits([says('{"code":"c"}')]);
    expect((await quick.answer).digits).toEqual([]);
  });

  it('computes the digits of the interop vectors', () => {
    const vectors = readInterop('relay', 'digits.json') as { state: string; digits: string }[];
    expect(vectors.map(({ state }) => digitsOf(state))).toEqual(vectors.map(({ digits }) => digits));
  });

  it('ends when its caller aborts', async () => {
    const caller = new AbortController();
    const { answer, asked } = await waiting([says('{"pending":true}')], caller.signal);
    await expect.poll(asked).toBeGreaterThan(1);
    caller.abort(new Error('enough'));
    await expect(answer).rejects.toThrow();
  });
});
