import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { refusalOf } from '../../src/network/guarded-fetch.ts';
import { HOME, OTHER, opened } from '../support/guarded.ts';
import { refused } from '../support/refused.ts';
import { system } from '../support/system.ts';

/** A server that records its requests. */
function keeping(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const asked: IncomingMessage[] = [];
  const listener: RequestListener = (request, response) => {
    asked.push(request);
    answer(request, response);
  };
  return { asked, listener };
}

describe('a request', () => {
  it('is sent to an allowed host over https, with its headers and body', async () => {
    const bodies: string[] = [];
    const { guarded } = await opened(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      bodies.push(`${request.method} ${request.headers.authorization} ${body}`);
      response.setHeader('content-type', 'application/json').end('{"ok":true}');
    });
    const init = { method: 'POST', headers: { authorization: 'Bearer t' }, body: 'hello' };
    const response = await guarded(`${HOME}/mcp`, init);
    expect([response.status, response.headers.get('content-type'), await response.json()]).toEqual([
      200,
      'application/json',
      { ok: true },
    ]);
    expect(bodies).toEqual(['POST Bearer t hello']);
  });

  it.each([
    'http://mcp.acme.example/',
    'https://elsewhere.example/',
    'https://acme.example/',
    'https://mcp.acme.example./',
    'https://mcp.acme.example.evil.example/',
    'https://user@mcp.acme.example/',
    'https://mcp.acme.example:pass@evil.example/',
    'https://mcp.acme.example:8443/',
    'https://mcp.acme.example:22/',
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://017700000001/',
    'https://127.1/',
    'https://0.0.0.0/',
    'https://0/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://localhost/',
    'http://localhost/',
    'ftp://mcp.acme.example/',
    'file:///etc/passwd',
    'data:text/plain,hello',
    '//mcp.acme.example/',
    'nonsense',
  ])('is not sent to %s', async (address) => {
    const { guarded, connections } = await opened((_request, response) => void response.end());
    await expect(guarded(address)).rejects.toEqual(refused('address-refused'));
    expect(connections()).toBe(0);
  });

  it('is sent to subdomains of a wildcard, but not to its parent domain', async () => {
    const { guarded } = await opened((_request, response) => void response.end('here'), {
      allowed: ['*.acme.example'],
    });
    expect(await (await guarded(`https://${OTHER}/`)).text()).toBe('here');
    for (const host of ['acme.example', 'evilacme.example', '.acme.example']) {
      await expect(guarded(`https://${host}/`)).rejects.toEqual(refused('address-refused'));
    }
  });

  it('may use another port only at the home origin', async () => {
    const { guarded } = await opened((_request, response) => void response.end('here'), {
      home: `${HOME}:8443`,
    });
    expect(await (await guarded(`${HOME}:8443/`)).text()).toBe('here');
    await expect(guarded(`https://${OTHER}:8443/`)).rejects.toEqual(refused('address-refused'));
  });

  it('fails with an error that contains no URL and no headers', async () => {
    const { guarded } = await opened(() => undefined, { connecting: { port: 1 } });
    const error = await guarded(`${HOME}/?token=hunter2`, {
      headers: { authorization: 'Bearer hunter2' },
    }).catch((fault: unknown) => fault);
    expect(error).toEqual(refused('unreachable'));
    expect(`${(error as Error).stack} ${JSON.stringify(error)}`).not.toContain('hunter2');
    expect((error as Error).cause).toBeUndefined();
  });
});

describe('a redirect', () => {
  const to =
    (location: string, status = 307): RequestListener =>
    (request, response) => {
      if (request.url === '/end') response.end(`end ${request.method}`);
      else response.writeHead(status, { location }).end();
    };

  it.each([307, 308])('%i is followed within the allowed hosts, with method and body', async (status) => {
    const { guarded } = await opened(to('/end', status));
    expect(await (await guarded(HOME, { method: 'POST', body: 'x' })).text()).toBe('end POST');
  });

  it.each([301, 302, 303])('%i does not turn a POST into a GET', async (status) => {
    const { guarded } = await opened(to('/end', status));
    await expect(guarded(HOME, { method: 'POST', body: 'x' })).rejects.toEqual(refused('server-failed'));
    expect(await (await guarded(HOME)).text()).toBe('end GET');
  });

  it.each([
    'https://elsewhere.example/end',
    'http://elsewhere.example/end',
    'http://mcp.acme.example:9/end',
    'https://127.0.0.1/end',
    'http://169.254.169.254/latest/meta-data/',
    'http://localhost:1/end',
    'https://mcp.acme.example:9/end',
    'https://user:pass@mcp.acme.example/end',
    'file:///etc/passwd',
  ])('is not followed to %s', async (location) => {
    const { guarded, connections } = await opened(to(location));
    await expect(guarded(HOME)).rejects.toEqual(refused('address-refused'));
    expect(connections()).toBe(1);
  });

  it('to its own address with http, as servers behind a proxy have it, is followed over https', async () => {
    const { asked, listener } = keeping(to('http://mcp.acme.example/end'));
    const { guarded } = await opened(listener);
    const headers = { authorization: 'Bearer t' };
    expect(await (await guarded(HOME, { method: 'POST', body: 'x', headers })).text()).toBe('end POST');
    expect(asked.map((request) => request.headers.authorization)).toEqual(['Bearer t', 'Bearer t']);
  });

  it('does not send credentials or ids to another origin', async () => {
    const { asked, listener } = keeping(to(`https://${OTHER}/end`));
    const { guarded } = await opened(listener, { personal: ['x-api-key'] });
    const headers = {
      'X-Api-Key': 'k',
      authorization: 'Bearer t',
      cookie: 'a=b',
      'x-svc-project': 'p',
      'X-Svc-Chat': 'c',
      'mcp-session-id': 's',
      accept: 'text/plain',
    };
    await guarded(HOME, { headers });
    expect(asked[0]?.headers).toMatchObject({ authorization: 'Bearer t', 'x-api-key': 'k' });
    expect(asked[1]?.headers).toMatchObject({ host: OTHER, accept: 'text/plain' });
    const personal = ['authorization', 'cookie', 'x-svc-project', 'x-svc-chat', 'mcp-session-id'];
    for (const name of [...personal, 'x-api-key']) {
      expect(asked[1]?.headers[name]).toBeUndefined();
    }
  });

  it('is followed at most five times', async () => {
    const { asked, listener } = keeping(to('/again'));
    const { guarded } = await opened(listener);
    await expect(guarded(HOME)).rejects.toEqual(refused('server-failed'));
    expect(asked).toHaveLength(6);
  });

  it('is returned when the caller asks for it', async () => {
    const { guarded } = await opened(to('https://elsewhere.example/'));
    expect((await guarded(HOME, { redirect: 'manual' })).status).toBe(307);
  });
});

it('sends no token and no chat id to hosts other than home', async () => {
  const { asked, listener } = keeping((_request, response) => void response.end());
  const { guarded } = await opened(listener);
  await guarded(`https://${OTHER}/`, { headers: { authorization: 'Bearer t', 'x-svc-chat': 'c' } });
  expect(asked[0]?.headers.authorization).toBeUndefined();
  expect(asked[0]?.headers['x-svc-chat']).toBeUndefined();
});

describe('the bounds', () => {
  it('end a body that is too large, without a declared length', async () => {
    const { guarded } = await opened((_request, response) => void response.write('x'.repeat(2_000)), {
      bounds: { maxBytes: 1_000 },
    });
    const response = await guarded(HOME);
    await expect(response.text()).rejects.toEqual(refused('too-large'));
  });

  it.each([120_000, Number.POSITIVE_INFINITY])(
    'apply to the size of the decompressed body, with a time limit of %d ms',
    async (totalMs) => {
      const bomb = gzipSync(Buffer.alloc(4_000_000));
      const { guarded } = await opened(
        (_request, response) => void response.setHeader('content-encoding', 'gzip').end(bomb),
        { bounds: { totalMs, maxBytes: 1_000_000 } },
      );
      const told = (await guarded(HOME)).text().catch((error: unknown) => refusalOf(error, null));
      expect(await told).toEqual(refused('too-large'));
    },
  );

  it('allow an error response that is compressed once or twice', async () => {
    const once = gzipSync('{"error":"no"}');
    const { guarded } = await opened((request, response) => {
      const twice = request.url === '/twice';
      response.writeHead(500, { 'content-encoding': twice ? 'gzip, gzip' : 'gzip' });
      response.end(twice ? gzipSync(once) : once);
    });
    for (const path of ['/once', '/twice']) {
      const response = await guarded(`${HOME}${path}`);
      expect([response.status, await response.json()]).toEqual([500, { error: 'no' }]);
    }
  });

  it('end a request without a response, and one with headers that are too large', async () => {
    const silent = await opened(() => undefined, { bounds: { totalMs: 100 } });
    await expect(silent.guarded(HOME)).rejects.toEqual(refused('too-slow'));
    const long = await opened(
      (_request, response) => void response.setHeader('x-a', 'x'.repeat(60_000)).end(),
    );
    await expect(long.guarded(HOME)).rejects.toEqual(refused('too-large'));
  });

  it('end a body that is sent slowly without end', async () => {
    // The time is over once the header has arrived, however long a busy machine takes to deliver it.
    const { promise: timeIsOver, resolve: endTime } = Promise.withResolvers<void>();
    const { guarded } = await opened(
      (_request, response) => {
        const dripping = setInterval(() => response.write('x'), 20);
        response.on('close', () => clearInterval(dripping));
      },
      { bounds: { totalMs: 150 }, system: { ...system, sleep: () => timeIsOver } },
    );
    const body = (await guarded(HOME)).text();
    endTime();
    await expect(body).rejects.toEqual(refused('too-slow'));
  });

  it('name an error whose code is a number, as that of a DOM exception is', () => {
    const cause = new DOMException('The operation timed out.', 'TimeoutError');
    expect(refusalOf(new TypeError('fetch failed', { cause }), null)).toEqual(refused('unreachable'));
  });

  it('let the caller abort', async () => {
    const { guarded } = await opened(() => undefined);
    const controller = new AbortController();
    const asking = guarded(HOME, { signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(asking).rejects.toThrow('enough');
  });
});
