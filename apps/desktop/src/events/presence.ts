import type { System } from '@svc/runtime';
import type { Session } from '../sessions/sessions.ts';

/** How long a session may be without any stream before its page counts as gone, in milliseconds: it may be loading again. */
const ABSENCE_MS = 60_000;

/**
 * Finds out whose page is gone, by the streams of its session.
 * @param left told of a session that nobody listens in any more
 */
export function createPresence(system: Pick<System, 'sleep'>, left: (session: Session) => void) {
  const streams = new Map<Session, number>();

  async function watch(session: Session): Promise<void> {
    await system.sleep(ABSENCE_MS, session.ended);
    if (!streams.has(session)) left(session);
  }

  return {
    /** Counts a stream of a session for as long as the work takes. */
    async during(session: Session, work: () => Promise<void>): Promise<void> {
      streams.set(session, (streams.get(session) ?? 0) + 1);
      try {
        await work();
      } finally {
        const rest = (streams.get(session) ?? 1) - 1;
        if (rest > 0) streams.set(session, rest);
        else {
          streams.delete(session);
          // A session that ended has closed everything itself.
          void watch(session).catch(() => undefined);
        }
      }
    },
  };
}
