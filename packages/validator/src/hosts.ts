import { getPublicSuffix, parse } from 'tldts';
import type { Localhost } from './localhost.ts';
import type { Mode } from './rule.ts';

/** Longest host name in ASCII characters (RFC 1035), and the longest entry the wire format takes. */
const MAX_HOST = 253;

/** Labels of letters, digits and inner hyphens (RFC 1123). No underscore, no trailing dot, nothing but ASCII. */
const HOST = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;

/** URL parsers take a host whose last label looks like a number for an IPv4 address, hexadecimal ones too. */
const ENDS_IN_NUMBER = /(?:^|\.)(?:\d+|0x[0-9a-f]*)$/i;

/** Scheme, host, port; then the end or the start of path, query or fragment. Leaves no room for userinfo or `[::1]`. */
const ADDRESS = /^(https?):\/\/([a-z0-9.-]+)(?::(\d{1,5}))?(?=[/?#]|$)/i;

/** URL parsers drop tabs and line ends and read `\` as `/`: what is shown would not be what is called. */
const MISREAD_IN_URL = /[\s\p{Cc}\\]/u;

/**
 * Whether `text` is a host name: ASCII (punycode for the rest of the world) and not an IP address. Judged by its
 * letters alone, since URL parsers differ in which hosts they take.
 */
export function isHostname(text: string): boolean {
  return text.length <= MAX_HOST && HOST.test(text) && !ENDS_IN_NUMBER.test(text);
}

/**
 * Whether `text` can stand in a list of domains: a host name, or one behind `*.`. How much a wildcard covers is another
 * question, see `isTooBroad`. A name without a dot belongs to one machine or network, so only dev mode takes it.
 */
export function isDomain(text: string, mode: Mode): boolean {
  if (text === '*') return true;
  if (text.length > MAX_HOST) return false;
  if (text.startsWith('*.')) return isHostname(text.slice(2));
  return isHostname(text) && (text.includes('.') || mode === 'dev');
}

/** An address that names a host and nothing else: the usual port of its scheme at most, no path, no query. */
const HOST_ALONE = /^(?:(?:https:\/\/)?([a-z0-9.*-]+?)\.?(?::443)?|http:\/\/([a-z0-9.*-]+?)\.?(?::80)?)\/?$/i;

/** The domain that an address of a bare host stands for, fit for a list of domains; undefined when it says more than that. */
export function domainMeant(text: string, mode: Mode): string | undefined {
  const trimmed = text.trim();
  if (trimmed.length > MAX_HOST + 'https://:443./'.length) return undefined;
  const [, host, plainHost] = HOST_ALONE.exec(trimmed) ?? [];
  const domain = (host ?? plainHost ?? '').toLowerCase();
  return isDomain(domain, mode) && !isTooBroad(domain) ? domain : undefined;
}

/** Whether a domain covers hosts of strangers: `*`, or a wildcard right below a public suffix (`*.com`, `*.github.io`). */
export function isTooBroad(domain: string): boolean {
  if (domain === '*') return true;
  if (!domain.startsWith('*.')) return false;
  const parent = domain.slice(2).toLowerCase();
  return getPublicSuffix(parent, SUFFIX_OPTIONS) === parent;
}

/** Private suffixes too: on `github.io` every name below belongs to another owner. */
const SUFFIX_OPTIONS = { allowPrivateDomains: true, extractHostname: false, validateHostname: false };

/** What an address is: fit for use, fit for a developer's own machine only, or refused. */
type AddressKind = 'public' | 'localhost' | 'refused';

/**
 * Judges the address of an endpoint. https on a host name is public; `localhost` and 127.0.0.1 are the developer's own
 * machine, over http too where that is only warned of. Userinfo, fragments, other IP addresses and hosts outside ASCII are
 * refused: each makes an address read as another one than it is. So is a name without a dot, as in a list of domains: on
 * every network it is another machine, such as `https://router`.
 */
export function judgeEndpoint(value: unknown, localhost: Localhost): AddressKind {
  if (typeof value !== 'string' || value.includes('#') || MISREAD_IN_URL.test(value)) return 'refused';
  const [, scheme, host = '', port] = ADDRESS.exec(value) ?? [];
  if (Number(port ?? 443) > 65_535) return 'refused';
  const here = host.toLowerCase() === 'localhost' || host === '127.0.0.1';
  if (here && localhost === 'warn') return scheme === 'https' || scheme === 'http' ? 'localhost' : 'refused';
  if (scheme !== 'https' || !isHostname(host)) return 'refused';
  return here ? 'localhost' : judgeReach(host, localhost);
}

function judgeReach(host: string, localhost: Localhost): AddressKind {
  return host.includes('.') || localhost === 'warn' ? 'public' : 'refused';
}

/** Whether a value is an https address to show to people: as an endpoint, but a fragment may stand in it. */
export function isWebAddress(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  return judgeEndpoint(value.split('#', 1)[0], 'refuse') !== 'refused' && !MISREAD_IN_URL.test(value);
}

/** Longest text that is taken for an address without its scheme. */
const MAX_ADDRESS = 2_000;

/** The host of an address without a scheme, before port, path, query or fragment. */
const LEADING_HOST = /^[a-z0-9.-]+(?=[:/?#]|$)/i;

/**
 * The https address that a text without white space around it, or with "https://" before it, is; undefined when it is
 * none. Never makes https of http, which is another address, nor of what may be the name of a file (`README.md`).
 */
export function webAddressMeant(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_ADDRESS) return undefined;
  const text = value.trim();
  if (isWebAddress(text)) return text;
  const [host = ''] = LEADING_HOST.exec(text) ?? [];
  const { domain, isIcann } = parse(host, { extractHostname: false, validateHostname: false });
  if (domain === null || isIcann !== true || host.toLowerCase().endsWith('.md')) return undefined;
  return isWebAddress(`https://${text}`) ? `https://${text}` : undefined;
}

const MAILTO = /^mailto:[^\s@?,\p{C}]+@([^\s@?,\p{C}]+)(?:\?[^\s\p{C}]*)?$/u;

/** Whether a value is a `mailto:` address of one mailbox. */
export function isMailAddress(value: unknown): boolean {
  const host = typeof value === 'string' ? MAILTO.exec(value)?.[1] : undefined;
  return host !== undefined && isHostname(host);
}

/** The `mailto:` address that a bare mail address, or one with its scheme in other letters, stands for. */
export function mailAddressMeant(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_ADDRESS) return undefined;
  const mailbox = value.trim().replace(/^mailto:\s*/i, '');
  // "https://user@example.com" would pass for a mailbox.
  const address = `mailto:${mailbox}`;
  return !/[:/]/.test(mailbox) && isMailAddress(address) ? address : undefined;
}
