import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isLocalNetworkAddress, isLoopbackAddress } from '@svc/contracts/public-address';
import { localPort } from '../library/loopback.ts';
import { isAddressHost } from '../network/allowed-url.ts';
import { plainAddress } from '../network/connector.ts';
import { RuntimeError } from '../platform/runtime-error.ts';

/** Longest address that is taken, and how many IP addresses its name may lead to. */
const MAX_URL = 2_000;
const MAX_ADDRESSES = 16;

/** An address of this machine or of the local network, and where it leads now. */
export type LocalAddress = {
  url: string;
  addresses: readonly string[];
  place: 'this-machine' | 'local-network';
};

export type ResolveAddressDeps = {
  /** All addresses of a name; the answer of the system, when left out. */
  lookUp?: ((host: string) => Promise<LookupAddress[]>) | undefined;
  /** Where the client itself listens: its own ports are no connector's. */
  ownAddresses(): readonly string[];
};

const refuse = (message: string): RuntimeError => new RuntimeError('address-refused', message);

/** @throws RuntimeError `address-refused` */
function readAddress(text: string): URL {
  const url = text.length <= MAX_URL ? URL.parse(text) : null;
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw refuse('This is no http or https address.');
  }
  if (url.username !== '' || url.password !== '') throw refuse('An address has no user name or password.');
  url.hash = '';
  return url;
}

async function addressesOf({ hostname }: URL, lookUp: ResolveAddressDeps['lookUp']): Promise<string[]> {
  if (isAddressHost(hostname)) return [hostname.replace(/^\[(.*)\]$/, '$1')];
  const records = await (lookUp ?? ((host) => lookup(host, { all: true })))(hostname).catch(() => []);
  if (records.length === 0)
    throw new RuntimeError('unreachable', 'The name of the server is not known here.');
  return [...new Set(records.map(({ address }) => plainAddress(address)))].sort();
}

/**
 * Finds out where an address leads, which is to be on this machine or the local network: every IP address of its name, so that it
 * cannot lead elsewhere later.
 * @throws RuntimeError `address-refused`, `unreachable`
 */
export async function resolveLocalAddress(text: string, deps: ResolveAddressDeps): Promise<LocalAddress> {
  const url = readAddress(text);
  const addresses = await addressesOf(url, deps.lookUp);
  if (addresses.length > MAX_ADDRESSES) throw refuse('The name leads to too many addresses.');
  const isHere = addresses.every(isLoopbackAddress);
  if (!addresses.every((one) => isLoopbackAddress(one) || isLocalNetworkAddress(one))) {
    throw refuse(
      'This is no address of this machine or the local network. A server on the Internet is added by its https address.',
    );
  }
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  if (isHere && deps.ownAddresses().some((own) => localPort(own) === port)) {
    throw refuse('This is an address of the client itself.');
  }
  return { url: url.href, addresses, place: isHere ? 'this-machine' : 'local-network' };
}
