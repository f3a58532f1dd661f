/** 127.0.0.0/8 in the form of a parsed URL. */
const IPV4 = /^127(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}$/;

/**
 * Whether the host of a URL is this machine on every machine: `localhost` and names below it (RFC 6761 section 6.3), 127.0.0.0/8 and
 * `[::1]`. Not 0.0.0.0, and not a name that only resolves to this machine. URL parsers have already normalized other spellings.
 */
export function isThisMachine(hostname: string): boolean {
  const host = hostname.toLowerCase();
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || IPV4.test(host);
}

/** The host of a URL without the brackets of an IPv6 address, as sockets and resolvers take it (RFC 3986 section 3.2.2). */
export const unbracketed = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, '$1');
