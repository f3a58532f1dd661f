import type { RefusalCode } from '../platform/runtime-error.ts';

/** An event of the runtime that a client may want to show or act on. No event contains a secret. */
export type RuntimeEvent =
  | { type: 'app-installed' | 'app-updated' | 'app-removed'; appId: string; version: string }
  /** A newer version was found that is not installed by itself, or no longer waits for the same. Emitted once for each. */
  | { type: 'update-waiting'; appId: string; version: string; to: string }
  /** `project` is null when the app was switched in all projects. */
  | { type: 'app-switched'; appId: string; version: string; on: boolean; project: string | null }
  /** The store yanked the version: the app is off, and its calls and panels end. */
  | { type: 'app-yanked'; appId: string; version: string; reason: string }
  /** The store undid the yank. `on`: the app was on before, globally or in a project, and is on again there; else the user can switch it on. */
  | { type: 'app-restored'; appId: string; version: string; on: boolean }
  /** The last accepted revocation list is too old to be relied on. */
  | { type: 'revocations-stale'; store: string; signedAt: string | null }
  /** The last accepted revocation list is signed in the future: the clock of the store or of this computer is wrong. */
  | { type: 'revocations-ahead'; store: string; signedAt: string }
  /** A revocation list was refused or could not be fetched. The last accepted list stays in use. */
  | { type: 'revocations-refused'; store: string; reason: RefusalCode }
  /** The store signs no list of the versions of its apps, as older ones do. Emitted once for a store. */
  | { type: 'heads-missing'; store: string }
  /** The store has no log of what it publishes, as older ones. Emitted once for a store. */
  | { type: 'log-missing'; store: string }
  /** The log of the store has another history than before, or is shorter. `evidence`: the file with both checkpoints, if it could be saved. */
  | { type: 'log-forked'; store: string; evidence: string | null }
  /** The newest list of versions that the store offers is too old: it, or something between, may hold back updates. */
  | { type: 'head-stale'; store: string; appId: string; signedAt: string }
  /** A mirror of the store is away, stale, or not what the store signed: the next one is asked, and the store last. */
  | { type: 'mirror-left'; store: string; mirror: string; why: string }
  /** A mirror that was left works again. */
  | { type: 'mirror-back'; store: string; mirror: string }
  /** The settings that a company has in force changed. */
  | { type: 'managed-changed' }
  | { type: 'account-connected' | 'account-disconnected'; appId: string; accountId: string }
  /** The authorization server refused the grant, or an update removed the account's grant (`moved`): the user has to connect again. */
  | { type: 'account-dropped'; appId: string; accountId: string; reason: string }
  /** A sign-in started: the browser opens for the user. Until it ends, it can be reopened or cancelled. */
  | { type: 'sign-in-started' | 'sign-in-ended'; appId: string; accountId: string }
  /**
   * The response to a sign-in has not come: if the browser has another network address than this client, its page asks for these digits.
   * Show them to the user.
   */
  | { type: 'sign-in-digits'; appId: string; accountId: string; digits: string }
  /** The authorization server accepts a client ID metadata document, but the one at `url` could not be used; the client fell back. */
  | { type: 'client-document-unused'; appId: string; accountId: string; url: string; reason: string }
  /** A new vault stores its key in a file, because no keyring keeps it: who reads both files reads all accounts. Emitted once. */
  | { type: 'vault-key-in-file'; file: string }
  | { type: 'token-used'; appId: string; accountId: string; host: string; tool: string; at: string }
  | { type: 'call-started' | 'call-ended'; appId: string; tool: string; callId: string; chat: string }
  /** The server of an app changed what it says of its tools: the change waits for the user. Emitted once for each change. */
  | { type: 'tools-changed'; appId: string }
  /** The user accepted or rejected it. */
  | { type: 'tools-accepted' | 'tools-rejected'; appId: string }
  /** A malformed part of what an app's server sent was dropped or repaired. Emitted once per part while this process runs. */
  | { type: 'server-repaired'; appId: string; what: string }
  /** The server of an app does not respond, or its program has ended. Emitted once for each reason, until `server-back`. */
  | { type: 'server-lost'; appId: string; reason: string }
  | { type: 'server-back'; appId: string }
  /** The server of a connector logs something; `level` is one of RFC 5424. Words of the server, without tokens. */
  | { type: 'server-log'; appId: string; level: string; text: string }
  /** The server of a connector says that its tools, resources or prompts have changed. */
  | { type: 'server-list-changed'; appId: string; list: 'tools' | 'resources' | 'prompts' }
  /** The server of a connector says that a resource has changed, to which this client has subscribed. */
  | { type: 'server-resource-updated'; appId: string; uri: string }
  /** The user changed what a connector may do; its sessions open again. */
  | { type: 'connector-changed'; appId: string }
  | { type: 'panel-opened'; appId: string; panel: string }
  | { type: 'panel-closed'; appId: string; panel: string; reason: string }
  /**
   * A panel of an app with accounts is shown in a browser that does not confine it to the hosts of its app. The panel gets no tokens
   * and calls tools instead. Emitted once per app.
   */
  | { type: 'panel-tokens-withheld'; appId: string; panel: string }
  /** The folder was read; `appId` is null while errors in it prevent it from being an app. */
  | { type: 'developer-app-changed'; appId: string | null; folder: string; issues: number };

type Listener = (event: RuntimeEvent) => void;

/** Events of the runtime. */
export type Events = {
  /** Calls all listeners with an event. */
  emit(event: RuntimeEvent): void;
  /** Adds a listener. @returns unsubscribes it */
  subscribe(listener: Listener): () => void;
};

/**
 * Creates the events of one process. A listener that throws affects neither the other listeners nor the caller of `emit`.
 * @param onFault receives what a listener threw
 */
export function createEvents(onFault: (error: unknown) => void): Events {
  const listeners = new Set<Listener>();
  function emit(event: RuntimeEvent): void {
    for (const listener of listeners) {
      try {
        listener(event);
      } catch (error) {
        onFault(error);
      }
    }
  }
  function subscribe(listener: Listener): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }
  return { emit, subscribe };
}
