import type { CallProgress, CloseReason, PanelView, RuntimeEvent } from '@svc/runtime';
import type { ChatEvent } from './chat.ts';
import type { FolderView, WaitingCard } from './views.ts';

/** A call of an app in the log: `log` is the id of its beginning and its end. */
type LoggedCall = {
  log: string;
  at: string;
  appId: string;
  tool: string;
  asker: string;
  chat: string | null;
};

/**
 * The events of the desktop: `GET /events` with the bearer is an event stream whose `data` are these objects as JSON. A page that lost
 * the stream fetches its state again.
 */
export type DesktopEvent =
  | ChatEvent
  | { type: 'runtime'; event: RuntimeEvent }
  | { type: 'card'; card: WaitingCard }
  /** The card was answered elsewhere, or its caller stopped waiting. */
  | { type: 'card-gone'; cardId: string }
  | { type: 'call-progress'; callId: string; progress: CallProgress }
  /** A call of an app by any caller begins; `log` is that of its end. */
  | ({ type: 'call-begun' } & LoggedCall)
  /** A call of an app by any caller has ended, with tokens masked. */
  | ({ type: 'call-log'; ms: number | null; waitedMs?: number; outcome: string; detail: string } & LoggedCall)
  | { type: 'panel-message'; panel: string; text: string }
  /** A page of a connector asks for a height or a mode. */
  | { type: 'panel-view'; panel: string; as: PanelView }
  | { type: 'panel-closed'; panel: string; reason: CloseReason }
  | { type: 'pick-files'; pickId: string; appId: string; accept: readonly string[]; multiple: boolean }
  | { type: 'pick-gone'; pickId: string }
  /** The URL of a sign-in for which the desktop could not open a browser: the page shows the link. */
  | { type: 'open-page'; url: string; appId: string; accountId: string }
  /** An agent connected or disconnected. */
  | { type: 'agents' }
  /** The desktop is signed in to the store, or no longer, or could not be. */
  | { type: 'store-session' }
  | { type: 'folder'; folder: FolderView };
