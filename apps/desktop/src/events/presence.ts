import { inBackground } from '@svc/contracts/guarded';
import type { System } from '@svc/runtime';
import type { Session } from '../sessions/sessions.ts';

/** How long a session may have no stream before its page counts as closed, in milliseconds: it may be reloading. */
const ABSENCE_MS = 60_000;

/**
 * Detects closed pages by the event streams of their sessions.
 * @param onLeft called for a session without streams
 */
export function createPresence(system: Pick<System, 'sleep'>, onLeft: (session: Session) => void) {
  const streams = new Map<Session, number>();

  async function watch(session: Session): Promise<void> {
    await system.sleep(ABSENCE_MS, session.ended);
    if (!streams.has(session)) onLeft(session);
  }

  return {
    /** Counts a stream of a session for as long as the work takes. */
    async during(session: Session, work: () => Promise<void>): Promise<void> {
      streams.set(session, (streams.get(session) ?? 0) + 1);
      try {
        await work();
      } finally {
        const remaining = (streams.get(session) ?? 1) - 1;
        if (remaining > 0) streams.set(session, remaining);
        else {
          streams.delete(session);
          // Rejects if the session has ended, which closes everything anyway.
          inBackground(watch(session), () => undefined);
        }
      }
    },
  };
}
