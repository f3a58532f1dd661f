import type { Events } from '../events/events.ts';
import { RuntimeError } from '../platform/runtime-error.ts';

/** HTTP statuses of an address at which no server answers MCP, or not now. */
const isGone = (status: unknown): boolean => typeof status === 'number' && (status >= 500 || status === 404);

/** Whether an error says that the server of an app does not respond. One that answers with an error of its own does. */
function isLost({ code, detail: { status, rpc } }: RuntimeError): boolean {
  if (code === 'unreachable') return true;
  return code === 'server-failed' && rpc === undefined && (status === undefined || isGone(status));
}

/**
 * Remembers which servers do not respond, from what their last request or their program came to. It sends no request of its own: one
 * that the user does not wait for may start a program, or cost something.
 */
export function createServerHealth(events: Pick<Events, 'emit'>) {
  const lost = new Map<string, string>();
  function responded(appId: string): void {
    if (lost.delete(appId)) events.emit({ type: 'server-back', appId });
  }
  return {
    responded,
    /** @param error of a request; one that says nothing about the server changes nothing */
    failed(appId: string, error: unknown): void {
      if (!(error instanceof RuntimeError)) return;
      if (error.detail.rpc !== undefined) responded(appId);
      if (!isLost(error) || lost.get(appId) === error.message) return;
      lost.set(appId, error.message);
      events.emit({ type: 'server-lost', appId, reason: error.message });
    },
    /** Why the server of an app does not respond; null if it did, or was not asked in this process. */
    faultOf: (appId: string): string | null => lost.get(appId) ?? null,
    /** The app was removed or replaced, or its server is asked in another way. */
    forget: (appId: string): void => void lost.delete(appId),
  };
}

export type ServerHealth = ReturnType<typeof createServerHealth>;
