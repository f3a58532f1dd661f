import { isThisMachine } from '@svc/contracts/this-machine';
import { getPublicSuffix, parse } from 'tldts';
import type { Localhost } from './localhost.ts';
import type { Mode } from './rule.ts';

/** Longest host name in ASCII characters (RFC 1035), and the longest entry in the wire format. */
const MAX_HOST = 253;

/** Labels of letters, digits and inner hyphens (RFC 1123). No underscore, no trailing dot, only ASCII. */
const HOST = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;

/** URL parsers treat a host whose last label looks like a decimal or hexadecimal number as an IPv4 address. */
const ENDS_IN_NUMBER = /(?:^|\.)(?:\d+|0x[0-9a-f]*)$/i;

/** Scheme, host, port; then the end or the start of path, query or fragment. Does not match userinfo, or an IPv6 address but `[::1]`. */
const ADDRESS = /^(https?):\/\/([a-z0-9.-]+|\[::1\])(?::(\d{1,5}))?(?=[/?#]|$)/i;

/** URL parsers drop tabs and line ends and treat `\` as `/`: the URL shown would not be the URL requested. */
const MISREAD_IN_URL = /[\s\p{Cc}\\]/u;

/**
 * Whether `text` is a host name: ASCII (punycode for other scripts) and not an IP address. Checked with a regular
 * expression, because URL parsers differ in which hosts they accept.
 */
export function isHostname(text: string): boolean {
  return text.length <= MAX_HOST && HOST.test(text) && !ENDS_IN_NUMBER.test(text);
}

/**
 * Whether `text` is valid in a list of domains: a host name, or one after `*.`. `isTooBroad` checks how much a wildcard
 * covers. A name without a dot, and one under `localhost`, belongs to one machine or network, so it is only valid in dev mode. A
 * public suffix such as `co.uk` is the host of no app.
 */
export function isDomain(text: string, mode: Mode): boolean {
  if (text === '*') return true;
  if (text.length > MAX_HOST) return false;
  if (text.startsWith('*.')) return isHostname(text.slice(2));
  if (!isHostname(text) || isIcannSuffix(text)) return false;
  return mode === 'dev' || (text.includes('.') && !isThisMachine(text));
}

/** Whether a name is a public suffix of the ICANN section: `com`, `co.uk`. */
function isIcannSuffix(text: string): boolean {
  const name = text.toLowerCase();
  const { publicSuffix, isIcann } = parse(name, { extractHostname: false, validateHostname: false });
  return isIcann === true && publicSuffix === name;
}

/** A URL of a host without path and query; only the default port of the scheme is allowed. */
const HOST_ALONE = /^(?:(?:https:\/\/)?([a-z0-9.*-]+?)\.?(?::443)?|http:\/\/([a-z0-9.*-]+?)\.?(?::80)?)\/?$/i;

/** Returns the host of a URL that has nothing but a host, for a list of domains; undefined for any other URL. */
export function suggestDomain(text: string, mode: Mode): string | undefined {
  const trimmed = text.trim();
  if (trimmed.length > MAX_HOST + 'https://:443./'.length) return undefined;
  const [, host, plainHost] = HOST_ALONE.exec(trimmed) ?? [];
  const domain = (host ?? plainHost ?? '').toLowerCase();
  return isDomain(domain, mode) && !isTooBroad(domain) ? domain : undefined;
}

/** Whether a domain includes hosts of other owners: `*`, or a wildcard directly under a public suffix (`*.com`, `*.github.io`). */
export function isTooBroad(domain: string): boolean {
  if (domain === '*') return true;
  if (!domain.startsWith('*.')) return false;
  const parent = domain.slice(2).toLowerCase();
  return getPublicSuffix(parent, SUFFIX_OPTIONS) === parent;
}

/** Whether two URLs belong to one owner: the same registrable domain, or the same host where there is none. True if one is no URL. */
export function isSameSite(a: unknown, b: unknown): boolean {
  const [first, second] = [a, b].map((url) => (typeof url === 'string' ? ADDRESS.exec(url)?.[2] : undefined));
  if (first === undefined || second === undefined) return true;
  const [site, other] = [first, second].map(
    (host) => parse(host.toLowerCase(), SUFFIX_OPTIONS).domain ?? null,
  );
  return site === null || other === null || site === other;
}

/** Includes private suffixes: under `github.io`, each name can have a different owner. */
const SUFFIX_OPTIONS = { allowPrivateDomains: true, extractHostname: false, validateHostname: false };

/** Kinds of URLs: valid, valid only on the developer's own machine, or refused. */
type AddressKind = 'public' | 'localhost' | 'refused';

/**
 * Classifies the URL of an endpoint. https with a host name is public; `localhost`, names under it, 127.0.0.0/8 and `[::1]` are the
 * developer's own machine, also over http, and refused where that is not only a warning. Userinfo, fragments, other IP addresses and non-ASCII hosts are
 * refused, because they can make a URL look like another one. A name without a dot is refused as in a list of domains: on
 * each network it is a different machine, such as `https://router`.
 */
export function classifyEndpoint(value: unknown, localhost: Localhost): AddressKind {
  if (typeof value !== 'string' || value.includes('#') || MISREAD_IN_URL.test(value)) return 'refused';
  const [, scheme, host = '', port] = ADDRESS.exec(value) ?? [];
  if (Number(port ?? 443) > 65_535) return 'refused';
  if (isThisMachine(host)) return localhost === 'warn' ? 'localhost' : 'refused';
  if (scheme !== 'https' || !isHostname(host)) return 'refused';
  return classifyHost(host, localhost);
}

function classifyHost(host: string, localhost: Localhost): AddressKind {
  return host.includes('.') || localhost === 'warn' ? 'public' : 'refused';
}

/** Whether a value is an https URL for a link: valid as an endpoint, but with an optional fragment. */
export function isWebAddress(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  return classifyEndpoint(value.split('#', 1)[0], 'refuse') !== 'refused' && !MISREAD_IN_URL.test(value);
}

/** Longest text that is checked for being a URL without its scheme. */
const MAX_ADDRESS = 2_000;

/** The host of a URL without a scheme, before port, path, query or fragment. */
const LEADING_HOST = /^[a-z0-9.-]+(?=[:/?#]|$)/i;

/**
 * Returns the text without outer white space, or with "https://" in front, if that is an https URL; otherwise undefined.
 * Never changes http to https, which is a different URL, and ignores possible file names (`README.md`).
 */
export function suggestWebAddress(value: unknown): string | undefined {
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

/** Returns the `mailto:` URL of an email address without the scheme, or with the scheme in other letter case. */
export function suggestMailAddress(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_ADDRESS) return undefined;
  const mailbox = value.trim().replace(/^mailto:\s*/i, '');
  // "https://user@example.com" would match as a mailbox.
  const address = `mailto:${mailbox}`;
  return !/[:/]/.test(mailbox) && isMailAddress(address) ? address : undefined;
}
