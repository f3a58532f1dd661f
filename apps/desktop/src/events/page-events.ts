import type { DesktopEvent } from '../wire/events.ts';

type Listener = { session: string | null; heard(event: DesktopEvent): void };

/** What pages and other listeners are told. */
export type PageEvents = {
  /** @param session id of the only one that is told, besides the program itself; all when it is left out */
  tell(event: DesktopEvent, session?: string): void;
  /**
   * @param session id of who listens; null for the program itself, which hears all
   * @returns what ends the listening
   */
  listen(session: string | null, heard: (event: DesktopEvent) => void): () => void;
};

/** @param onFault told what a listener threw, after which the others are told all the same */
export function createPageEvents(onFault: (error: unknown) => void): PageEvents {
  const listeners = new Set<Listener>();
  return {
    tell(event, session) {
      for (const one of listeners) {
        if (session !== undefined && one.session !== null && one.session !== session) continue;
        try {
          one.heard(event);
        } catch (error) {
          onFault(error);
        }
      }
    },
    listen(session, heard) {
      const one = { session, heard };
      listeners.add(one);
      return () => listeners.delete(one);
    },
  };
}
