import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv4, SocketAddress } from 'node:net';
import { fieldOf } from './field-of.ts';

/** Returns the IP address that a request comes from; null when it has no connection any more. */
export type ClientAddress = (request: IncomingMessage | undefined) => string | null;

/** The prefix of an IPv4-mapped IPv6 address (RFC 4291 section 2.5.5.2). */
const MAPPED = '::ffff:';

/** The IPv4 address of an IPv4-mapped IPv6 address in dotted form; null for any other address. */
function unmapped(address: string): string | null {
  const ipv4 = address.startsWith(MAPPED) ? address.slice(MAPPED.length) : '';
  return isIPv4(ipv4) ? ipv4 : null;
}

const familyOf = (address: string) => (isIPv4(address) ? 'ipv4' : 'ipv6');

/**
 * Normalises an address to its canonical form (RFC 5952): an IPv4-mapped address as IPv4, and without a zone, which only has a meaning
 * on this machine. Null for a text that is not an address.
 */
function normalise(text: string): string | null {
  const address = text.trim().replace(/%.*$/s, '');
  if (isIPv4(address)) return address;
  // Node reports nearly every client of a dual-stack socket in this form, and parsing it is expensive.
  const mapped = unmapped(address);
  if (mapped !== null) return mapped;
  if (isIP(address) === 0) return null;
  const canonical = new SocketAddress({ address, family: 'ipv6' }).address;
  return unmapped(canonical) ?? canonical;
}

/**
 * Reads a list of addresses and networks, `10.0.0.1, fd00::/8`.
 * @returns null when a part is neither, or is the network of all addresses: every client could then forge its address
 */
export function readNetworks(text: string): BlockList | null {
  const networks = new BlockList();
  for (const part of text.split(',')) {
    const [, network = '', bits] = /^([^/]+?)(?:\/(\d{1,3}))?$/.exec(part.trim()) ?? [];
    if (isIP(network) === 0 || network.includes('%')) return null;
    const maxBits = isIPv4(network) ? 32 : 128;
    const length = Number(bits ?? maxBits);
    if (length === 0 || length > maxBits) return null;
    networks.addSubnet(network, length, familyOf(network));
  }
  return networks;
}

/**
 * Creates a function that determines the client address of requests. Each proxy appends to `X-Forwarded-For` the address that it was
 * called from, so the field is read from its end, for as long as the address that appended an entry is a trusted proxy. Entries that a
 * client sent are to the left of those of the first trusted proxy, and are never used.
 * @param proxies addresses of trusted proxies
 * @param onForwarded called at the first request that a proxy which is not trusted has forwarded
 */
export function createClientAddress(proxies: BlockList, onForwarded?: () => void): ClientAddress {
  let hasReported = proxies.rules.length > 0;
  const report = (request: IncomingMessage): void => {
    if (hasReported || (fieldOf(request, 'x-forwarded-for') ?? fieldOf(request, 'forwarded')) === undefined)
      return;
    hasReported = true;
    onForwarded?.();
  };
  /** Cached by socket: the address of a connection does not change. */
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
    if (!request) return null;
    if (!peer?.isProxy) {
      report(request);
      return peer?.address ?? null;
    }
    let { address } = peer;
    const forwarded = (fieldOf(request, 'x-forwarded-for') ?? '').split(',');
    do {
      const before = normalise(forwarded.pop() ?? '');
      if (before === null) break;
      address = before;
    } while (isProxy(address));
    return address;
  };
}
