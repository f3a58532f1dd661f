import ipaddr from 'ipaddr.js';

/** Prefix length of an IPv6 network; a customer chooses the remaining bits freely (RFC 6177 section 2). */
const NETWORK_BITS = 64;

/** Prefix length of the IPv6 networks of one customer (RFC 6177 section 2). */
export const SITE_BITS = 48;

/** The network of no address. */
export const UNKNOWN_NETWORK = 'unknown';

/**
 * The network of an address, for counting: an IPv4 address itself, or the /64 of an IPv6 address, in which one customer has 2^64
 * addresses.
 * @param bits the prefix length of an IPv6 network, a multiple of 8: a shorter one to count a customer with many networks as one
 */
export function networkOf(address: string | null, bits = NETWORK_BITS): string {
  if (address === null || !ipaddr.isValid(address)) return UNKNOWN_NETWORK;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return Buffer.from(parsed.toByteArray().slice(0, bits / 8)).toString('hex');
}
