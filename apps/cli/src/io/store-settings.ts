import { existsSync, readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isThisMachine } from '@svc/contracts/this-machine';
import type { CommandContext } from '../command-record.ts';
import { usageError } from '../failure.ts';

/** File next to package.json, into which a store writes its URL when it serves this package. */
const OWN_FILE = pathToFileURL(join(dirname(findPackageJSON(import.meta.url) as string), 'store.json'));

/** The URL of the store that served this package; undefined when it came from elsewhere. */
export function servingStore(file: URL = OWN_FILE): string | undefined {
  if (!existsSync(file)) return undefined;
  return (JSON.parse(readFileSync(file, 'utf8')) as { store: string }).store;
}

/** The default store: where `npm start` runs one. */
const DEFAULT_STORE = 'http://localhost:8787';

const TOKEN = /^[!-~]+$/;

/**
 * The URL of the store, without a trailing slash: `--store`, else `SVC_STORE`, else this machine.
 * @throws CommandError with exit code 2 unless it is a plain http or https URL
 */
export function storeUrl(option: string | undefined, env: CommandContext['env']): string {
  const value = option ?? (env.SVC_STORE || DEFAULT_STORE);
  const source = option === undefined ? 'SVC_STORE' : '--store';
  const url = URL.parse(value);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw usageError(`${source} must be an http or https URL, such as ${DEFAULT_STORE}.`);
  }
  // Credentials in a URL end up in logs, so the message does not repeat the URL.
  if (url.username || url.password) throw usageError(`${source} must not contain a user name or a password.`);
  if (url.search || url.hash) throw usageError(`${source} must not contain a query or a fragment.`);
  return url.href.replace(/(?<!\/)\/+$/, '');
}

/** Whether a store is on this machine. */
export const isLocalStore = (store: string): boolean => isThisMachine(new URL(store).hostname);

/**
 * Ensures that a token sent to the store is encrypted in transit.
 * @throws CommandError with exit code 2 for plain http to another machine, unless SVC_INSECURE_HTTP allows it
 */
export function requireSecureTransport(env: CommandContext['env'], store: string): void {
  if (new URL(store).protocol === 'http:' && !isLocalStore(store) && env.SVC_INSECURE_HTTP !== '1') {
    throw usageError(
      `Refusing to send a token to ${store} over unencrypted http. Use https or, on a network you trust, set SVC_INSECURE_HTTP=1.`,
    );
  }
}

/**
 * The developer token in SVC_TOKEN, which takes precedence; undefined when it is not set.
 * @throws CommandError with exit code 2 when it is malformed
 */
export function tokenOfEnvironment({ SVC_TOKEN }: CommandContext['env']): string | undefined {
  if (!SVC_TOKEN) return undefined;
  if (!TOKEN.test(SVC_TOKEN))
    throw usageError('SVC_TOKEN contains characters that no token has. Does it contain a line break?');
  return SVC_TOKEN;
}
