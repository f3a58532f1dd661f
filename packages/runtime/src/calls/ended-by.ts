import type { RuntimeEvent } from '../events/events.ts';
import { RuntimeError } from '../platform/runtime-error.ts';

/**
 * What an event ends: all calls of an app, in one project or in all, with a reason; or the sessions of an account, immediately or
 * (`retire`) after their running calls.
 */
export type Ended =
  | { appId: string; reason: RuntimeError; project?: string | null }
  | { appId: string; accountId: string; retire: boolean };

/** What an event ends; null when nothing. */
export function endedBy(event: RuntimeEvent): Ended | null {
  switch (event.type) {
    case 'app-withdrawn':
      return { appId: event.appId, reason: new RuntimeError('withdrawn') };
    case 'app-switched':
      return event.on
        ? null
        : { appId: event.appId, reason: new RuntimeError('switched-off'), project: event.project };
    case 'app-removed':
      return { appId: event.appId, reason: new RuntimeError('not-installed') };
    case 'app-updated':
      return { appId: event.appId, reason: new RuntimeError('switched-off', 'The app was updated.') };
    case 'account-disconnected':
      return { appId: event.appId, accountId: event.accountId, retire: false };
    // The call that caused the event waits in this session for the user to connect; other calls may be running at the server.
    case 'account-dropped':
      return { appId: event.appId, accountId: event.accountId, retire: true };
    default:
      return null;
  }
}
