import type { CallProgress, CloseReason, RuntimeEvent } from '@svc/runtime';
import type { ChatEvent } from './chat.ts';
import type { FolderView, WaitingCard } from './views.ts';

/**
 * What the desktop tells its pages as it happens: `GET /events` with the bearer, an event stream whose `data` are these as JSON.
 * A page that lost the stream asks for all again.
 */
export type DesktopEvent =
  | ChatEvent
  | { type: 'runtime'; event: RuntimeEvent }
  | { type: 'card'; card: WaitingCard }
  /** It was answered elsewhere, or nobody waits for it any more. */
  | { type: 'card-gone'; cardId: string }
  | { type: 'call-progress'; callId: string; progress: CallProgress }
  /** One call of any app by anybody, as a line for people; tokens are masked. */
  | {
      type: 'call-log';
      at: string;
      appId: string;
      tool: string;
      asker: string;
      ms: number | null;
      outcome: string;
      detail: string;
    }
  | { type: 'panel-message'; panel: string; text: string }
  | { type: 'panel-closed'; panel: string; reason: CloseReason }
  | { type: 'pick-files'; pickId: string; appId: string; accept: readonly string[]; multiple: boolean }
  | { type: 'pick-gone'; pickId: string }
  /** A sign-in waits at this address, and the desktop could not open a browser itself: the page leads the person there. */
  | { type: 'open-page'; url: string; appId: string; accountId: string }
  /** An agent came or went. */
  | { type: 'agents' }
  | { type: 'folder'; folder: FolderView };
