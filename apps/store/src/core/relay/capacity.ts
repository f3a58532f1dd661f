import { networkOf, SITE_BITS } from '../../platform/network-of.ts';

/** The most rows of a table of the relay. With the longest code they take about 300 MB of disk, and no memory. */
export const MAX_ENTRIES = 50_000;

/**
 * The most rows of one network, by how full the relay is: a flood from one network leaves capacity for others. An office behind one
 * address signs in less often than the last number allows.
 */
const SHARES: readonly { from: number; max: number }[] = [
  { from: 0.9, max: 3 },
  { from: 0.5, max: 20 },
  { from: 0, max: 200 },
];

/** The most rows that one network may have when there are `all` rows. */
export const shareAt = (all: number): number =>
  SHARES.find(({ from }) => all >= from * MAX_ENTRIES)?.max ?? 0;

/** The site of an address, for counting. */
export const siteOf = (address: string | null): string => networkOf(address, SITE_BITS);

/** The network of an address, to compare that of a browser with that of a client: one machine reaches its own loopback by both families. */
export const peerOf = (address: string | null): string =>
  networkOf(address === '::1' ? '127.0.0.1' : address);

/** A network as text for the user: an IPv4 address, or the /64 of an IPv6 address. */
export function shownNetwork(network: string): string {
  const groups = /^[0-9a-f]{16}$/.test(network) ? network.match(/.{4}/g) : null;
  if (groups === null) return network;
  return `${groups.map((group) => group.replace(/^0{1,3}/, '')).join(':')}::/64`;
}
