import type { System } from '../../platform/system.ts';
import type { Requests } from '../requests.ts';
import type { Challenge } from './challenge.ts';
import { type Discovered, discover } from './discover.ts';

/** Discovers the authorization server of an MCP server. Rejects with an OAuthError. */
export type Discover = (requests: Requests, mcpUrl: string, earlier: Challenge | null) => Promise<Discovered>;

/** Discovery for a card (`discover`, which caches) and for the sign-in that follows it (`take`). */
export type Discovery = { discover: Discover; take: Discover };

/** How long a result is cached, in milliseconds. */
const KEPT_MS = 60_000;

/** Maximum number of cached results. */
const MAX_KEPT = 100;

const keyOf = ({ allowLoopback }: Requests, mcpUrl: string): string =>
  JSON.stringify([mcpUrl, allowLoopback]);

/** Keeps what `look` found until it is taken, for a minute at most, so that a card and its sign-in ask once. */
export function cacheDiscovery(system: Pick<System, 'now'>): Discovery {
  const cache = new Map<string, { at: number; found: Discovered }>();
  return {
    async discover(requests, mcpUrl, earlier) {
      const found = await discover(requests, mcpUrl, earlier);
      const [oldest] = cache.keys();
      if (cache.size >= MAX_KEPT && oldest !== undefined) cache.delete(oldest);
      cache.set(keyOf(requests, mcpUrl), { at: system.now(), found });
      return found;
    },
    async take(requests, mcpUrl, earlier) {
      const key = keyOf(requests, mcpUrl);
      const present = cache.get(key);
      cache.delete(key);
      const age = system.now() - (present?.at ?? 0);
      return present && age >= 0 && age < KEPT_MS ? present.found : discover(requests, mcpUrl, earlier);
    },
  };
}
