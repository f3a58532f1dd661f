import type { RuntimeEvent } from '../events/events.ts';
import { RuntimeRefusal } from '../platform/refusal.ts';

/** What an event ends: everything of an app, for a reason that its calls are told, or the sessions of one account. */
export type Ended = { appId: string; reason: RuntimeRefusal } | { appId: string; accountId: string };

/** What an event ends; null when nothing. */
export function endedBy(event: RuntimeEvent): Ended | null {
  switch (event.type) {
    case 'app-withdrawn':
      return { appId: event.appId, reason: new RuntimeRefusal('withdrawn') };
    case 'app-switched':
      return event.on ? null : { appId: event.appId, reason: new RuntimeRefusal('switched-off') };
    case 'app-removed':
      return { appId: event.appId, reason: new RuntimeRefusal('not-installed') };
    case 'app-updated':
      return { appId: event.appId, reason: new RuntimeRefusal('switched-off', 'The app was updated.') };
    case 'account-disconnected':
    case 'account-dropped':
      return { appId: event.appId, accountId: event.accountId };
    default:
      return null;
  }
}
