import ipaddr from 'ipaddr.js';

/** The range of all publicly routed IPv6 addresses (RFC 4291 section 2.4 with the IANA registry of global unicast). */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');

/**
 * Addresses in public ranges that reach the provider's own services only from inside its cloud: metadata with credentials, host
 * agents. Those of other providers (169.254.169.254, 100.100.100.200, 192.0.0.192, fd00:ec2::254, …) are in ranges that are
 * not public; the test lists them.
 */
const CLOUD_INTERNAL = [
  // Azure: WireServer and the host agent.
  '168.63.129.16/32',
  // Equinix Metal: metadata.
  '192.80.8.124/32',
  // Google Cloud: the restricted and the private address of its interfaces.
  '199.36.153.4/30',
  '199.36.153.8/30',
  // IBM Cloud: services and service endpoints of its private network.
  '161.26.0.0/16',
  '166.8.0.0/14',
].map((network) => ipaddr.IPv4.parseCIDR(network));

/**
 * Whether an IP address is on the public Internet: not this machine, a local network or a cloud's internal service, and not in
 * a form that can map to one of them (IPv4-mapped, NAT64, 6to4, Teredo).
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  if (!('isIPv4MappedAddress' in parsed)) return !CLOUD_INTERNAL.some((network) => parsed.match(network));
  return parsed.match(GLOBAL_UNICAST);
}

/** Whether an IP address is this machine itself. */
export const isLoopbackAddress = (address: string): boolean =>
  ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';

/** Address ranges of local networks: private, carrier-grade NAT and VPNs, unique local (RFC 1918, RFC 6598, RFC 4193). */
const LOCAL_RANGES = new Set(['private', 'carrierGradeNat', 'uniqueLocal']);

/** Cloud services with addresses in these ranges. Some return credentials to every program on the machine. */
const CLOUD_LOCAL = [
  '100.100.100.200/32',
  'fd00:ec2::/32',
  'fd00:42::42/128',
  'fd00:c1::/32',
  'fd20:ce::/32',
].map((network) => ipaddr.parseCIDR(network));

/** Whether an IP address is on a local network: not this machine, and not a cloud's internal service. */
export function isLocalNetworkAddress(address: string): boolean {
  if (!ipaddr.isValid(address) || address.includes('%')) return false;
  const parsed = ipaddr.process(address);
  const isCloud = CLOUD_LOCAL.some(
    ([network, bits]) => parsed.kind() === network.kind() && parsed.match(network, bits),
  );
  return LOCAL_RANGES.has(parsed.range()) && !isCloud;
}
