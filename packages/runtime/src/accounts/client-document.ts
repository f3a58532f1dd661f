import { type Account, ClientMetadata } from '@svc/contracts';
import type { Events } from '../events/events.ts';
import type { InstalledApp } from '../library/installed-app.ts';
import { bytesOf, parseAnswer } from '../network/read-answer.ts';
import type { System } from '../platform/system.ts';
import { withinTime } from '../platform/within-time.ts';
import type { AuthorizationServer } from './discovery/server-metadata.ts';
import { addressOf } from './requests.ts';

/** The path at which a store serves the client ID metadata document of its clients. */
const PATH = '/apps/oauth/client.json';

/** Maximum size of the document; the draft recommends 5 KiB (section 6.6). */
const MAX_BYTES = 5 * 1024;

/** Time limit of the request to the store, in milliseconds. */
const LIMIT_MS = 10_000;

type DocumentRequest = {
  app: InstalledApp;
  account: Account;
  server: AuthorizationServer;
  store: string;
  redirectUri: string;
};

type Deps = {
  fetchStore: typeof fetch;
  system: Pick<System, 'sleep'>;
  events: Events;
  /** The document of the embedding program; replaces that of the store. */
  documentUrl: string | undefined;
};

/** Whether a server on the public Internet can read a URL: https, and a public host name (draft, sections 3 and 6.5). */
function isPublic(url: string): boolean {
  try {
    return addressOf(url, false).protocol === 'https:';
  } catch {
    return false;
  }
}

/** Why the document of a store cannot be used; null when it can. Stores of earlier versions serve none. */
async function faultIn(
  { fetchStore, system }: Deps,
  url: string,
  redirectUri: string,
): Promise<string | null> {
  try {
    const text = await withinTime(system, LIMIT_MS, AbortSignal.any([]), async (signal) => {
      const headers = { Accept: 'application/json' };
      const response = await fetchStore(url, { headers, redirect: 'error', signal });
      if (response.status !== 200) throw new Error(`${response.status}`);
      return (await bytesOf(response, MAX_BYTES)).toString();
    });
    const { data } = ClientMetadata.safeParse(parseAnswer(text));
    // Servers use simple string comparison (draft, section 4).
    if (data?.client_id !== url) return `The client_id in ${url} is not its URL.`;
    return data.redirect_uris.includes(redirectUri) ? null : `${url} does not list ${redirectUri}.`;
  } catch {
    return `${url} cannot be read.`;
  }
}

export function createClientDocuments(deps: Deps) {
  const refused = new Set<string>();
  const usable = new Set<string>();

  async function unusableReason(
    url: string,
    { server, redirectUri }: DocumentRequest,
  ): Promise<string | null> {
    if (refused.has(server.issuer ?? '')) return 'An earlier sign-in with it failed.';
    if (server.clientMethods?.includes('none') === false)
      return 'The authorization server takes no client without a secret.';
    if (deps.documentUrl !== undefined) return null;
    if (!isPublic(url)) return `Servers on the Internet cannot read ${url}.`;
    if (usable.has(url)) return null;
    const fault = await faultIn(deps, url, redirectUri);
    if (fault === null) usable.add(url);
    return fault;
  }

  return {
    /** The URL of the document; null when the server does not support it, or the document cannot be used (an event gives the reason). */
    async find(request: DocumentRequest): Promise<string | null> {
      const { app, account, server, store } = request;
      if (!server.supportsClientIdMetadata) return null;
      const url = deps.documentUrl ?? `${store.replace(/(?<!\/)\/+$/, '')}${PATH}`;
      const reason = await unusableReason(url, request);
      if (reason === null) return url;
      const { appId } = app;
      deps.events.emit({ type: 'client-document-unused', appId, accountId: account.id, url, reason });
      return null;
    },
    /** Marks the document as not working at a server, after a failed sign-in: the next sign-in uses another kind of client. */
    refuse: (issuer: string) => void refused.add(issuer),
  };
}

/** The client ID metadata document (draft-ietf-oauth-client-id-metadata-document) of this client at each server. */
export type ClientDocuments = ReturnType<typeof createClientDocuments>;
