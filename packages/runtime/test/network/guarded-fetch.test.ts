import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { Say } from '@svc/testkit/dns-server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createGuardedFetch, type GuardedFetchOptions } from '../../src/network/guarded-fetch.ts';
import { isPublicAddress } from '../../src/network/public-address.ts';
import { ambient } from '../support/ambient.ts';
import { serveHere } from '../support/http-server.ts';
import { leadsTo, serveSite } from '../support/internet.ts';

const HOST = 'mcp.acme.example';
const OTHER = 'cdn.acme.example';
const HOME = `https://${HOST}`;

/** A fetch for the app of HOST, on an Internet that is one server of this machine. */
async function opened(answer: RequestListener, options: Partial<GuardedFetchOptions> = {}, say?: Say) {
  const { connecting, ...server } = await serveSite(`${HOST},${OTHER},acme.example`, answer, say);
  const guarded = createGuardedFetch({
    ambient,
    allowed: [HOST, OTHER],
    allowLoopback: false,
    home: HOME,
    ...options,
    connecting: { ...connecting, ...options.connecting },
  });
  onTestFinished(() => guarded.close());
  return { guarded, ...server };
}

/** A server that keeps what it was asked. */
function keeping(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const asked: IncomingMessage[] = [];
  const listener: RequestListener = (request, response) => {
    asked.push(request);
    answer(request, response);
  };
  return { asked, listener };
}

const refused = (code: string) => expect.objectContaining({ name: 'RuntimeRefusal', code });

describe('a request', () => {
  it('reaches an allowed host over https, with its headers and body', async () => {
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

  it('reaches what is below a wildcard, and not the name itself', async () => {
    const { guarded } = await opened((_request, response) => void response.end('here'), {
      allowed: ['*.acme.example'],
    });
    expect(await (await guarded(`https://${OTHER}/`)).text()).toBe('here');
    for (const host of ['acme.example', 'evilacme.example', '.acme.example']) {
      await expect(guarded(`https://${host}/`)).rejects.toEqual(refused('address-refused'));
    }
  });

  it('may go to another port at home alone', async () => {
    const { guarded } = await opened((_request, response) => void response.end('here'), {
      home: `${HOME}:8443`,
    });
    expect(await (await guarded(`${HOME}:8443/`)).text()).toBe('here');
    await expect(guarded(`https://${OTHER}:8443/`)).rejects.toEqual(refused('address-refused'));
  });

  it('says nothing of the address or the headers when it fails', async () => {
    const { guarded } = await opened(() => undefined, { connecting: { port: 1 } });
    const error = await guarded(`${HOME}/?token=hunter2`, {
      headers: { authorization: 'Bearer hunter2' },
    }).catch((fault: unknown) => fault);
    expect(error).toEqual(refused('unreachable'));
    expect(`${(error as Error).stack} ${JSON.stringify(error)}`).not.toContain('hunter2');
    expect((error as Error).cause).toBeUndefined();
  });
});

describe('an address inside', () => {
  const INSIDE: [string, 'A' | 'AAAA'][] = [
    ['127.0.0.1', 'A'],
    ['0.0.0.0', 'A'],
    ['10.0.0.1', 'A'],
    ['169.254.169.254', 'A'],
    ['100.64.0.1', 'A'],
    ['::1', 'AAAA'],
    ['::', 'AAAA'],
    ['::ffff:127.0.0.1', 'AAAA'],
    ['::ffff:7f00:1', 'AAAA'],
    ['64:ff9b::7f00:1', 'AAAA'],
    ['2002:7f00:1::', 'AAAA'],
    ['fd00::1', 'AAAA'],
    ['fe80::1', 'AAAA'],
  ];

  it.each(INSIDE)('is never connected to, though a name leads to %s', async (address, type) => {
    const connecting = { isPublic: isPublicAddress };
    const { guarded, connections } = await opened(() => undefined, { connecting }, leadsTo(address, type));
    await expect(guarded(HOME)).rejects.toEqual(refused('address-refused'));
    expect(connections()).toBe(0);
  });

  it('is not reached by a name that leads elsewhere the second time it is asked', async () => {
    const asked: string[] = [];
    const rebinding: Say = (question) => {
      if (question.type !== 'A') return [];
      asked.push(question.name);
      const data = asked.length === 1 ? '127.0.0.1' : '10.9.9.9';
      return [{ type: 'A', name: question.name, data }];
    };
    const { guarded, connections } = await opened(
      (_request, response) => void response.setHeader('connection', 'close').end('here'),
      {},
      rebinding,
    );
    // The first answer passes for the Internet; each connection asks once, and holds to what it was told.
    expect(await (await guarded(HOME)).text()).toBe('here');
    await expect(guarded(HOME)).rejects.toEqual(refused('address-refused'));
    expect([asked.length, connections()]).toEqual([2, 1]);
  });

  it('is not connected to when the connection leads there after all', async () => {
    let asked = 0;
    const { guarded } = await opened((_request, response) => void response.end('inside'), {
      // The address passes as it is looked up, and no longer as it is connected to.
      connecting: {
        isPublic: () => {
          asked += 1;
          return asked === 1;
        },
      },
    });
    await expect(guarded(HOME)).rejects.toEqual(refused('address-refused'));
    expect(asked).toBe(2);
  });
});

describe('this machine', () => {
  const local = (allowed: string[], allowLoopback: boolean | readonly string[]) => {
    const guarded = createGuardedFetch({ ambient, allowed, allowLoopback });
    onTestFinished(() => guarded.close());
    return guarded;
  };

  it('is reached by apps under development, over http and on any port', async () => {
    const url = await serveHere(() => (_request, response) => void response.end('here'));
    expect(await (await local(['localhost'], true)(url)).text()).toBe('here');
    const byAddress = url.replace('localhost', '127.0.0.1');
    expect(await (await local(['127.0.0.1'], true)(byAddress)).text()).toBe('here');
  });

  it('is not reached by other apps, nor under a name that is not allowed', async () => {
    const url = await serveHere(() => (_request, response) => void response.end('inside'));
    await expect(local(['localhost'], false)(url)).rejects.toEqual(refused('address-refused'));
    await expect(local(['mcp.acme.example'], true)(url)).rejects.toEqual(refused('address-refused'));
  });

  it('is reached at the origins alone that were named', async () => {
    const [one, another] = await Promise.all(
      [1, 2].map(() => serveHere(() => (_request, response) => void response.end('here'))),
    );
    const { origin, port } = new URL(one as string);
    const guarded = local(['localhost', '127.0.0.1'], [origin]);
    expect(await (await guarded(one as string)).text()).toBe('here');
    for (const address of [another as string, `http://127.0.0.1:${port}/`, `https://localhost:${port}/`]) {
      await expect(guarded(address)).rejects.toEqual(refused('address-refused'));
    }
    await expect(local(['localhost'], [])(one as string)).rejects.toEqual(refused('address-refused'));
  });

  it('is not where a server elsewhere may redirect to, though the app may reach it', async () => {
    let asked = 0;
    const url = await serveHere(() => (_request, response) => {
      asked += 1;
      response.end('inside');
    });
    for (const allowLoopback of [true, [new URL(url).origin]]) {
      const { guarded } = await opened(
        (_request, response) => void response.writeHead(307, { location: url }).end(),
        {
          allowed: [HOST, 'localhost'],
          allowLoopback,
        },
      );
      await expect(guarded(HOME, { method: 'POST', body: 'x' })).rejects.toEqual(refused('address-refused'));
      expect(await (await guarded(url)).text()).toBe('inside');
    }
    expect(asked).toBe(2);
  });

  it('is not reached by apps under development through a public name', async () => {
    const { guarded, connections } = await opened(() => undefined, {
      allowLoopback: true,
      connecting: { isPublic: isPublicAddress },
    });
    await expect(guarded(HOME)).rejects.toEqual(refused('address-refused'));
    expect(connections()).toBe(0);
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

  it.each([301, 302, 303])('%i does not turn what is posted into a question', async (status) => {
    const { guarded } = await opened(to('/end', status));
    await expect(guarded(HOME, { method: 'POST', body: 'x' })).rejects.toEqual(refused('server-failed'));
    expect(await (await guarded(HOME)).text()).toBe('end GET');
  });

  it.each([
    'https://elsewhere.example/end',
    'http://mcp.acme.example/end',
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

  it('takes nothing personal along to another origin', async () => {
    const { asked, listener } = keeping(to(`https://${OTHER}/end`));
    const { guarded } = await opened(listener);
    const headers = {
      authorization: 'Bearer t',
      cookie: 'a=b',
      'x-svc-project': 'p',
      'X-Svc-Chat': 'c',
      'mcp-session-id': 's',
      accept: 'text/plain',
    };
    await guarded(HOME, { headers });
    expect(asked[0]?.headers).toMatchObject({ authorization: 'Bearer t', 'x-svc-chat': 'c' });
    expect(asked[1]?.headers).toMatchObject({ host: OTHER, accept: 'text/plain' });
    for (const name of ['authorization', 'cookie', 'x-svc-project', 'x-svc-chat', 'mcp-session-id']) {
      expect(asked[1]?.headers[name]).toBeUndefined();
    }
  });

  it('does not go on for ever', async () => {
    const { asked, listener } = keeping(to('/again'));
    const { guarded } = await opened(listener);
    await expect(guarded(HOME)).rejects.toEqual(refused('server-failed'));
    expect(asked).toHaveLength(6);
  });

  it('is the answer where it is asked for so', async () => {
    const { guarded } = await opened(to('https://elsewhere.example/'));
    expect((await guarded(HOME, { redirect: 'manual' })).status).toBe(307);
  });
});

it('sends nothing personal to hosts that are not home', async () => {
  const { asked, listener } = keeping((_request, response) => void response.end());
  const { guarded } = await opened(listener);
  await guarded(`https://${OTHER}/`, { headers: { authorization: 'Bearer t', 'x-svc-chat': 'c' } });
  expect(asked[0]?.headers.authorization).toBeUndefined();
  expect(asked[0]?.headers['x-svc-chat']).toBeUndefined();
});

describe('the bounds', () => {
  it('end a body that is too large, whatever its length was said to be', async () => {
    const { guarded } = await opened((_request, response) => void response.write('x'.repeat(2_000)), {
      bounds: { maxBytes: 1_000 },
    });
    const response = await guarded(HOME);
    await expect(response.text()).rejects.toEqual(refused('too-large'));
  });

  it('count what a body unpacks to', async () => {
    const bomb = gzipSync(Buffer.alloc(4_000_000));
    const { guarded } = await opened(
      (_request, response) => void response.setHeader('content-encoding', 'gzip').end(bomb),
      { bounds: { maxBytes: 1_000_000 } },
    );
    await expect((await guarded(HOME)).text()).rejects.toEqual(refused('too-large'));
  });

  it('end a header that never comes, and one that is too large', async () => {
    const silent = await opened(() => undefined, { bounds: { totalMs: 100 } });
    await expect(silent.guarded(HOME)).rejects.toEqual(refused('too-slow'));
    const long = await opened(
      (_request, response) => void response.setHeader('x-a', 'x'.repeat(60_000)).end(),
    );
    await expect(long.guarded(HOME)).rejects.toEqual(refused('too-large'));
  });

  it('end a body that drips for ever', async () => {
    const { guarded } = await opened(
      (_request, response) => {
        const dripping = setInterval(() => response.write('x'), 20);
        response.on('close', () => clearInterval(dripping));
      },
      { bounds: { totalMs: 150 } },
    );
    const response = await guarded(HOME);
    await expect(response.text()).rejects.toEqual(refused('too-slow'));
  });

  it('let the caller give up', async () => {
    const { guarded } = await opened(() => undefined);
    const controller = new AbortController();
    const asking = guarded(HOME, { signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(asking).rejects.toThrow('enough');
  });
});
