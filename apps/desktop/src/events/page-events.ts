import { guarded } from '@svc/contracts/guarded';
import type { DesktopEvent } from '../wire/events.ts';

type Listener = { session: string | null; receive(event: DesktopEvent): void };

/** @param onFault receives errors of listeners; the other listeners still receive the event */
export function createPageEvents(onFault: (error: unknown) => void) {
  const listeners = new Set<Listener>();
  const watchers = new Set<(pages: number) => void>();
  const pages = () => [...listeners].filter(({ session }) => session !== null).length;
  function pagesChanged(session: string | null): void {
    if (session !== null) for (const watch of watchers) guarded(watch, onFault)(pages());
  }
  return {
    /** The number of open pages. */
    pages,
    /** Calls a function with the number of open pages when that changes. */
    watchPages(watch: (pages: number) => void): void {
      watchers.add(watch);
    },
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
      pagesChanged(session);
      return () => {
        listeners.delete(listener);
        pagesChanged(session);
      };
    },
  };
}

/** Events for pages and other listeners. */
export type PageEvents = ReturnType<typeof createPageEvents>;
