import { CiKind, EXTENSION_NAMES, type ExtensionName } from '@svc/contracts';
import { readAuthorities } from '@svc/runtime/authorities';
import { proxiesOf } from '@svc/runtime/env-proxy';
import type { CiIssuer } from '../../core/domain/identity/ci-issuer.ts';
import { SettingError } from './setting.ts';

export const MIN_TOKEN = 16;
export const MAX_PORT = 65_535;

/** A sender, in either of the forms that mail programs accept. */
export const SENDER = /^(?:[^\p{C}<>"@]+<[^\p{C}\s<>"@]+@[^\p{C}\s<>"@]+>|[^\p{C}\s<>"@]+@[^\p{C}\s<>"@]+)$/u;

export function readPort(text: string): number | undefined {
  const port = Number(text);
  return /^\d{1,5}$/.test(text) && port <= MAX_PORT ? port : undefined;
}

/** Reads the address of the store, and removes a trailing slash. */
export function readBaseUrl(text: string): string | undefined {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  if (url.search !== '' || url.hash !== '') throw new SettingError('must not have a query');
  // Cookies, pages and signed addresses all assume the root of a host.
  if (url.pathname !== '/') {
    throw new SettingError(
      'must not have a path: use a host name for the store alone, such as https://apps.example.com',
    );
  }
  return text.replace(/\/$/, '');
}

export function readAdminToken(text: string): string | undefined {
  if (!/^[!-~]+$/.test(text)) throw new SettingError('must be printable characters without spaces');
  return text.length >= MIN_TOKEN ? text : undefined;
}

/**
 * How long a signed address in the bucket may be valid, in seconds: clients need time to follow it, and a yanked version can be
 * downloaded until it expires.
 */
export const REDIRECT = { min: 5, max: 300 };

export function readRedirect(text: string): number | undefined {
  const seconds = Number(text);
  return /^\d{1,3}$/.test(text) && seconds >= REDIRECT.min && seconds <= REDIRECT.max ? seconds : undefined;
}

export const NOT_A_PROXY = 'must be the URL of an HTTP proxy, such as http://proxy.example:3128';

export function readProxy(text: string): string | undefined {
  try {
    proxiesOf({ HTTPS_PROXY: text });
    return text;
  } catch {
    return undefined;
  }
}

/** Reads the certificates of a file. @throws SettingError when it has none */
export function readCaFile(file: string): string[] {
  try {
    return readAuthorities(file);
  } catch (error) {
    throw new SettingError((error as TypeError).message);
  }
}

/** Reads the issuers of ID tokens of CI jobs. An issuer is compared as it is, so its address is not changed. */
export function readCiIssuers(text: string): CiIssuer[] | undefined {
  if (text === 'off') return [];
  const read = text
    .trim()
    .split(/\s+/)
    .map((word) => {
      const [kind, issuer] = word.split(/=(.*)/s);
      const url = URL.parse(issuer ?? '');
      const isPlain =
        url?.protocol === 'https:' && url.username === '' && url.search === '' && url.hash === '';
      return { kind: CiKind.safeParse(kind).data, issuer: isPlain ? issuer : undefined };
    });
  const whole = read.flatMap(({ kind, issuer }) => (kind && issuer ? [{ kind, issuer }] : []));
  return whole.length === read.length ? whole : undefined;
}

/** Reads the names of extensions, each once. */
export function readExtensions(text: string): ExtensionName[] | undefined {
  const words = new Set(text.split(',').map((word) => word.trim()));
  const known = EXTENSION_NAMES.filter((name) => words.has(name));
  return known.length === words.size ? known : undefined;
}
