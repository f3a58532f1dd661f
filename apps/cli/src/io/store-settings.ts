import type { CommandContext } from '../command-context.ts';
import { usageError } from '../failure.ts';

/** Where the store is when nobody says otherwise: where `npm start` puts it. */
const DEFAULT_STORE = 'http://localhost:8787';

const TOKEN = /^[!-~]+$/;
const LOOPBACK = /^(?:localhost|(?:.+\.)?localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * The address of the store, without a trailing slash: `--store`, else `SVC_STORE`, else this machine.
 * @throws CommandError of wrong use for what is no plain http or https address
 */
export function storeUrl(option: string | undefined, env: CommandContext['env']): string {
  const given = option ?? (env.SVC_STORE || DEFAULT_STORE);
  const source = option === undefined ? 'SVC_STORE' : '--store';
  const url = URL.parse(given);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw usageError(`${source} must be an http or https address, such as ${DEFAULT_STORE}.`);
  }
  // What is hidden in an address ends up in logs, so it is not even repeated here.
  if (url.username || url.password) throw usageError(`${source} must not hold a user name or a password.`);
  if (url.search || url.hash) throw usageError(`${source} must not hold a query or a fragment.`);
  return url.href.replace(/(?<!\/)\/+$/, '');
}

/** Whether a store is on this machine. */
export const isHere = (store: string): boolean => LOOPBACK.test(new URL(store).hostname);

/**
 * Sees to it that a token sent to the store cannot be read on the way.
 * @throws CommandError of wrong use for plain http to another machine, unless the user trusts the network
 */
export function requirePrivateWay(env: CommandContext['env'], store: string): void {
  if (new URL(store).protocol === 'http:' && !isHere(store) && env.SVC_INSECURE_HTTP !== '1') {
    throw usageError(
      `A token sent to ${store} could be read on the way: use https. On a network you trust, set SVC_INSECURE_HTTP=1.`,
    );
  }
}

/**
 * The developer token of the environment, which goes before every other; undefined when there is none.
 * @throws CommandError of wrong use when it can be no token
 */
export function tokenOfEnvironment({ SVC_TOKEN }: CommandContext['env']): string | undefined {
  if (!SVC_TOKEN) return undefined;
  if (!TOKEN.test(SVC_TOKEN))
    throw usageError('SVC_TOKEN holds characters that no token has; is a line end in it?');
  return SVC_TOKEN;
}
