import { describe, expect, it, vi } from 'vitest';
import {
  authorisedFetch,
  type CallContext,
  callContext,
  endingWithCall,
  fetchWithHeaders,
  openFetch,
} from '../../src/calls/authorised-fetch.ts';
import { createSecrets } from '../../src/calls/secrets.ts';
import { connectorApp, localAddressApp } from '../../src/connectors/connector-app.ts';
import type { HeaderStore } from '../../src/connectors/connector-headers.ts';
import { RuntimeError } from '../../src/platform/runtime-error.ts';
import { panelApp } from '../support/panel-app.ts';

const URL_OF = 'https://mcp.example.com/mcp';
const cancelled = vi.fn();

/** An answer whose body records that it is not read. */
const answer = (status: number, challenge?: string) =>
  new Response(new ReadableStream({ cancel: cancelled }), {
    status,
    ...(challenge !== undefined && { headers: { 'www-authenticate': challenge } }),
  });

const context = (more: Partial<CallContext> = {}): CallContext => ({
  ...{
    tool: 'plain',
    project: 'project-1',
    chat: 'chat-1',
    refresh: { isUsed: false },
    signal: null,
    limit: null,
  },
  ...more,
});

/** The fetch of an account whose tokens, and those after a refusal, come one after the other; an error is thrown. */
function fetching(
  given: (string | null | Error)[],
  answers: Response[],
  refreshed: (string | null | Error)[] = [],
) {
  const asked: unknown[] = [];
  const sent: Headers[] = [];
  const next = async (values: (string | null | Error)[], why: unknown) => {
    asked.push(why);
    const value = values.shift() ?? null;
    if (value instanceof Error) throw value;
    return value;
  };
  const fetch = authorisedFetch({
    app: panelApp({}),
    accountId: 'acme',
    fetch: async (_input, init) => {
      sent.push(new Headers(init?.headers));
      return answers.shift() ?? answer(200);
    },
    tokens: {
      token: (_app, accountId, use) => next(given, [accountId, use]),
      refreshAfter401: (_app, accountId, token, challenge) => next(refreshed, [accountId, token, challenge]),
    },
    secrets: createSecrets(),
  });
  cancelled.mockClear();
  return { fetch, asked, tokensSent: () => sent.map((headers) => headers.get('authorization')), sent };
}

const notConnected = (detail: object = {}) =>
  expect.objectContaining({ code: 'not-connected', detail: { accountId: 'acme', ...detail } });

describe('a request with a token', () => {
  it('says which call it is of, and which host it is for', async () => {
    const { fetch, asked, sent } = fetching(['one', 'two', 'three', 'four'], []);
    await callContext.run(context(), () => fetch(URL_OF, { headers: { 'x-a': '1' } }));
    await callContext.run(context({ project: null, chat: null }), () => fetch(new URL(URL_OF)));
    await fetch(new Request(URL_OF));
    const [whole, bare, outside] = sent.map((headers) => Object.fromEntries(headers));
    expect(whole).toEqual({
      authorization: 'Bearer one',
      'x-a': '1',
      'x-svc-project': 'project-1',
      'x-svc-chat': 'chat-1',
    });
    expect([bare, outside]).toEqual([{ authorization: 'Bearer two' }, { authorization: 'Bearer three' }]);
    const host = 'mcp.example.com';
    expect(asked).toEqual(['plain', 'plain', ''].map((tool) => ['acme', { host, tool }]));
  });

  it('that is refused is sent again, once, with a newer one', async () => {
    const { fetch, asked, tokensSent } = fetching(['old'], [answer(401, 'Bearer x'), answer(201)], ['new']);
    const { refresh } = context();
    expect((await callContext.run(context({ refresh }), () => fetch(URL_OF))).status).toBe(201);
    expect(tokensSent()).toEqual(['Bearer old', 'Bearer new']);
    expect(asked[1]).toEqual(['acme', 'old', 'Bearer x']);
    expect(cancelled).toHaveBeenCalledOnce();
    expect(refresh.isUsed).toBe(true);
  });

  it.each([400, 403])('that is refused with %i and invalid_token is sent again too', async (status) => {
    const challenge = 'Bearer error="invalid_token", error_description="expired"';
    const { fetch, tokensSent } = fetching(['old'], [answer(status, challenge), answer(201)], ['new']);
    expect((await fetch(URL_OF)).status).toBe(201);
    expect(tokensSent()).toEqual(['Bearer old', 'Bearer new']);
    const others = fetching(['old'], [answer(status), answer(404, challenge)]);
    expect((await others.fetch(URL_OF)).status).toBe(status);
    expect((await others.fetch(URL_OF).catch(() => null))?.status).toBe(undefined);
  });

  it('that lacks scopes needs the user, also when the server says so with another status than 403', async () => {
    const lacking = 'Bearer error="insufficient_scope"';
    for (const status of [400, 401]) {
      const { fetch } = fetching(['old'], [answer(status, `${lacking}, scope="write"`)]);
      await expect(fetch(URL_OF)).rejects.toEqual(notConnected({ scopes: ['write'] }));
    }
    // Without a scope a new token may do.
    const unnamed = fetching(['old'], [answer(401, lacking), answer(200)], ['new']);
    expect((await unnamed.fetch(URL_OF)).status).toBe(200);
  });

  it.each<[string, Response[], (string | null)[], boolean, number]>([
    ['again', [answer(401), answer(401)], ['new'], false, 2],
    ['and has no newer one', [answer(401)], [null], false, 1],
    ['after another of its call', [answer(401)], ['new'], true, 1],
  ])('that is refused %s needs the user', async (_what, answers, refreshed, isUsed, count) => {
    const { fetch, tokensSent } = fetching(['old'], answers, refreshed);
    const refused = callContext.run(context({ refresh: { isUsed } }), () => fetch(URL_OF));
    await expect(refused).rejects.toEqual(notConnected());
    expect(tokensSent()).toHaveLength(count);
    expect(cancelled).toHaveBeenCalledTimes(count);
  });

  it.each<[string, string, object, number]>([
    ['its session', 'Unauthorized: Session not found', {}, 1],
    ['its session, with a challenge', 'Session not found', { 'www-authenticate': 'Bearer' }, 2],
    ['the token', 'Unauthorized', {}, 2],
  ])('that is refused because of %s, %j %j, is sent %i times', async (_what, words, headers, count) => {
    const refusal = () => new Response(words, { status: 401, headers: { ...headers } });
    const { fetch, tokensSent } = fetching(['one', 'one'], [refusal(), answer(200)], ['two']);
    const response = await fetch(URL_OF, { headers: { 'mcp-session-id': 's' } });
    expect(tokensSent()).toHaveLength(count);
    expect(response.status).toBe(count === 1 ? 401 : 200);
    if (count === 1) expect(await response.text()).toBe(words);
    const outside = fetching(['one'], [refusal(), answer(200)], ['two']);
    expect((await outside.fetch(URL_OF)).status).toBe(200);
  });

  it('may be refreshed again by its call after that failed', async () => {
    const unavailable = new RuntimeError('token-unavailable');
    const { fetch } = fetching(['old', 'old'], [answer(401), answer(401), answer(200)], [unavailable, 'new']);
    const { refresh } = context();
    const send = () => callContext.run(context({ refresh }), () => fetch(URL_OF));
    await expect(send()).rejects.toBe(unavailable);
    expect((await send()).status).toBe(200);
  });

  it('outside of a call is refreshed too', async () => {
    const unavailable = new RuntimeError('token-unavailable');
    const { fetch } = fetching(['old', 'old'], [answer(401), answer(200), answer(401)], ['new', unavailable]);
    expect((await fetch(URL_OF)).status).toBe(200);
    await expect(fetch(URL_OF)).rejects.toBe(unavailable);
  });

  it.each<[string, string[] | null]>([
    ['Bearer error="insufficient_scope", scope="read write"', ['read', 'write']],
    ['Bearer scope="a\\b  é ok",error=insufficient_scope', ['ab', 'ok']],
    ['Bearer error="insufficient_scope"', []],
    ['Bearer error = insufficient_scope, scope=read', ['read']],
    ['Basic error="x", Bearer error="Insufficient_Scope", scope="read"', ['read']],
    [
      `Bearer error="insufficient_scope", scope="${Array.from({ length: 60 }, (_, n) => n).join(' ')}"`,
      Array.from({ length: 50 }, (_, n) => `${n}`),
    ],
    ['Bearer error="insufficient_scope", scope="read secret-token"', ['read']],
    ['Bearer error="other", scope="read"', null],
    ['Bearer xerror="insufficient_scope"', null],
    ['DPoP error="insufficient_scope"', null],
    [`Bearer ${' '.repeat(8_200)}error="insufficient_scope"`, null],
    ['', null],
  ])('that lacks scopes, with the challenge %j', async (challenge, scopes) => {
    const response = answer(403, challenge);
    const { fetch } = fetching(['secret-token'], [response]);
    if (scopes) await expect(fetch(URL_OF)).rejects.toEqual(notConnected({ scopes }));
    else expect(await fetch(URL_OF)).toBe(response);
    expect(cancelled).toHaveBeenCalledTimes(scopes ? 1 : 0);
  });
});

describe('a request of an account that is not connected any more', () => {
  const gone = () => new RuntimeError('not-connected');
  const send = ({ fetch }: ReturnType<typeof fetching>, method: string) => fetch(URL_OF, { method });

  it.each([
    ['GET', null],
    ['DELETE', null],
    ['GET', gone()],
    ['DELETE', gone()],
  ] as const)('with %s has the token that the server accepted last (%s)', async (method, none) => {
    const account = fetching(['one', none], []);
    await send(account, 'POST');
    await send(account, method);
    expect(account.tokensSent()).toEqual(['Bearer one', 'Bearer one']);
  });

  it('has none when it starts something, or when the server accepted none', async () => {
    const error = gone();
    const after = fetching(['one', null, error], []);
    await send(after, 'POST');
    await expect(send(after, 'POST')).rejects.toEqual(notConnected());
    await expect(send(after, 'POST')).rejects.toBe(error);
    await expect(send(fetching([null], []), 'GET')).rejects.toEqual(notConnected());
    await expect(send(fetching([error], []), 'GET')).rejects.toBe(error);
    const refused = fetching(['one', 'two', null], [answer(200), answer(401)], [null]);
    await send(refused, 'POST');
    await expect(send(refused, 'POST')).rejects.toEqual(notConnected());
    await expect(send(refused, 'GET')).rejects.toEqual(notConnected());
  });
});

it('the headers of a connector are sent, and their values are redacted from eight characters on', async () => {
  const app = connectorApp(URL_OF, false, ['x-key']);
  const sent: object[] = [];
  const fetch: typeof globalThis.fetch = async (_input, init) => {
    sent.push(Object.fromEntries(new Headers(init?.headers)));
    return new Response();
  };
  const secrets = createSecrets();
  for (const value of ['Bearer abcdefgh', 'Bearer abcdefg', '12345678']) {
    const headers = { read: async () => ({ 'x-key': value }) } as unknown as HeaderStore;
    await fetchWithHeaders(app, fetch, { headers, secrets })(URL_OF, { headers: { 'x-a': '1' } });
    expect(sent.pop()).toEqual({ 'x-a': '1', 'x-key': value });
  }
  expect(secrets.strip('Bearer abcdefg, abcdefgh, 12345678')).toBe('Bearer abcdefg, [secret], [secret]');
  expect(fetchWithHeaders(app, fetch, { headers: undefined, secrets })).toBe(fetch);
  const none = { read: vi.fn() } as unknown as HeaderStore;
  expect(fetchWithHeaders(connectorApp(URL_OF, false), fetch, { headers: none, secrets })).toBe(fetch);
});

it('a request ends with its call, unless it tells the server of that end', async () => {
  const signals: unknown[] = [];
  const fetch = endingWithCall(async (_input, init) => {
    signals.push(init?.signal);
    return new Response();
  });
  const { signal } = new AbortController();
  await callContext.run(context({ signal }), () => fetch(URL_OF, {}));
  await callContext.run(context({ signal: AbortSignal.abort() }), () => fetch(URL_OF, {}));
  await callContext.run(context(), () => fetch(URL_OF, {}));
  await fetch(URL_OF);
  expect(signals).toEqual([signal, undefined, undefined, undefined]);
});

describe('the fetch of a server without an account', () => {
  const asked: unknown[] = [];
  const opened = (app: Parameters<typeof openFetch>[0]['app'], response: Response) =>
    openFetch({
      app,
      fetch: async () => response,
      tokens: {
        token: async () => null,
        refreshAfter401: async (one, id, token, challenge) => {
          asked.push([one.manifest.accounts?.length, id, token, challenge]);
          return null;
        },
      },
    })(URL_OF, { headers: { 'mcp-session-id': 's' } });

  it.each([
    ['the Internet', connectorApp(URL_OF, false)],
    ['this machine', localAddressApp('http://127.0.0.1:3000/mcp', ['127.0.0.1'], false)],
  ])('of %s asks for a sign-in after a 401, and keeps its challenge', async (_where, app) => {
    await expect(opened(app, answer(401, 'Bearer'))).rejects.toMatchObject({
      ...{ code: 'not-connected', detail: { accountId: 'server' } },
    });
    expect(asked.splice(0)).toEqual([[1, 'server', '', 'Bearer']]);
  });

  it.each([
    ['another status', connectorApp(URL_OF, false), answer(403, 'Bearer')],
    ['no challenge', connectorApp(URL_OF, false), answer(401)],
    ['a header of the user', connectorApp(URL_OF, false, ['authorization']), answer(401, 'Bearer')],
    [
      'a server of the local network, whose sign-in no client may reach',
      localAddressApp('https://nas.local/mcp', ['192.168.1.2'], false),
      answer(401, 'Bearer'),
    ],
    ['an app of the store', panelApp({}), answer(401, 'Bearer')],
  ])('returns the answer with %s', async (_what, app, response) => {
    expect(await opened(app, response)).toBe(response);
    expect(asked).toEqual([]);
  });
});
