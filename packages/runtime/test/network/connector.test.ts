import type { RequestListener } from 'node:http';
import { isPublicAddress, mayReach, readPrivateNetworks } from '@svc/contracts/public-address';
import type { Say } from '@svc/testkit/dns-server';
import { serveHere } from '@svc/testkit/http-server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hostsInside } from '../../src/network/connector.ts';
import { createGuardedFetch } from '../../src/network/guarded-fetch.ts';
import { HOME, HOST, opened } from '../support/guarded.ts';
import { leadsTo } from '../support/internet.ts';
import { refused } from '../support/refused.ts';
import { system } from '../support/system.ts';

describe('a private address', () => {
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

  it.each(INSIDE)('is never connected to, even if a name resolves to %s', async (address, type) => {
    const connecting = { isPublic: isPublicAddress };
    const { guarded, connections } = await opened(() => undefined, { connecting }, leadsTo(address, type));
    await expect(guarded(HOME)).rejects.toEqual(refused('address-refused'));
    expect(connections()).toBe(0);
  });

  it('is not connected to when a name resolves to it at the second lookup (DNS rebinding)', async () => {
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
    // The first address counts as public. Each connection looks the name up once, and uses only that answer.
    expect(await (await guarded(HOME)).text()).toBe('here');
    await expect(guarded(HOME)).rejects.toEqual(refused('address-refused'));
    expect([asked.length, connections()]).toEqual([2, 1]);
  });

  it('is checked again when the connection is made', async () => {
    let asked = 0;
    const { guarded } = await opened((_request, response) => void response.end('inside'), {
      // The address counts as public at the lookup, but not at the connection.
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

describe('a private network', () => {
  /** The network counts this machine as the address of `HOST`, and is otherwise that of the list. */
  const inside = (list: string, asked: string[] = []) => {
    const reach = mayReach(readPrivateNetworks(list));
    return {
      asked,
      connecting: {
        isPublic: (address: string, host: string) => {
          asked.push(`${address} ${host}`);
          return (address === '127.0.0.1' && host === HOST) || reach(address, host);
        },
      },
    };
  };
  const byName: Say = (question) =>
    question.type === 'A'
      ? [{ type: 'A', name: question.name, data: question.name === HOST ? '127.0.0.1' : '10.9.9.9' }]
      : [];

  it('cannot be reached by a redirect of a listed host to one that is not listed', async () => {
    const { connecting, asked } = inside(`${HOST},10.20.0.0/16`);
    const redirect: RequestListener = (_request, response) =>
      void response.writeHead(307, { location: 'https://inside.acme.example/' }).end();
    const allowed = [HOST, 'inside.acme.example'];
    const { guarded } = await opened(redirect, { connecting, allowed }, byName);
    await expect(guarded(HOME)).rejects.toEqual(refused('address-refused'));
    expect(asked.at(-1)).toBe('10.9.9.9 inside.acme.example');
  });

  it('tells before an install which hosts of an app are inside, by name or by address', async () => {
    const networks = readPrivateNetworks('*.corp.example,10.9.0.0/16');
    const lookUp = async (host: string) => {
      if (host === 'away.corp.example') throw new Error('There is no such name.');
      return [{ address: host.startsWith('public') ? '1.1.1.1' : '10.9.9.9', family: 4 }];
    };
    const hosts = [
      'a.example',
      'public.example',
      'public.corp.example',
      'away.corp.example',
      '*.corp.example',
    ];
    const given = { networks, system };
    expect(await hostsInside({ lookUp }, given, hosts)).toEqual([
      'a.example',
      'away.corp.example',
      '*.corp.example',
    ]);
    const never = () => new Promise<never>(() => {});
    const late = hostsInside({ lookUp: never }, { networks, system: { sleep: async () => {} } }, [
      'a.example',
      'b.corp.example',
    ]);
    expect(await late).toEqual(['b.corp.example']);
  });
});

describe('this machine', () => {
  const local = (allowed: string[], allowLoopback: boolean | readonly string[]) => {
    const guarded = createGuardedFetch({ system, allowed, allowLoopback });
    onTestFinished(() => guarded.close());
    return guarded;
  };

  it('can be called by apps under development, over http and on any port', async () => {
    const url = await serveHere(() => (_request, response) => void response.end('here'));
    expect(await (await local(['localhost'], true)(url)).text()).toBe('here');
    const byAddress = url.replace('localhost', '127.0.0.1');
    expect(await (await local(['127.0.0.1'], true)(byAddress)).text()).toBe('here');
  });

  it('cannot be called by other apps, nor by a name that is not allowed', async () => {
    const url = await serveHere(() => (_request, response) => void response.end('inside'));
    await expect(local(['localhost'], false)(url)).rejects.toEqual(refused('address-refused'));
    await expect(local(['mcp.acme.example'], true)(url)).rejects.toEqual(refused('address-refused'));
  });

  it('can be called only at the allowed origins', async () => {
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

  it('cannot be the target of a redirect from another server, even if the app may call it', async () => {
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

  it('cannot be called by apps under development through a public name', async () => {
    const { guarded, connections } = await opened(() => undefined, {
      allowLoopback: true,
      connecting: { isPublic: isPublicAddress },
    });
    await expect(guarded(HOME)).rejects.toEqual(refused('address-refused'));
    expect(connections()).toBe(0);
  });
});
