import ipaddr from 'ipaddr.js';

/** All that is routed on the public Internet lies in here (RFC 4291 section 2.4 with the IANA registry of global unicast). */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');

/**
 * Whether an IP address is one of the public Internet: not of this machine, of a network around it, or of a form that leads
 * back to such a one (mapped, NAT64, 6to4, Teredo).
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed.kind() === 'ipv4' || parsed.match(GLOBAL_UNICAST);
}

/** Whether an IP address is this machine itself. */
export const isLoopbackAddress = (address: string): boolean =>
  ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';
