import ipaddr from 'ipaddr.js';

/** Bits of an IPv6 address that name a network; the rest one customer chooses freely (RFC 6177 section 2). */
const NETWORK_BITS = 64;

/**
 * Whom an address stands for when something is counted: an IPv4 address for itself, an IPv6 address for its /64, of which
 * everybody has 2^64 addresses.
 * @param bits of an IPv6 address that count, a multiple of 8: fewer where a person with many networks must be seen as one
 */
export function networkOf(address: string | null, bits = NETWORK_BITS): string {
  if (address === null || !ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return Buffer.from(parsed.toByteArray().slice(0, bits / 8)).toString('hex');
}
