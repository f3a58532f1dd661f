import ipaddr from 'ipaddr.js';

/** All that is routed on the public Internet lies in here (RFC 4291 section 2.4 with the IANA registry of global unicast). */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');

/**
 * Addresses that are public by their number, and lead to the provider's own services from inside its cloud alone: metadata with
 * credentials, agents of the host. Those of other providers (169.254.169.254, 100.100.100.200, 192.0.0.192, fd00:ec2::254, …)
 * lie in ranges that are not public anyway; the test lists them.
 */
const CLOUD_INTERNAL = [
  // Azure: WireServer and the agent of the host.
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
 * Whether an IP address is one of the public Internet: not of this machine, of a network around it, of a cloud's inside, or of
 * a form that leads back to such a one (mapped, NAT64, 6to4, Teredo).
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

/** Ranges of addresses of local networks: private, shared by carriers and VPNs, unique local (RFC 1918, RFC 6598, RFC 4193). */
const LOCAL_RANGES = new Set(['private', 'carrierGradeNat', 'uniqueLocal']);

/** Services inside clouds with addresses in these ranges. Some hand out credentials to every program on the machine. */
const CLOUD_LOCAL = [
  '100.100.100.200/32',
  'fd00:ec2::/32',
  'fd00:42::42/128',
  'fd00:c1::/32',
  'fd20:ce::/32',
].map((network) => ipaddr.parseCIDR(network));

/** Whether an IP address is one of a local network: not this machine, and no service inside a cloud. */
export function isLocalNetworkAddress(address: string): boolean {
  if (!ipaddr.isValid(address) || address.includes('%')) return false;
  const parsed = ipaddr.process(address);
  const isCloud = CLOUD_LOCAL.some(
    ([network, bits]) => parsed.kind() === network.kind() && parsed.match(network, bits),
  );
  return LOCAL_RANGES.has(parsed.range()) && !isCloud;
}
