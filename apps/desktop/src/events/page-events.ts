import type { DesktopEvent } from '../wire/events.ts';

type Listener = { session: string | null; receive(event: DesktopEvent): void };

/** Events for pages and other listeners. */
export type PageEvents = {
  /** @param session id of the only session that receives the event, in addition to the program itself; all sessions if omitted */
  emit(event: DesktopEvent, session?: string): void;
  /**
   * @param session id of the listener's session; null for the program itself, which receives all events
   * @returns a function that removes the listener
   */
  subscribe(session: string | null, receive: (event: DesktopEvent) => void): () => void;
};

/** @param onFault receives errors of listeners; the other listeners still receive the event */
export function createPageEvents(onFault: (error: unknown) => void): PageEvents {
  const listeners = new Set<Listener>();
  return {
    emit(event, session) {
      for (const listener of listeners) {
        if (session !== undefined && listener.session !== null && listener.session !== session) continue;
        try {
          listener.receive(event);
        } catch (error) {
          onFault(error);
        }
      }
    },
    subscribe(session, receive) {
      const listener = { session, receive };
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
