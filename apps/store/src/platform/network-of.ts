import ipaddr from 'ipaddr.js';

/** Bytes of an IPv6 address that name a network; the rest one customer chooses freely (RFC 6177 section 2). */
const IPV6_NETWORK_BYTES = 8;

/**
 * Whom an address stands for when something is counted: an IPv4 address for itself, an IPv6 address for its /64, of which
 * everybody has 2^64 addresses.
 */
export function networkOf(address: string | null): string {
  if (address === null || !ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return Buffer.from(parsed.toByteArray().slice(0, IPV6_NETWORK_BYTES)).toString('hex');
}
