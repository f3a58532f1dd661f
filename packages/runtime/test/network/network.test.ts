import { serveHere } from '@svc/testkit/http-server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createGuardedFetch } from '../../src/network/guarded-fetch.ts';
import { type Network, requireNetwork } from '../../src/network/network.ts';
import { HOME, OTHER, opened } from '../support/guarded.ts';
import { refused } from '../support/refused.ts';
import { openClient } from '../support/runtime-world.ts';
import { system } from '../support/system.ts';

/** A fetch that records what it is asked for, and answers as the test says. */
function recorded(answer: (url: string) => Response = () => new Response('hello')) {
  const asked: [string, RequestInit][] = [];
  const own: typeof fetch = async (url, init = {}) => {
    asked.push([String(url), init]);
    return answer(String(url));
  };
  return { asked, network: { fetch: own } };
}

const never = () => {
  throw new Error('no connection of this process');
};

describe('a guarded fetch over a fetch of the client', () => {
  it('asks it for allowed URLs only, also behind a redirect, without personal headers elsewhere', async () => {
    const { asked, network } = recorded((url) =>
      url === `${HOME}/mcp`
        ? new Response(null, { status: 307, headers: { location: `https://${OTHER}/a` } })
        : new Response('hello'),
    );
    const { guarded, connections } = await opened(never, { connecting: { network } });
    const init = { method: 'POST', headers: { authorization: 'Bearer t', accept: 'text/plain' }, body: 'x' };
    expect(await (await guarded(`${HOME}/mcp`, init)).text()).toBe('hello');
    expect(asked.map(([url, { redirect, body }]) => [url, redirect, body])).toEqual([
      [`${HOME}/mcp`, 'manual', 'x'],
      [`https://${OTHER}/a`, 'manual', 'x'],
    ]);
    const sent = asked.map(([, { headers }]) => Object.fromEntries(new Headers(headers)));
    expect(sent).toEqual([{ accept: 'text/plain', authorization: 'Bearer t' }, { accept: 'text/plain' }]);
    for (const address of ['https://elsewhere.example/', 'http://mcp.acme.example/', 'https://127.0.0.1/'])
      await expect(guarded(address)).rejects.toEqual(refused('address-refused'));
    expect(asked).toHaveLength(2);
    expect(connections()).toBe(0);
  });

  it('reads no more than the limit, and says in its own words that it fails', async () => {
    const large = new ReadableStream({ pull: (into) => into.enqueue(new Uint8Array(1024)) });
    const { network } = recorded((url) => {
      if (url.endsWith('/large')) return new Response(large);
      throw new TypeError('fetch failed at https://secret@host');
    });
    const { guarded } = await opened(never, { connecting: { network }, bounds: { maxBytes: 10_000 } });
    await expect((await guarded(`${HOME}/large`)).arrayBuffer()).rejects.toEqual(refused('too-large'));
    await expect(guarded(`${HOME}/gone`)).rejects.toEqual(refused('unreachable'));
  });

  it('leaves an address that the user agreed to to connections of this process', async () => {
    const { asked, network } = recorded();
    const home = await serveHere(() => (_request, response) => void response.end('direct'));
    const guarded = createGuardedFetch({
      ...{ system, allowed: ['localhost'], allowLoopback: true, home, pinned: ['127.0.0.1'] },
      connecting: { network },
    });
    onTestFinished(() => guarded.close());
    expect(await (await guarded(home)).text()).toBe('direct');
    expect(asked).toEqual([]);
  });
});

describe('a guarded fetch over a proxy', () => {
  // The port of no proxy: a request that needs it fails.
  const network: Network = { proxy: 'http://127.0.0.1:1', direct: 'mcp.acme.example, 10.0.0.0/8' };

  it('connects itself to the hosts that are reached without it, at public addresses alone', async () => {
    const { guarded, connections } = await opened((_request, response) => void response.end('direct'), {
      connecting: { network },
    });
    expect(await (await guarded(`${HOME}/`)).text()).toBe('direct');
    await expect(guarded(`https://${OTHER}/`)).rejects.toEqual(refused('unreachable'));
    expect(connections()).toBe(1);
    const inside = await opened(never, { connecting: { network, isPublic: () => false } });
    await expect(inside.guarded(`${HOME}/`)).rejects.toEqual(refused('address-refused'));
    expect(inside.connections()).toBe(0);
  });
});

it.each(['proxy.example', 'socks5://proxy.example', 'ftp://user:secret@proxy.example', ''])(
  'a proxy %j is refused when the runtime opens, without its text',
  async (proxy) => {
    expect(() => requireNetwork({ proxy })).toThrow(TypeError);
    const refusal = await openClient({ network: { proxy } }).catch((error: Error) => error);
    expect(refusal).toBeInstanceOf(TypeError);
    expect(String(refusal)).toContain('network.proxy');
    expect(String(refusal)).not.toMatch(/secret|socks/);
  },
);
