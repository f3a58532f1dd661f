import { serveHere } from '@svc/testkit/http-server';
import { describe, expect, it } from 'vitest';
import { openCalls, TOKEN, tokensOf } from '../support/calls.ts';
import { event, json, type Play, text } from '../support/mcp-server.ts';
import { refused } from '../support/refused.ts';

/** Everything that a printed error could show. */
const shown = (error: unknown) => {
  const { stack, cause, detail } = error as Error & { detail: unknown };
  return `${stack} ${String(cause)} ${JSON.stringify(detail)}`;
};

describe('a malicious server', () => {
  it.each<[string, Play, string]>([
    ['never answers', () => undefined, 'too-slow'],
    [
      'streams without end',
      ({ response }) => {
        const dripping = setInterval(() => response.write(': still there\n\n'), 10);
        response
          .writeHead(200, { 'content-type': 'text/event-stream' })
          .on('close', () => clearInterval(dripping));
        return undefined;
      },
      'too-slow',
    ],
    [
      'answers with another id',
      ({ response }) => void json(response, { jsonrpc: '2.0', id: 999, result: text('x') }),
      'server-failed',
    ],
    [
      'answers with another id in a stream',
      ({ response, message }) => {
        event(response, { jsonrpc: '2.0', id: `${message.id}x`, result: text('x') });
        return undefined;
      },
      'too-slow',
    ],
    [
      'sends HTML',
      ({ response }) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
      'server-failed',
    ],
    [
      'sends HTML as JSON',
      ({ response }) => void response.writeHead(200, { 'content-type': 'application/json' }).end('<html>'),
      'server-failed',
    ],
    ['sends JSON that is not JSON-RPC', ({ response }) => void json(response, { hello: 1 }), 'server-failed'],
    ['responds with 500', ({ response }) => void json(response, {}, 500), 'server-failed'],
    ['closes the connection', ({ response }) => void response.destroy(), 'unreachable'],
    [
      'redirects to another host',
      ({ response }) => void response.writeHead(307, { location: 'https://evil.example/' }).end(),
      'address-refused',
    ],
    [
      'redirects to a link-local address',
      ({ response }) => void response.writeHead(308, { location: 'http://169.254.169.254/' }).end(),
      'address-refused',
    ],
    [
      'redirects with 303, which turns the call into a GET',
      ({ response }) => void response.writeHead(303, { location: '/mcp' }).end(),
      'server-failed',
    ],
  ])('that %s ends the call with an error', async (_what, play, code) => {
    const { call } = await openCalls(play);
    // Only a call that must time out has a short timeout; the others have to pass on a busy machine.
    const bounds = code === 'too-slow' ? { timeoutMs: 250 } : {};
    await expect(call('plain', bounds)).rejects.toEqual(refused(code));
  });

  it('that sends an endless body ends the call, but not the client', async () => {
    const piece = 'x'.repeat(2 ** 20);
    let sent = 0;
    const { call } = await openCalls(({ response }) => {
      response.writeHead(200, { 'content-type': 'application/json' }).write('{"jsonrpc":"2.0","x":"');
      const more = () => {
        while (!response.destroyed && sent < 200) {
          sent += 1;
          if (!response.write(piece)) return void response.once('drain', more);
        }
      };
      more();
      return undefined;
    });
    await expect(call('plain')).rejects.toEqual(refused('too-large'));
    expect(sent).toBeLessThan(200);
  });

  it('of an app of the store that requests sampling or roots receives the error -32601, and -32602 for a form without fields', async () => {
    const answers: unknown[] = [];
    const { promise: answered, resolve: allAnswered } = Promise.withResolvers<void>();
    const { call } = await openCalls(
      async ({ response, message }) => {
        for (const method of ['elicitation/create', 'sampling/createMessage', 'roots/list']) {
          event(response, {
            jsonrpc: '2.0',
            id: `ask-${method}`,
            method,
            params: { message: 'Your password?' },
          });
        }
        // The result ends the call and the requests within it, so the server sends it last.
        await answered;
        event(response, { jsonrpc: '2.0', id: message.id, result: text('ok') });
        return undefined;
      },
      {
        server: {
          before({ message, response }) {
            if (message.method !== undefined) return false;
            answers.push((message as unknown as { error?: { code: number } }).error?.code);
            response.writeHead(202).end();
            if (answers.length === 3) allAnswered();
            return true;
          },
        },
      },
    );
    await call('plain');
    expect(answers.toSorted()).toEqual([-32601, -32601, -32602]);
  });
});

describe('a token in an error of a server', () => {
  it.each<[string, Play]>([
    [
      'an error',
      ({ response, message }) =>
        void json(response, {
          jsonrpc: '2.0',
          id: message.id,
          error: { code: -1, message: `no ${TOKEN}`, data: { TOKEN } },
        }),
    ],
    [
      'an error in base64',
      ({ response, message }) =>
        void json(response, {
          jsonrpc: '2.0',
          id: message.id,
          error: { code: -1, message: Buffer.from(`x${TOKEN}`).toString('base64') },
        }),
    ],
    [
      'an HTML page',
      ({ response }) => void response.writeHead(500, { 'x-token': TOKEN }).end(`<h1>${TOKEN}</h1>`),
    ],
    [
      'a content type',
      ({ response }) =>
        void response
          .writeHead(200, { 'content-type': `text/${TOKEN.replace(/[^\w]/g, '')}; t="${TOKEN}"` })
          .end(),
    ],
    [
      'the address of a redirect',
      ({ response }) => void response.writeHead(307, { location: `https://evil.example/?t=${TOKEN}` }).end(),
    ],
    [
      'the host of a redirect',
      ({ response }) =>
        void response
          .writeHead(307, {
            location: `https://${Buffer.from(TOKEN).toString('hex').slice(0, 60)}.evil.example/`,
          })
          .end(),
    ],
    [
      'broken JSON',
      ({ response }) => void response.writeHead(200, { 'content-type': 'application/json' }).end(TOKEN),
    ],
  ])('does not leak from %s', async (_what, play) => {
    const { call, told } = await openCalls(play, { deps: tokensOf(TOKEN) });
    const error = await call('mine').catch((fault: unknown) => fault);
    expect(error).toBeInstanceOf(Error);
    const all = `${shown(error)} ${JSON.stringify(told)}`;
    expect(all).not.toContain(TOKEN);
    expect(all).not.toContain(Buffer.from(`x${TOKEN}`).toString('base64').slice(4, 24));
  });

  it('does not leak from progress messages, whole or in parts', async () => {
    const heard: string[] = [];
    const { call } = await openCalls(
      ({ message, response }) => {
        const progressToken = message.params._meta?.progressToken;
        const say = (progress: number, words: string) =>
          event(response, {
            jsonrpc: '2.0',
            method: 'notifications/progress',
            params: { progressToken, progress, message: words },
          });
        say(1, `got ${TOKEN}`);
        say(2, `first ${TOKEN.slice(0, 20)}`);
        say(3, `${TOKEN.slice(20)} second`);
        // The result is written in two parts, split within the token.
        const answer = `data: ${JSON.stringify({ jsonrpc: '2.0', id: message.id, result: text(TOKEN) })}\n\n`;
        const middle = answer.indexOf(TOKEN) + 10;
        response.write(answer.slice(0, middle));
        setTimeout(() => response.end(answer.slice(middle)), 20);
        return undefined;
      },
      { deps: tokensOf(TOKEN) },
    );
    const result = await call('mine', { onProgress: ({ message = '' }) => heard.push(message) });
    expect(result.parts).toEqual([{ type: 'text', text: '[secret]' }]);
    expect(heard).toEqual(['got [secret]', 'first [secret]', 'second']);
  });
});

it('does not send a token or a session to another origin of the app after a redirect', async () => {
  const headers: unknown[] = [];
  const other = await serveHere(() => (request, response) => {
    headers.push(
      request.headers.authorization,
      request.headers['x-svc-project'],
      request.headers['mcp-session-id'],
    );
    response.writeHead(500).end();
  });
  const { call } = await openCalls(
    ({ response }) => void response.writeHead(307, { location: other }).end(),
    {
      deps: tokensOf(TOKEN),
    },
  );
  await expect(call('mine')).rejects.toEqual(refused('server-failed'));
  expect(headers).toEqual([undefined, undefined, undefined]);
});
