import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { serveHere } from '@svc/testkit/http-server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createServerHealth, createWithAccount } from '../../src/calls/use-server.ts';
import type { SignInSource } from '../../src/cards/ask-to-connect.ts';
import type { Answer, Card } from '../../src/cards/card.ts';
import { connectorApp } from '../../src/connectors/connector-app.ts';
import { createEvents, type RuntimeEvent } from '../../src/events/events.ts';
import { RuntimeError } from '../../src/platform/runtime-error.ts';
import { openCalls, said, TOKEN, tokensOf } from '../support/calls.ts';
import { isAlive, openCommandCalls, pidsIn } from '../support/local-connectors.ts';
import { json, text } from '../support/mcp-server.ts';
import { refused } from '../support/refused.ts';

describe('the health of servers', () => {
  it('tells a server that does not respond from one that answers with an error', () => {
    const events = createEvents(() => undefined);
    const told: RuntimeEvent[] = [];
    events.subscribe((event) => told.push(event));
    const health = createServerHealth(events);
    for (const error of [
      new RuntimeError('declined'),
      new RuntimeError('not-connected', undefined, { detail: { accountId: 'a' } }),
      new RuntimeError('server-failed', 'It says no.', { detail: { rpc: -32602 } }),
      new RuntimeError('server-failed', 'Too many.', { detail: { status: 429 } }),
      new TypeError('a bug'),
    ])
      health.failed('app', error);
    expect(told).toEqual([]);
    health.failed('app', new RuntimeError('unreachable', 'Gone.'));
    health.failed('app', new RuntimeError('unreachable', 'Gone.'));
    expect(health.faultOf('app')).toBe('Gone.');
    health.failed('app', new RuntimeError('server-failed', 'Bad gateway.', { detail: { status: 502 } }));
    health.failed('app', new RuntimeError('server-failed', 'It says no.', { detail: { rpc: -32602 } }));
    expect(told).toEqual([
      { type: 'server-lost', appId: 'app', reason: 'Gone.' },
      { type: 'server-lost', appId: 'app', reason: 'Bad gateway.' },
      { type: 'server-back', appId: 'app' },
    ]);
    expect(health.faultOf('app')).toBe(null);
    health.failed('app', new RuntimeError('server-failed', 'No page.', { detail: { status: 404 } }));
    expect(health.faultOf('app')).toBe('No page.');
  });

  // A call that ran into its time limit would be `too-slow`.
  it('shows at once that a server closed the connection during a call, and that it is back', async () => {
    let isDown = true;
    const { call, calls, app, told } = await openCalls(({ response }) => {
      if (isDown) response.destroy();
      return isDown ? undefined : text('Here.');
    });
    await expect(call('plain')).rejects.toMatchObject({ code: 'unreachable' });
    expect(calls.serverFault(app.appId)).not.toBe(null);
    isDown = false;
    await call('plain');
    expect(calls.serverFault(app.appId)).toBe(null);
    expect(told.map(({ type }) => type)).toEqual(expect.arrayContaining(['server-lost', 'server-back']));
  });

  it('shows at once that a stream broke off during a call', async () => {
    const { call } = await openCalls(({ response }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(': begun\n\n', () => response.destroy());
      return undefined;
    });
    await expect(call('plain')).rejects.toMatchObject({ code: 'unreachable' });
  });

  it.each(['is not there', 'has started again'])(
    'ends a call whose stream cannot be resumed: the server %s',
    async (how) => {
      const server = createServer();
      const kill = () => {
        server.closeAllConnections();
        if (how === 'is not there') server.close();
      };
      const serve = async (listener: (url: string) => RequestListener) => {
        server.on('request', listener(''));
        await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
        onTestFinished(() => void server.close());
        return `http://localhost:${(server.address() as AddressInfo).port}`;
      };
      const { call, calls, app } = await openCalls(
        ({ response }) => {
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          // The first event has an id, so that the client resumes after it (Streamable HTTP, "Resumability").
          response.write('retry: 20\nid: 1\ndata:\n\n', kill);
          return undefined;
        },
        { server: { serve } },
      );
      await expect(call('plain')).rejects.toMatchObject({ code: 'unreachable' });
      expect(calls.serverFault(app.appId)).not.toBe(null);
    },
  );

  it('leaves a call alone that waits for its response while the stream beside it is refused', async () => {
    const streams: ServerResponse[] = [];
    const refusedTwice = Promise.withResolvers<void>();
    const serve = (listener: (url: string) => RequestListener) =>
      serveHere((url) => (request, response) => {
        if (request.method !== 'GET') return listener(url)(request, response);
        streams.push(response);
        if (streams.length > 1) response.destroy();
        else response.writeHead(200, { 'content-type': 'text/event-stream' }).write('retry: 20\n\n');
        // The client has time to notice.
        if (streams.length === 3) setTimeout(refusedTwice.resolve, 100);
      });
    const { call } = await openCalls(
      async () => {
        streams[0]?.destroy();
        await refusedTwice.promise;
        return text('Here.');
      },
      { server: { serve } },
    );
    await expect(call('plain')).resolves.toMatchObject({ parts: [{ type: 'text', text: 'Here.' }] });
  });

  it('shows that a gateway stands before a dead server', async () => {
    const { call, calls, app } = await openCalls(({ response }) => {
      json(response, { error: 'no upstream' }, 502);
      return undefined;
    });
    await expect(call('plain')).rejects.toMatchObject({ code: 'server-failed' });
    expect(calls.serverFault(app.appId)).toContain('502');
  });

  it('shows that a program ended while no call needed it', async () => {
    const { calls, app, record } = await openCommandCalls();
    await calls.tools(app);
    expect(calls.serverFault(app.appId)).toBe(null);
    for (const pid of pidsIn(record).filter(isAlive)) process.kill(pid, 'SIGKILL');
    await expect.poll(() => calls.serverFault(app.appId)).toBe('The program of the connector has ended.');
    await calls.tools(app);
    expect(calls.serverFault(app.appId)).toBe(null);
  });
});

describe('a call whose account has no token', () => {
  const app = connectorApp('https://mcp.example.com/', true);
  const accountId = 'server';
  const missing = (detail: object = {}) =>
    new RuntimeError('not-connected', undefined, { detail: { accountId, ...detail } as never });
  const outage = () => new RuntimeError('token-unavailable', 'The server is down.');

  /** Attempts that fail with these errors, and a user who answers the cards with these. */
  function attempts(
    errors: readonly Error[],
    answer: (card: Card) => Answer,
    connect = async () => undefined,
  ) {
    const cards: Card[] = [];
    const scopesAsked: unknown[] = [];
    const accounts: SignInSource = {
      connect,
      underWay: () => null,
      async signInDetails(_app, _account, scopes) {
        scopesAsked.push(scopes);
        return { host: 'login.example.com', scopes: [] };
      },
    };
    const withAccount = createWithAccount(async (card) => {
      cards.push(card);
      return answer(card);
    }, accounts);
    let made = 0;
    const run = () =>
      withAccount(app, accountId, new AbortController().signal, async () => {
        const error = errors[made];
        made += 1;
        if (error) throw error;
        return 'done';
      });
    return { run, cards, scopesAsked, made: () => made };
  }
  const agrees = (card: Card): Answer => ({ accepted: true, binding: (card as { binding: string }).binding });
  const retries = (card: Card): Answer => ({ ...agrees(card), choice: 'retry' }) as Answer;
  const declines = (): Answer => ({ accepted: false });

  it('is made again after a sign-in, with the scopes that the server wants, twice', async () => {
    const call = attempts([missing({ scopes: ['read'] }), missing({ scopes: 'all' })], agrees);
    expect(await call.run()).toBe('done');
    expect(call.scopesAsked).toEqual([['read'], []]);
    const third = [missing(), missing(), missing({ scopes: ['x'] })];
    await expect(attempts(third, agrees).run()).rejects.toMatchObject({
      code: 'not-connected',
      message: expect.stringContaining('just connected'),
      detail: third[2]?.detail,
    });
  });

  it('is made again when the user retries after an outage, eight times', async () => {
    const errors = Array.from({ length: 9 }, outage);
    const call = attempts(errors.slice(1), retries);
    expect(await call.run()).toBe('done');
    expect(call.cards).toHaveLength(8);
    expect(call.cards[0]).toMatchObject({ kind: 'connect', outage: 'The server is down.' });
    await expect(attempts(errors, retries).run()).rejects.toBe(errors[8]);
    // Without a sign-in there is no account that was just connected.
    const last = missing();
    await expect(attempts([...errors.slice(1), last], retries).run()).rejects.toBe(last);
  });

  it('fails with the outage when the user declines, and with the refusal of a sign-in', async () => {
    const down = outage();
    await expect(attempts([down], declines).run()).rejects.toBe(down);
    await expect(attempts([missing()], declines).run()).rejects.toEqual(refused('declined'));
    const refusal = new RuntimeError('scope-refused');
    const signingIn = attempts([outage()], agrees, () => Promise.reject(refusal));
    await expect(signingIn.run()).rejects.toBe(refusal);
  });

  it('fails with any other error at once', async () => {
    for (const error of [new TypeError('a bug'), new RuntimeError('unreachable')]) {
      const call = attempts([error], agrees);
      await expect(call.run()).rejects.toBe(error);
      expect(call.cards).toEqual([]);
      await expect(attempts([missing(), error], agrees).run()).rejects.toBe(error);
    }
  });

  it('shares its card with calls that miss the same, and with no others', async () => {
    const call = attempts([missing(), missing(), outage()], agrees);
    expect(await Promise.all([call.run(), call.run(), call.run()])).toEqual(['done', 'done', 'done']);
    expect(call.cards.map((card) => 'outage' in card)).toEqual([false, true]);
  });
});

describe('an account', () => {
  it('adds its token, the project and the chat to every request of its tools', async () => {
    const { tokens, used } = tokensOf(TOKEN);
    const { call, mcp } = await openCalls(() => text('ok'), { deps: { tokens } });
    await call('mine');
    for (const { request } of mcp.asked) {
      expect(request.headers).toMatchObject({
        authorization: `Bearer ${TOKEN}`,
        'x-svc-project': 'project-1',
        'x-svc-chat': 'chat-1',
      });
    }
    expect(new Set(used)).toEqual(new Set(['acme localhost mine']));
  });

  it('does not add its token to calls of other tools', async () => {
    const { tokens, used } = tokensOf(TOKEN);
    const { call, mcp } = await openCalls(() => text('ok'), { deps: { tokens } });
    await call('mine');
    await call('plain');
    expect(mcp.headersOf('tools/call').map(({ authorization }) => authorization)).toEqual([
      `Bearer ${TOKEN}`,
      undefined,
    ]);
    expect(used.every((use) => use.endsWith('mine'))).toBe(true);
  });

  it('that the server requires adds its token to calls of every tool, and to the list of tools', async () => {
    const { tokens } = tokensOf(TOKEN);
    const { call, calls, app, mcp } = await openCalls(() => text('ok'), {
      deps: { tokens },
      manifest: { accounts: [{ id: 'acme', label: 'Acme', auth: 'mcp', scopes: [] }] },
    });
    await calls.tools(app);
    await call('plain');
    for (const { request } of mcp.asked) expect(request.headers.authorization).toBe(`Bearer ${TOKEN}`);
  });

  it('is connected first, and then the call continues', async () => {
    const { tokens, connects } = tokensOf(null, TOKEN);
    const { call, cards, mcp } = await openCalls(() => text('ok'), { deps: { tokens } });
    expect(await call('mine')).toEqual(said('ok'));
    expect(cards).toEqual([
      {
        kind: 'connect',
        app: { appId: 'com.example.notes', name: 'Notes', version: '1.0.0', publisher: 'example' },
        permissions: ['Reads the files you hand to it.'],
        account: { id: 'acme', label: 'Acme', scopes: ['read'] },
        host: 'login.acme.example',
        binding: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ]);
    expect(connects).toEqual([undefined]);
    for (const { request } of mcp.asked) expect(request.headers.authorization).toBe(`Bearer ${TOKEN}`);
  });

  it('is requested with one card for concurrent calls', async () => {
    const { tokens, connects } = tokensOf(null, TOKEN);
    const { call, cards } = await openCalls(() => text('ok'), { deps: { tokens } });
    const results = await Promise.all([call('mine'), call('mine'), call('mine')]);
    expect(results).toEqual([said('ok'), said('ok'), said('ok')]);
    expect([cards.length, connects.length]).toEqual([1, 1]);
  });

  it('is requested with one card after an aborted call, even if the card of that call closes late', async () => {
    const { tokens } = tokensOf(null, TOKEN);
    const shown: PromiseWithResolvers<Answer>[] = [];
    const { call } = await openCalls(() => text('ok'), {
      deps: { tokens },
      answer: () => {
        const card = Promise.withResolvers<Answer>();
        shown.push(card);
        return card.promise;
      },
    });
    const gone = new AbortController();
    const first = call('mine', { signal: gone.signal });
    await expect.poll(() => shown.length).toBe(1);
    gone.abort();
    await expect(first).rejects.toBeDefined();
    const second = call('mine');
    await expect.poll(() => shown.length).toBe(2);
    // The card of the first call closes only now.
    shown[0]?.resolve({ accepted: false });
    await setImmediate();
    const third = call('mine');
    for (let turn = 0; turn < 50; turn += 1) await setImmediate();
    expect(shown).toHaveLength(2);
    shown[1]?.resolve({ accepted: true });
    expect(await Promise.all([second, third])).toEqual([said('ok'), said('ok')]);
  });

  it('that the user declines to connect fails the call without a request', async () => {
    const { tokens } = tokensOf(null);
    const { call, mcp } = await openCalls(() => text('never'), {
      deps: { tokens },
      answer: () => ({ accepted: false }),
    });
    await expect(call('mine')).rejects.toEqual(refused('declined'));
    expect(mcp.asked).toHaveLength(0);
  });

  const unlessBearer =
    (token: string | null) =>
    ({ request, response }: { request: { headers: NodeJS.Dict<string | string[]> }; response: never }) => {
      if (token !== null && request.headers.authorization === `Bearer ${token}`) return false;
      json(response, {}, 401);
      return true;
    };

  it('is refreshed once when its token is refused, and the request repeated once', async () => {
    const fresh = `${TOKEN}-fresh`;
    const { tokens, refused: refusals } = tokensOf(TOKEN, fresh);
    const { call, cards, mcp } = await openCalls(() => text('ok'), {
      deps: { tokens },
      server: { before: unlessBearer(fresh) as never },
    });
    expect(await call('mine')).toEqual(said('ok'));
    expect(refusals).toEqual([TOKEN]);
    const [first, ...later] = mcp.asked.map(({ request }) => request.headers.authorization);
    expect(first).toBe(`Bearer ${TOKEN}`);
    expect(new Set(later)).toEqual(new Set([`Bearer ${fresh}`]));
    expect(mcp.asked[1]?.message).toEqual(mcp.asked[0]?.message);
    expect(cards).toEqual([]);
  });

  it('is refreshed only once for one call, even if the server refuses every token', async () => {
    const { tokens, refused: refusals } = tokensOf(
      TOKEN,
      `${TOKEN}-a`,
      `${TOKEN}-b`,
      `${TOKEN}-c`,
      `${TOKEN}-d`,
    );
    const { call, cards } = await openCalls(() => text('never'), {
      deps: { tokens },
      server: { before: unlessBearer(null) as never },
    });
    await expect(call('mine')).rejects.toEqual(refused('not-connected'));
    expect(refusals).toEqual([TOKEN]);
    expect(cards.map(({ kind }) => kind)).toEqual(['connect', 'connect']);
  });

  it('is connected with more scopes when the server requires them, and the call is repeated', async () => {
    const { tokens, connects } = tokensOf(TOKEN, `${TOKEN}-wide`);
    const { call, cards } = await openCalls(() => text('ok'), {
      deps: { tokens },
      server: {
        before({ request, response, message }) {
          if (message.method !== 'tools/call' || request.headers.authorization?.endsWith('-wide'))
            return false;
          const challenge = `Bearer error="insufficient_scope", scope="read write ${TOKEN}"`;
          response.setHeader('www-authenticate', challenge);
          json(response, {}, 403);
          return true;
        },
      },
    });
    expect(await call('mine')).toEqual(said('ok'));
    // The scope that is the token itself is left out.
    expect(connects).toEqual([['read', 'write']]);
    expect(JSON.stringify([cards, connects])).not.toContain(TOKEN);
  });

  it('ends its sessions when it is disconnected', async () => {
    const { tokens } = tokensOf(TOKEN);
    const { call, events, app, mcp } = await openCalls(() => text('ok'), { deps: { tokens } });
    await call('mine');
    events.emit({ type: 'account-disconnected', appId: app.appId, accountId: 'acme' });
    await expect.poll(async () => (await call('mine')) && mcp.headersOf('initialize').length).toBe(2);
  });

  it('that is lost ends its session after the running call, and not before', async () => {
    let ended = 0;
    const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { call, events, app, mcp } = await openCalls(
      async () => {
        begun.resolve();
        await released.promise;
        return text('ok');
      },
      {
        deps: { tokens: tokensOf(TOKEN).tokens },
        server: {
          serve: (listener) =>
            serveHere((url) => (request, response) => {
              if (request.method === 'DELETE') ended += 1;
              listener(url)(request, response);
            }),
        },
      },
    );
    const running = call('mine');
    await begun.promise;
    events.emit({ type: 'account-dropped', appId: app.appId, accountId: 'acme', reason: 'expired' });
    // The next call opens its own session, and ends while the other one runs.
    const next = call('mine');
    await expect.poll(() => mcp.headersOf('tools/call').length).toBe(2);
    expect(ended).toBe(0);
    released.resolve();
    expect(await Promise.all([running, next])).toEqual([said('ok'), said('ok')]);
    expect(mcp.headersOf('initialize')).toHaveLength(2);
    await expect.poll(() => ended).toBe(1);
    // Without a running call it ends at once.
    events.emit({ type: 'account-dropped', appId: app.appId, accountId: 'acme', reason: 'expired' });
    await expect.poll(() => ended).toBe(2);
  });
});
