import { type LookupAddress, promises } from 'node:dns';
import type { RequestListener } from 'node:http';
import { type Say, startDns } from '@svc/testkit/dns-server';
import { startHttps } from '@svc/testkit/https-server';
import type { Connecting } from '../../src/network/connector.ts';

/** Looks names up at a name server of the test, like the resolver of the system. */
async function lookUpAt(say: Say): Promise<(host: string) => Promise<LookupAddress[]>> {
  const resolver = new promises.Resolver({ timeout: 3_000, tries: 1 });
  resolver.setServers([await startDns(say)]);
  return async (host) => {
    const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    if (four.status === 'rejected' && six.status === 'rejected') throw four.reason;
    return [
      ...(four.status === 'fulfilled' ? four.value.map((address) => ({ address, family: 4 })) : []),
      ...(six.status === 'fulfilled' ? six.value.map((address) => ({ address, family: 6 })) : []),
    ];
  };
}

/** A name server that resolves every name to one address. */
export const leadsTo =
  (address: string, type: 'A' | 'AAAA' = 'A'): Say =>
  (question) =>
    question.type === type ? [{ type, name: question.name, data: address }] : [];

/**
 * An https server with a certificate for some hosts, and the options to connect to it: the names resolve to this machine, which
 * counts as public, and port 443 is the port of the server.
 */
export async function serveSite(hosts: string, answer: RequestListener, say: Say = leadsTo('127.0.0.1')) {
  const server = await startHttps(hosts, answer);
  const lookUp = await lookUpAt(say);
  const connecting: Connecting = {
    lookUp,
    isPublic: (address) => address === '127.0.0.1',
    port: server.port,
    ca: server.ca,
  };
  return { ...server, connecting };
}

/** Starts a server, and returns its URL without a trailing slash. */
export type Serve = (listener: (url: string) => RequestListener) => Promise<string>;

/** https servers for some hosts, and the options to connect to them: `at` sets the server of a host. */
export async function serveSites(hosts: readonly string[]) {
  const listeners = new Map<string, RequestListener>();
  const site = await serveSite(hosts.join(), (request, response) => {
    const listener = listeners.get(request.headers.host ?? '');
    if (listener) listener(request, response);
    else response.writeHead(421).end();
  });
  const at =
    (host: string): Serve =>
    async (listener) => {
      listeners.set(host, listener(`https://${host}`));
      return `https://${host}`;
    };
  return { ...site, at };
}
