import type { System } from '../../platform/system.ts';
import type { Requests } from '../requests.ts';
import type { Challenge } from './challenge.ts';
import { type Discovered, discover } from './discover.ts';

/** Finds out where to sign in for an MCP server. Rejects with a OAuthError. */
export type Discover = (requests: Requests, mcpUrl: string, earlier: Challenge | null) => Promise<Discovered>;

/** What a card that names the server found out, for the sign-in that follows it. */
export type Discovery = { look: Discover; take: Discover };

/** How long an answer counts, in milliseconds. */
const KEPT_MS = 60_000;

/** Most answers that are kept. */
const MAX_KEPT = 100;

const keyOf = ({ allowLoopback }: Requests, mcpUrl: string): string =>
  JSON.stringify([mcpUrl, allowLoopback]);

/** Keeps what `look` found until it is taken, for a minute at most, so that a card and its sign-in ask once. */
export function rememberDiscovery(system: Pick<System, 'now'>): Discovery {
  const kept = new Map<string, { at: number; found: Discovered }>();
  return {
    async look(requests, mcpUrl, earlier) {
      const found = await discover(requests, mcpUrl, earlier);
      const [oldest] = kept.keys();
      if (kept.size >= MAX_KEPT && oldest !== undefined) kept.delete(oldest);
      kept.set(keyOf(requests, mcpUrl), { at: system.now(), found });
      return found;
    },
    async take(requests, mcpUrl, earlier) {
      const key = keyOf(requests, mcpUrl);
      const present = kept.get(key);
      kept.delete(key);
      const age = system.now() - (present?.at ?? 0);
      return present && age >= 0 && age < KEPT_MS ? present.found : discover(requests, mcpUrl, earlier);
    },
  };
}
