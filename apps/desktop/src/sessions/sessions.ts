import type { System } from '@svc/runtime';
import { HttpError } from '../http/exchange.ts';
import { newSecret, sameSecret } from '../http/secret.ts';

/** A page that is let in. What hangs on it ends with it. */
export type Session = { readonly id: string; readonly ended: AbortSignal };

/** Who may ask: pages that came by a one-time link. No cookie is used, as cookies of a host are shared by all its ports. */
export type Sessions = {
  /** A key for one link, good for five minutes and one page. */
  newKey(): string;
  /**
   * Trades a key for a bearer. The key is gone afterwards.
   * @throws HttpError 401 for a wrong one; 429 after too many of them
   */
  open(key: string): string;
  /** @throws HttpError 401 */
  require(bearer: string): Session;
  /** Ends all. */
  end(): void;
};

const MINUTE_MS = 60_000;
const KEY_MS = 5 * MINUTE_MS;
/** A page that nobody used for so long is not let in any more. */
const IDLE_MS = 12 * 60 * MINUTE_MS;
const MAX_KEYS = 16;
const MAX_SESSIONS = 32;
/**
 * Wrong keys within a minute, after which more of them are answered 429. A right key always opens: its 256 bits stop guessing,
 * and any program of this machine may send wrong ones, which must not keep the owner out.
 */
const MAX_WRONG = 20;

const refused = (): HttpError =>
  new HttpError(401, 'unauthorized', 'This link is used up or too old. Run `svc desktop` for a new one.');

type Open = { session: Session; bearer: string; usedAt: number; end: AbortController };

/** Counts what goes wrong, by the minute. */
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

/** Keeps keys and sessions in memory: a desktop that starts again lets in nobody of before. */
export function createSessions(system: Pick<System, 'now' | 'randomBytes'>): Sessions {
  const keys = new Map<string, number>();
  const open = new Set<Open>();
  const wrong = wrongKeys(system.now);

  function endOne(one: Open): void {
    open.delete(one);
    one.end.abort(new HttpError(401, 'unauthorized', 'The session has ended.'));
  }

  function takeKey(given: string): boolean {
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
    newKey() {
      const [oldest] = keys.keys();
      if (oldest !== undefined && keys.size >= MAX_KEYS) keys.delete(oldest);
      const key = newSecret(system);
      keys.set(key, system.now());
      return key;
    },
    open(key) {
      if (takeKey(key)) return begin();
      if (wrong.tooMany())
        throw new HttpError(429, 'too-many', 'Too many wrong links were tried. Wait a minute.');
      wrong.add();
      throw refused();
    },
    require(bearer) {
      for (const one of open) if (system.now() - one.usedAt >= IDLE_MS) endOne(one);
      const found = [...open].find((one) => sameSecret(one.bearer, bearer));
      if (!found) throw refused();
      found.usedAt = system.now();
      return found.session;
    },
    end() {
      for (const one of open) endOne(one);
    },
  };
}
