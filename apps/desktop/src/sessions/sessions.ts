import type { System } from '@svc/runtime';
import { HttpError } from '../http/exchange.ts';
import { newSecret, sameSecret } from '../http/secret.ts';

/** The session of a page. `ended` is aborted when it ends. */
export type Session = { readonly id: string; readonly ended: AbortSignal };

const MINUTE_MS = 60_000;
const KEY_MS = 5 * MINUTE_MS;
/** Idle timeout of a session. */
const IDLE_MS = 12 * 60 * MINUTE_MS;
const MAX_KEYS = 16;
const MAX_SESSIONS = 32;
/**
 * Wrong keys per minute before the response is 429. A valid key always works: its 256 bits prevent guessing, and other programs on this
 * computer could send wrong keys to lock the owner out.
 */
const MAX_WRONG = 20;

const refused = (): HttpError =>
  new HttpError(
    401,
    'unauthorized',
    'This link has been used or has expired. Run `svc desktop` for a new one.',
  );

type Open = { session: Session; bearer: string; usedAt: number; end: AbortController };

/** Counts wrong keys per minute. */
function wrongKeys(now: () => number) {
  let since = 0;
  let count = 0;
  return {
    tooMany(): boolean {
      if (now() - since >= MINUTE_MS) {
        since = now();
        count = 0;
      }
      return count >= MAX_WRONG;
    },
    add() {
      count += 1;
    },
  };
}

/** Creates the sessions. Keys and sessions are in memory only, so a restart invalidates them. */
export function createSessions(system: Pick<System, 'now' | 'randomBytes'>) {
  const keys = new Map<string, number>();
  const open = new Set<Open>();
  const wrong = wrongKeys(system.now);

  function endOne(entry: Open): void {
    open.delete(entry);
    entry.end.abort(new HttpError(401, 'unauthorized', 'The session has ended.'));
  }

  function redeemKey(given: string): boolean {
    for (const [key, madeAt] of keys) {
      if (system.now() - madeAt >= KEY_MS) keys.delete(key);
      else if (sameSecret(key, given)) return keys.delete(key);
    }
    return false;
  }

  function begin(): string {
    const [oldest] = [...open].sort((a, b) => a.usedAt - b.usedAt);
    if (oldest && open.size >= MAX_SESSIONS) endOne(oldest);
    const end = new AbortController();
    const bearer = newSecret(system);
    const id = Buffer.from(system.randomBytes(12)).toString('hex');
    open.add({ session: { id, ended: end.signal }, bearer, usedAt: system.now(), end });
    return bearer;
  }

  return {
    /** Creates a key for one link. It is valid for five minutes and one page. */
    newKey() {
      const [oldest] = keys.keys();
      if (oldest !== undefined && keys.size >= MAX_KEYS) keys.delete(oldest);
      const key = newSecret(system);
      keys.set(key, system.now());
      return key;
    },
    /**
     * Exchanges a key for a bearer. The key is invalid afterwards.
     * @throws HttpError 401 for a wrong key; 429 after too many wrong keys
     */
    open(key: string) {
      if (redeemKey(key)) return begin();
      if (wrong.tooMany())
        throw new HttpError(429, 'too-many', 'Too many wrong keys. Try again in a minute.');
      wrong.add();
      throw refused();
    },
    /** @throws HttpError 401 */
    require(bearer: string) {
      for (const entry of open) if (system.now() - entry.usedAt >= IDLE_MS) endOne(entry);
      const current = [...open].find((entry) => sameSecret(entry.bearer, bearer));
      if (!current) throw refused();
      current.usedAt = system.now();
      return current.session;
    },
    end() {
      for (const entry of open) endOne(entry);
    },
  };
}

/** Sessions of pages that were opened by a one-time link. No cookies are used: all ports of a host share them. */
export type Sessions = ReturnType<typeof createSessions>;
