import type { RefusalCode } from '../platform/runtime-error.ts';

/** What happens in the runtime that a client may want to show, or act on. No event holds a secret. */
export type RuntimeEvent =
  | { type: 'app-installed' | 'app-updated' | 'app-removed'; appId: string; version: string }
  /** `project` is null when it was switched everywhere. */
  | { type: 'app-switched'; appId: string; version: string; on: boolean; project: string | null }
  /** It is off from now on: what it has under way, calls and panels, ends. */
  | { type: 'app-withdrawn'; appId: string; version: string; reason: string }
  /** The store took the withdrawal back: a person may switch it on again. */
  | { type: 'app-let-back'; appId: string; version: string }
  /** The last list of withdrawn versions that was accepted is too old to say what is withdrawn now. */
  | { type: 'revocations-stale'; store: string; signedAt: string | null }
  /** The last list of withdrawn versions is signed in the future: a clock is wrong, the store's or this computer's. */
  | { type: 'revocations-ahead'; store: string; signedAt: string }
  /** A list of withdrawn versions was not taken, or could not be fetched. What was accepted before goes on holding. */
  | { type: 'revocations-refused'; store: string; reason: RefusalCode }
  | { type: 'account-connected' | 'account-disconnected'; appId: string; accountId: string }
  /** The authorization server refused the grant, or an update took it from its account (`moved`): the user has to connect again. */
  | { type: 'account-dropped'; appId: string; accountId: string; reason: string }
  /** The browser is being opened for the user; the sign-in can be opened again, or cancelled, until it has ended. */
  | { type: 'sign-in-started' | 'sign-in-ended'; appId: string; accountId: string }
  /** The authorization server takes a client ID metadata document, and ours at `url` could not be used: another way was taken. */
  | { type: 'client-document-unused'; appId: string; accountId: string; url: string; reason: string }
  | { type: 'token-used'; appId: string; accountId: string; host: string; tool: string; at: string }
  | { type: 'call-started' | 'call-ended'; appId: string; tool: string; callId: string; chat: string }
  | { type: 'panel-opened'; appId: string; panel: string }
  | { type: 'panel-closed'; appId: string; panel: string; reason: string }
  /**
   * A panel of an app with accounts is shown in a browser that does not keep it to the hosts of its app: it gets no tokens there,
   * and calls tools instead. Told once for each app.
   */
  | { type: 'panel-tokens-withheld'; appId: string; panel: string }
  /** The folder was read; `appId` is null while something in it keeps it from being an app. */
  | { type: 'developer-app-changed'; appId: string | null; folder: string; issues: number };

type Listener = (event: RuntimeEvent) => void;

/** Where parts of the runtime tell what happened, and clients listen. */
export type Events = {
  tell(event: RuntimeEvent): void;
  /** @returns what ends the listening */
  listen(listener: Listener): () => void;
};

/**
 * Events within one process. A listener that throws keeps neither the others nor the deed itself from going on.
 * @param onFault told what a listener threw
 */
export function createEvents(onFault: (error: unknown) => void): Events {
  const listeners = new Set<Listener>();
  return {
    tell(event) {
      for (const listener of listeners) {
        try {
          listener(event);
        } catch (error) {
          onFault(error);
        }
      }
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
