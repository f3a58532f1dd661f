import { Resolver } from 'node:dns/promises';
import type { IncomingMessage, RequestListener } from 'node:http';
import { isPublicAddress, mayReach, readPrivateNetworks } from '@svc/contracts/public-address';
import { type Say, startDns } from '@svc/testkit/dns-server';
import { startHttps } from '@svc/testkit/https-server';
import { describe, expect, it } from 'vitest';
import { createSites } from '../../../src/adapters/sites/read-sites.ts';

const HOST = 'acme.example';
const PATH = '/.well-known/svc-verification';

async function resolverOf(say: Say): Promise<Resolver> {
  const resolver = new Resolver({ timeout: 2_000, tries: 1 });
  resolver.setServers([await startDns(say)]);
  return resolver;
}

/** Resolves every name to one address. */
const leadsTo =
  (address: string, type: 'A' | 'AAAA' = 'A'): Say =>
  (question) =>
    question.type === type ? [{ type, name: question.name, data: address }] : [];

/** Websites for which 127.0.0.1 is the only public address. */
async function opened(answer: RequestListener, say: Say = leadsTo('127.0.0.1')) {
  const server = await startHttps(HOST, answer);
  const isAllowed = (address: string) => address === '127.0.0.1';
  const sites = createSites({ resolver: await resolverOf(say), isAllowed, port: server.port, ca: server.ca });
  return { ...server, sites };
}

describe('the TXT records of a website', () => {
  const sitesThat = async (say: Say) =>
    createSites({ resolver: await resolverOf(say), isAllowed: isPublicAddress });

  it('are all read, each with its strings joined', async () => {
    const sites = await sitesThat(({ name }) => [
      { type: 'TXT', name, data: ['svc-', 'verification=', 'x'.repeat(200)] },
      { type: 'TXT', name, data: 'v=spf1 -all' },
    ]);
    expect(await sites.txt('_svc-verification.acme.example')).toEqual({
      texts: expect.arrayContaining([`svc-verification=${'x'.repeat(200)}`, 'v=spf1 -all']),
    });
  });

  it.each([
    ['NXDOMAIN', /^There is no such name \(NXDOMAIN\)$/],
    ['SERVFAIL', /SERVFAIL/],
    ['silence', /did not answer in time/],
    ['no record', /has no such record/],
  ] as const)('are missing with a message for: %s', async (what, fault) => {
    const sites = await sitesThat(() => (what === 'no record' ? [] : what));
    expect(await sites.txt('acme.example')).toEqual({ fault: expect.stringMatching(fault) });
  });
});

describe('a host', () => {
  it.each([
    ['10.1.2.3', true],
    ['10.20.2.3', false],
    ['1.1.1.1', false],
    ['127.0.0.1', false],
  ])('at %s is private to the store: %s', async (address, expected) => {
    const isAllowed = mayReach(readPrivateNetworks('10.20.0.0/16'));
    const sites = createSites({ resolver: await resolverOf(leadsTo(address)), isAllowed });
    expect(await sites.isPrivate(HOST)).toBe(expected);
  });
});

describe('the file of a website', () => {
  it('is read over https, without cookies, credentials or a referrer', async () => {
    let asked: IncomingMessage | undefined;
    const { sites } = await opened((request, response) => {
      asked = request;
      response.end('svc-verification=one\n');
    });
    expect(await sites.file(HOST, PATH)).toEqual({ text: 'svc-verification=one\n' });
    expect(asked?.url).toBe(PATH);
    expect(asked?.headers.host).toBe(HOST);
    for (const name of ['authorization', 'cookie', 'referer']) expect(asked?.headers[name]).toBeUndefined();
  });

  it.each([
    [404, /^It answers 404$/],
    [401, /^It answers 401$/],
    [500, /^It answers 500$/],
    [204, /^It answers 204$/],
  ])('is missing when the website answers %i', async (status, fault) => {
    const { sites } = await opened((_request, response) => void response.writeHead(status).end());
    expect(await sites.file(HOST, PATH)).toEqual({ fault: expect.stringMatching(fault) });
  });

  it.each([301, 302, 303, 307, 308])(
    'is missing when the website answers %i, and the redirect is not followed',
    async (status) => {
      let times = 0;
      const { sites } = await opened((_request, response) => {
        times += 1;
        response.writeHead(status, { location: 'https://acme.example/elsewhere' }).end();
      });
      expect(await sites.file(HOST, PATH)).toEqual({
        fault: `It answers ${status}, and redirects are not followed`,
      });
      expect(times).toBe(1);
    },
  );

  it('is limited to 4 KiB, also without a content length', async () => {
    const { sites } = await opened((_request, response) => {
      response.write('x'.repeat(4_096));
      setTimeout(() => response.write('x'), 20);
    });
    expect(await sites.file(HOST, PATH)).toEqual({ fault: 'It has more than 4096 bytes' });
    const whole = await opened((_request, response) => void response.end('x'.repeat(4_096)));
    expect(await whole.sites.file(HOST, PATH)).toEqual({ text: 'x'.repeat(4_096) });
  });

  it('is missing after five seconds in total, also when bytes keep arriving', async () => {
    const { sites } = await opened((_request, response) => {
      const dripping = setInterval(() => response.write('x'), 200);
      response.on('close', () => clearInterval(dripping));
    });
    expect(await sites.file(HOST, PATH)).toEqual({ fault: 'The host did not answer whole within 5 seconds' });
  });

  it('is missing without a trusted certificate for the host', async () => {
    const { port, ca } = await opened((_request, response) => void response.end('x'));
    const resolver = await resolverOf(leadsTo('127.0.0.1'));
    const sites = createSites({ resolver, isAllowed: () => true, port, ca });
    expect(await sites.file('other.example', PATH)).toEqual({
      fault: expect.stringMatching(/no certificate that can be trusted/),
    });
    const trusting = createSites({ resolver, isAllowed: () => true, port });
    expect(await trusting.file(HOST, PATH)).toEqual({
      fault: expect.stringMatching(/no certificate that can be trusted/),
    });
  });

  it('is missing when the host refuses connections, or does not exist', async () => {
    const refused = createSites({
      resolver: await resolverOf(leadsTo('127.0.0.1')),
      isAllowed: () => true,
      port: 1,
    });
    expect(await refused.file(HOST, PATH)).toEqual({ fault: 'The host refuses connections on port 443' });
    const nowhere = createSites({ resolver: await resolverOf(() => 'NXDOMAIN'), isAllowed: () => true });
    expect(await nowhere.file(HOST, PATH)).toEqual({ fault: 'There is no such name (NXDOMAIN)' });
  });
});

describe('a private address', () => {
  it.each<[string, Say]>([
    ['127.0.0.1', leadsTo('127.0.0.1')],
    ['169.254.169.254', leadsTo('169.254.169.254')],
    ['10.0.0.1', leadsTo('10.0.0.1')],
    ['::1', leadsTo('::1', 'AAAA')],
    ['::ffff:127.0.0.1', leadsTo('::ffff:127.0.0.1', 'AAAA')],
    ['64:ff9b::7f00:1', leadsTo('64:ff9b::7f00:1', 'AAAA')],
    ['fd00::1', leadsTo('fd00::1', 'AAAA')],
  ])('is never connected to when a name resolves to %s', async (_address, say) => {
    const server = await startHttps(HOST, (_request, response) => void response.end('inside'));
    const { port, ca } = server;
    const sites = createSites({ resolver: await resolverOf(say), isAllowed: isPublicAddress, port, ca });
    expect(await sites.file(HOST, PATH)).toEqual({
      fault: 'The host is not a name of the public Internet, and no other is asked',
    });
    expect(server.connections()).toBe(0);
  });

  it.each(['127.0.0.1', '[::1]', '::1', '2130706433', '0x7f000001', '017700000001', '127.1', 'localhost'])(
    'is not reachable as %s',
    async (host) => {
      const server = await startHttps(HOST, (_request, response) => void response.end('inside'));
      const { port, ca } = server;
      const resolver = await resolverOf(leadsTo('127.0.0.1'));
      const sites = createSites({ resolver, isAllowed: isPublicAddress, port, ca });
      expect(await sites.file(host, PATH)).toEqual({ fault: expect.any(String) });
      expect(server.connections()).toBe(0);
    },
  );

  it('is skipped when the name has public addresses too', async () => {
    const { sites } = await opened(
      (_request, response) => void response.end('here'),
      (question) =>
        question.type === 'A'
          ? ['10.0.0.1', '127.0.0.1'].map((data) => ({ type: 'A', name: question.name, data }))
          : [],
    );
    expect(await sites.file(HOST, PATH)).toEqual({ text: 'here' });
  });

  it('is not reachable by DNS rebinding', async () => {
    const asked: string[] = [];
    const { sites, connections } = await opened(
      (_request, response) => void response.end('inside'),
      (question) => {
        if (question.type !== 'A') return [];
        asked.push(question.name);
        // The first answer is an allowed address without a server; each later one is the address of the server.
        return [{ type: 'A', name: question.name, data: asked.length === 1 ? '10.9.9.9' : '127.0.0.1' }];
      },
    );
    expect(await sites.file(HOST, PATH)).toHaveProperty('fault');
    expect([asked.length, connections()]).toEqual([1, 0]);
  });
});
