import { isThisMachine, unbracketed } from '@svc/contracts/this-machine';
// By its file: Bun has a module of its own under the name of the package, without agents.
import { Agent, type buildConnector, type Dispatcher, EnvHttpProxyAgent } from 'undici/index.js';
import { RuntimeError } from '../platform/runtime-error.ts';
import { networksIn } from './env-proxy.ts';
import { type Outgoing, sendRequest } from './send-request.ts';

/**
 * How requests leave this machine: to the servers of apps, to where users sign in, and to the store. Hosts, https and redirects are checked
 * as always. Names are resolved by the proxy or the fetch, which decides then which addresses may be reached.
 */
export type Network =
  | {
      /** Sends every request but those to a connector at an address that the user agreed to. It follows no redirect. */
      fetch: typeof fetch;
    }
  | {
      /** URL of an HTTP proxy, with its user and password if it needs them. */
      proxy: string;
      /** Hosts and networks that are reached without it, as in `NO_PROXY`. This machine always is. */
      direct?: string;
    };

/** @throws TypeError for a proxy that is none. The message does not repeat the URL, which may contain a password. */
export function requireNetwork(network: Network | undefined): void {
  if (network === undefined || 'fetch' in network) return;
  if (!/^https?:$/.test(URL.parse(network.proxy)?.protocol ?? ''))
    throw new TypeError('network.proxy must be the URL of an HTTP proxy, such as http://proxy.example:3128.');
}

/** What the connections of requests have in common. */
type Limits = {
  connect: buildConnector.connector;
  connectTimeout: number;
  headersTimeout: number;
  bodyTimeout: number;
  maxHeaderSize: number;
  maxResponseSize: number;
};

/** Sends requests, without following redirects. */
export type Sender = {
  send(request: Outgoing, limits: { signal: AbortSignal; maxBytes: number }): Promise<Response>;
  close(): Promise<void>;
};

const over = (through: Pick<Dispatcher, 'dispatch'>, owned: readonly Dispatcher[]): Sender => ({
  send: (request, limits) => sendRequest(through, request, limits),
  close: async () => {
    await Promise.all(owned.map((one) => one.destroy()));
  },
});

const hostOf = (origin: string | URL | undefined): string => unbracketed(new URL(origin ?? '').hostname);

/** Sends requests through a proxy, but those to this machine and to the hosts that are reached without it. */
function overProxy(
  { proxy, direct: noProxy = '' }: Extract<Network, { proxy: string }>,
  limits: Partial<Limits>,
  ca?: string,
): Sender {
  const tls = ca === undefined ? {} : { requestTls: { ca }, proxyTls: { ca } };
  const proxied = new EnvHttpProxyAgent({
    ...{ ...limits, ...tls },
    ...{ httpProxy: proxy, httpsProxy: proxy, noProxy },
  } as EnvHttpProxyAgent.Options);
  const unproxied = new Agent(limits as Agent.Options);
  const isInside = networksIn(noProxy);
  const dispatch: Dispatcher['dispatch'] = (options, handler) => {
    const host = hostOf(options.origin);
    return (isThisMachine(host) || isInside?.(host) ? unproxied : proxied).dispatch(options, handler);
  };
  return over({ dispatch }, [proxied, unproxied]);
}

/** A response whose body has at most so many bytes. */
function bounded(response: Response, maxBytes: number): Response {
  if (!response.body || maxBytes === Number.POSITIVE_INFINITY) return response;
  let bytes = 0;
  const counting = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      bytes += piece.byteLength;
      if (bytes <= maxBytes) return controller.enqueue(piece);
      controller.error(new RuntimeError('too-large', `The answer has more than ${maxBytes} bytes.`));
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(counting), { status, statusText, headers });
}

const overFetch = (given: typeof fetch): Sender => ({
  async send({ url, ...request }, { signal, maxBytes }) {
    return bounded(await given(url.href, { ...request, redirect: 'manual', signal }), maxBytes);
  },
  close: async () => undefined,
});

/** Opens what sends requests. Without a network they go over connections of this process. */
export function openSender(
  network: Network | undefined,
  { limits, ca }: { limits: Partial<Limits>; ca?: string | undefined },
): Sender {
  if (network === undefined) {
    const agent = new Agent(limits as Agent.Options);
    return over(agent, [agent]);
  }
  return 'fetch' in network ? overFetch(network.fetch) : overProxy(network, limits, ca);
}
