import type { RequestListener } from 'node:http';
import { readInterop } from '@svc/testkit';
import { serveHere } from '@svc/testkit/http-server';
import { describe, expect, it, vi } from 'vitest';
import { announce, awaitAnswer, digitsOf, redirectUriOf } from '../../src/accounts/relay.ts';
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

/** A page of something between this client and the store, longer than any answer of the store. */
const page =
  (status: number): RequestListener =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'text/html' });
    response.end(`<title>Sign in</title>${'x'.repeat(20_000)}`);
  };

describe('polling the relay', () => {
  it('continues while no answer has arrived, or the store is unavailable', async () => {
    const broken: RequestListener = (request) => request.socket.destroy();
    const answers = [
      says('{"pending":true}'),
      says('', 500),
      says('', 503),
      says('slow down', 429),
      says('too late', 408),
      says('{"message":"Forbidden"}', 403),
      page(403),
      page(404),
      page(200),
      broken,
      says('{"code":"c"}'),
    ];
    const { answer, asked } = await waiting(answers);
    expect(await answer).toEqual({ code: 'c' });
    expect(asked()).toBe(11);
  });

  it.each<[string, RequestListener, string?]>([
    ['sends no JSON', says('<html>')],
    ['rejects the request', says('{"code":"invalid_request"}', 400)],
    ['sends unknown JSON', says('{"codes":[]}')],
    ['sends an answer that is too long', says(`{"code":"${'x'.repeat(20_000)}"}`), 'too large'],
  ])(
    'ends when the store %s, and the error does not contain the state',
    async (_what, answer, message = 'invalid') => {
      const error = await (await waiting([answer])).answer.catch((reason: unknown) => reason);
      expect(error).toMatchObject({
        name: 'OAuthError',
        message: `The response of the store is ${message}.`,
      });
      expect(String((error as Error).stack)).not.toContain(STATE);
    },
  );

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

/** A store without a network, that sends these answers, one after the other, and the last one again and again. */
function storeOf(...answers: (() => Response | Promise<Response>)[]) {
  const asked: { url: string; init: RequestInit | undefined }[] = [];
  const slept: number[] = [];
  const fetchStore: typeof fetch = async (input, init) => {
    asked.push({ url: String(input), init });
    const answer = answers[Math.min(asked.length, answers.length) - 1];
    return answer ? answer() : Response.json({ pending: true });
  };
  const sleep = async (ms: number, signal?: AbortSignal) => {
    slept.push(ms);
    // A time limit is never reached, and a pause is over at once.
    if (ms > 3000 || ms === 2000)
      await new Promise((_resolve, reject) => signal?.addEventListener('abort', reject));
  };
  const deps = { fetchStore, system: { sleep } };
  return { deps, asked, pauses: () => slept.filter((ms) => ms === 1000 || ms === 3000) };
}

const pending = () => Response.json({ pending: true });

describe('a request to the relay', () => {
  it('is sent each second for a minute, then every three seconds', async () => {
    const store = storeOf(...Array(64).fill(pending), () => Response.json({ code: 'c' }));
    expect(await awaitAnswer(store.deps, { store: 'https://store.example', state: STATE }, forever)).toEqual({
      code: 'c',
    });
    expect(store.pauses()).toEqual([...Array(60).fill(1000), ...Array(5).fill(3000)]);
  });

  it.each(['https://store.example/base', 'https://store.example/base///'])(
    'names the state, and the app of a store, at %s',
    async (base) => {
      const { deps, asked } = storeOf(() => Response.json({ error: 'access_denied' }));
      const signIn = { store: base, state: 'a+b', app: 'com.example.notes' };
      expect(await awaitAnswer(deps, signIn, forever)).toEqual({ error: 'access_denied' });
      const [{ url = '', init } = {}] = asked;
      expect(url).toBe('https://store.example/base/api/apps/oauth/result?state=a%2Bb&app=com.example.notes');
      expect(init).toMatchObject({ headers: { Accept: 'application/json' }, redirect: 'error' });
      expect(redirectUriOf(base)).toBe('https://store.example/base/apps/oauth/callback');
    },
  );

  it('leaves no connection open when the store is unavailable', async () => {
    const cancel = vi.fn();
    const endless = () => new Response(new ReadableStream({ cancel }), { status: 503 });
    const { deps } = storeOf(endless, () => Response.json({ code: 'c' }));
    await awaitAnswer(deps, { store: 'https://store.example', state: STATE }, forever);
    expect(cancel).toHaveBeenCalledOnce();
  });

  it('before the browser opens changes nothing when it fails, but an aborted sign-in ends', async () => {
    const signIn = { store: 'https://store.example', state: STATE };
    for (const answer of [pending, () => new Response('<html>'), () => Promise.reject(new Error('down'))]) {
      const { deps, asked } = storeOf(answer);
      await announce(deps, signIn, forever);
      expect(asked).toHaveLength(1);
    }
    const caller = new AbortController();
    const { deps } = storeOf(() => {
      caller.abort('enough');
      return pending();
    });
    await expect(announce(deps, signIn, caller.signal)).rejects.toBe('enough');
  });

  it('whose response comes as its caller aborts ends with the reason of the caller', async () => {
    const caller = new AbortController();
    const { deps } = storeOf(() => {
      caller.abort('enough');
      return Response.json({ code: 'c' });
    });
    const signIn = { store: 'https://store.example', state: STATE };
    await expect(awaitAnswer(deps, signIn, caller.signal)).rejects.toBe('enough');
  });
});
