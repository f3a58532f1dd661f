import type { LookupAddress } from 'node:dns';
import { isLocalNetworkAddress, isLoopbackAddress } from '@svc/contracts/public-address';
import { unbracketed } from '@svc/contracts/this-machine';
import { localPort } from '../library/loopback.ts';
import { isAddressHost, lookUpAll, plainAddress, portOf } from '../network/connector.ts';
import { RuntimeError } from '../platform/runtime-error.ts';

/** Maximum length of an address, and maximum number of IP addresses of its name. */
const MAX_URL = 2_000;
const MAX_ADDRESSES = 16;

/** A URL of this machine or of the local network, and the IP addresses it resolves to now. */
export type LocalAddress = {
  url: string;
  addresses: readonly string[];
  place: 'this-machine' | 'local-network';
};

export type ResolveAddressDeps = {
  /** Resolves a name to all its addresses. Default: the resolver of the system. */
  lookUp?: ((host: string) => Promise<LookupAddress[]>) | undefined;
  /** The addresses at which the client itself listens: a connector must not use these ports. */
  ownAddresses(): readonly string[];
};

const refuse = (message: string): RuntimeError => new RuntimeError('address-refused', message);

/** @throws RuntimeError `address-refused` */
function readAddress(text: string): URL {
  const url = text.length <= MAX_URL ? URL.parse(text) : null;
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw refuse('This is not an http or https URL.');
  }
  if (url.username !== '' || url.password !== '')
    throw refuse('The address must not contain a user name or password.');
  url.hash = '';
  return url;
}

async function addressesOf({ hostname }: URL, lookUp: ResolveAddressDeps['lookUp']): Promise<string[]> {
  if (isAddressHost(hostname)) return [unbracketed(hostname)];
  const records = await (lookUp ?? lookUpAll)(hostname).catch(() => []);
  if (records.length === 0)
    throw new RuntimeError('unreachable', 'The host name of the server cannot be resolved.');
  return [...new Set(records.map(({ address }) => plainAddress(address)))].sort();
}

/**
 * Resolves an address, which must be on this machine or the local network, to every IP address of its name. The connector is then
 * limited to these.
 * @throws RuntimeError `address-refused`, `unreachable`
 */
export async function resolveLocalAddress(text: string, deps: ResolveAddressDeps): Promise<LocalAddress> {
  const url = readAddress(text);
  const addresses = await addressesOf(url, deps.lookUp);
  if (addresses.length > MAX_ADDRESSES) throw refuse('The host name resolves to too many addresses.');
  const isHere = addresses.every(isLoopbackAddress);
  if (!addresses.every((address) => isLoopbackAddress(address) || isLocalNetworkAddress(address))) {
    throw refuse(
      'This address is not on this machine or the local network. Add a server on the Internet by its https address.',
    );
  }
  if (isHere && deps.ownAddresses().some((own) => localPort(own) === portOf(url))) {
    throw refuse('This is an address of the client itself.');
  }
  return { url: url.href, addresses, place: isHere ? 'this-machine' : 'local-network' };
}
