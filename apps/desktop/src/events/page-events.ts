import type { DesktopEvent } from '../wire/events.ts';

type Listener = { session: string | null; receive(event: DesktopEvent): void };

/** @param onFault receives errors of listeners; the other listeners still receive the event */
export function createPageEvents(onFault: (error: unknown) => void) {
  const listeners = new Set<Listener>();
  return {
    /** @param session id of the only session that receives the event, in addition to the program itself; all sessions if omitted */
    emit(event: DesktopEvent, session?: string) {
      for (const listener of listeners) {
        if (session !== undefined && listener.session !== null && listener.session !== session) continue;
        try {
          listener.receive(event);
        } catch (error) {
          onFault(error);
        }
      }
    },
    /**
     * @param session id of the listener's session; null for the program itself, which receives all events
     * @returns a function that removes the listener
     */
    subscribe(session: string | null, receive: (event: DesktopEvent) => void): () => void {
      const listener = { session, receive };
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Events for pages and other listeners. */
export type PageEvents = ReturnType<typeof createPageEvents>;
