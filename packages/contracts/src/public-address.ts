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

/**
 * Decides whether a connection to a resolved address of a host is allowed. The host is a name in lower case, and the address is the one
 * that is connected to, so that neither a redirect nor a changed DNS record leads elsewhere.
 */
export type MayReach = (address: string, host: string) => boolean;

/** The networks of a company that apps may reach, in addition to the public Internet. */
export type PrivateNetworks = {
  /** The entries as they were written, for people. */
  entries: readonly string[];
  /** Whether an address inside is one of these networks, or of one of these hosts. */
  includes: MayReach;
  /** Whether a host is named, so that its name needs no public form. */
  names(host: string): boolean;
};

/** The word that allows entries that cover everything. */
const EVERYTHING = 'everything';

const NAME =
  /^(?:\*\.)?(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

type Network = ReturnType<typeof ipaddr.parseCIDR>;

const isIn = (address: string, [network, bits]: Network): boolean => {
  const parsed = ipaddr.process(address);
  return parsed.kind() === network.kind() && parsed.match(network, bits);
};

/** A network of an entry: within the local ranges, so that it includes neither this machine nor a cloud's own services. */
function networkOf(entry: string): Network {
  const text = entry.includes('/') ? entry : `${entry}/${entry.includes(':') ? 128 : 32}`;
  const network = ipaddr.parseCIDR(text);
  const local = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7'];
  if (
    local.some(
      (range) =>
        network[1] >= Number(range.split('/')[1]) && isIn(String(network[0]), ipaddr.parseCIDR(range)),
    )
  )
    return network;
  throw new TypeError(`${entry} is not a private network: name networks within ${local.join(', ')}.`);
}

const EVERY_HOST = '*';

/** What one entry names. @throws TypeError */
function readEntry(entry: string): { host: string } | { network: Network } {
  if (entry === EVERYTHING || entry === EVERY_HOST) return { host: EVERY_HOST };
  if (ipaddr.isValidCIDR(entry) && entry.endsWith('/0')) return { host: EVERY_HOST };
  if (ipaddr.isValid(entry) || ipaddr.isValidCIDR(entry)) return { network: networkOf(entry) };
  if (NAME.test(entry)) return { host: entry };
  throw new TypeError(
    `${entry.slice(0, 80)} is neither a host name, such as mcp.corp.example or *.corp.example, nor a network, such as 10.20.0.0/16.`,
  );
}

const matchesHost = (entry: string, host: string): boolean =>
  entry === EVERY_HOST || (entry.startsWith('*.') ? host.endsWith(entry.slice(1)) : entry === host);

/**
 * Reads a list of private networks: host names such as `mcp.corp.example` and `*.corp.example`, and networks such as `10.20.0.0/16`,
 * separated by commas. A named host may have any private address; a network includes every host with an address in it. An entry that
 * covers everything (`*`, `0.0.0.0/0`, `::/0`) needs the entry `everything` beside it. This machine, link-local addresses and a cloud's
 * own services are never included.
 * @throws TypeError with a sentence about the first invalid entry
 */
export function readPrivateNetworks(list: string | readonly string[]): PrivateNetworks {
  const given = typeof list === 'string' ? list.split(',') : list;
  const entries = given.map((entry) => entry.trim().toLowerCase()).filter((entry) => entry !== '');
  const read = entries.map((entry) => ({ entry, ...readEntry(entry) }));
  const broad = read.find((one) => 'host' in one && one.host === EVERY_HOST);
  if (broad && !entries.includes(EVERYTHING))
    throw new TypeError(
      `${broad.entry} covers every network: name hosts and networks, or add the entry "${EVERYTHING}".`,
    );
  const hosts = read.flatMap((one) => ('host' in one ? [one.host] : []));
  const networks = read.flatMap((one) => ('network' in one ? [one.network] : []));
  const names = (host: string): boolean => hosts.some((entry) => matchesHost(entry, host));
  return {
    entries,
    names,
    includes: (address, host) =>
      isLocalNetworkAddress(address) && (names(host) || networks.some((network) => isIn(address, network))),
  };
}

/** Decides for the public Internet and a list of private networks: the one rule of clients and stores. */
export const mayReach =
  (networks: Pick<PrivateNetworks, 'includes'> | null): MayReach =>
  (address, host) =>
    isPublicAddress(address) || (networks?.includes(address, host) ?? false);
