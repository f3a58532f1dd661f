import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv4, SocketAddress } from 'node:net';

/** Where a request comes from, as an IP address; null when there is no connection under it, or no more. */
export type ClientAddress = (request: IncomingMessage | undefined) => string | null;

/** How an IPv4 address begins that IPv6 carries (RFC 4291 section 2.5.5.2). */
const MAPPED = '::ffff:';

/** The IPv4 address that an IPv6 address carries; null when it carries none in this spelling. */
function carriedIn(address: string): string | null {
  const carried = address.startsWith(MAPPED) ? address.slice(MAPPED.length) : '';
  return isIPv4(carried) ? carried : null;
}

const familyOf = (address: string) => (isIPv4(address) ? 'ipv4' : 'ipv6');

/**
 * An address in its one form (RFC 5952), an IPv4 address as such even where IPv6 carries it,
 * without the zone, which means something on this machine alone. Null for what is no address.
 */
function normalise(text: string): string | null {
  const address = text.trim().replace(/%.*$/s, '');
  if (isIPv4(address)) return address;
  // What Node says of nearly every client of a socket for both families; to parse it costs more than all else here.
  const carried = carriedIn(address);
  if (carried !== null) return carried;
  if (isIP(address) === 0) return null;
  const canonical = new SocketAddress({ address, family: 'ipv6' }).address;
  return carriedIn(canonical) ?? canonical;
}

/**
 * Reads a list of addresses and networks, `10.0.0.1, fd00::/8`.
 * @returns null when a part of it is neither, or is the network of all addresses: every client could then name any
 */
export function readNetworks(text: string): BlockList | null {
  const networks = new BlockList();
  for (const part of text.split(',')) {
    const [, network = '', bits] = /^([^/]+?)(?:\/(\d{1,3}))?$/.exec(part.trim()) ?? [];
    if (isIP(network) === 0 || network.includes('%')) return null;
    const most = isIPv4(network) ? 32 : 128;
    const length = Number(bits ?? most);
    if (length === 0 || length > most) return null;
    networks.addSubnet(network, length, familyOf(network));
  }
  return networks;
}

/**
 * Tells where requests come from. Each proxy adds to `X-Forwarded-For` the address that it was called from, so the field
 * is read from its end, and only for as long as the one who added the next address is a proxy that we trust: what a
 * client wrote into it stands to the left of what the first such proxy added, and is never reached.
 * @param proxies addresses from which the field is believed
 */
export function createClientAddress(proxies: BlockList): ClientAddress {
  /** A connection has one address as long as it lasts. */
  const peers = new WeakMap<object, { address: string; isProxy: boolean }>();
  const isProxy = (address: string) => proxies.check(address, familyOf(address));

  function peerOf({ socket }: IncomingMessage) {
    const known = peers.get(socket);
    if (known) return known;
    const address = normalise(socket.remoteAddress ?? '');
    if (address === null) return null;
    const peer = { address, isProxy: isProxy(address) };
    peers.set(socket, peer);
    return peer;
  }

  return (request) => {
    const peer = request ? peerOf(request) : null;
    if (!request || !peer?.isProxy) return peer?.address ?? null;
    let { address } = peer;
    const forwarded = String(request.headers['x-forwarded-for'] ?? '').split(',');
    do {
      const before = normalise(forwarded.pop() ?? '');
      if (before === null) break;
      address = before;
    } while (isProxy(address));
    return address;
  };
}
