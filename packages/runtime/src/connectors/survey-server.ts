import type { Resource, Tool } from '@modelcontextprotocol/client';
import { isThisMachine } from '@svc/contracts/this-machine';
import { discover } from '../accounts/discovery/discover.ts';
import { OAuthError } from '../accounts/oauth-error.ts';
import { type Guard, type Requests, requestsOf } from '../accounts/requests.ts';
import { connectToServer, type ServerConnection } from '../calls/connection.ts';
import { faultOf } from '../calls/fault.ts';
import { createKnownEras, type Era } from '../calls/negotiate-era.ts';
import { probeServer } from '../calls/probe-server.ts';
import { createSecrets } from '../calls/secrets.ts';
import type { Connecting } from '../network/connector.ts';
import { createGuardedFetch } from '../network/guarded-fetch.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';

/** Time limit for the whole survey, in milliseconds. */
const LIMIT_MS = 60_000;

/** Maximum number of tools and pages. */
const MAX_TOOLS = 200;
const MAX_PAGES = 10;

/** Maximum characters of the HTML of one page. */
const MAX_HTML = 512 * 1024;

/** A page that a server shows in clients (MCP Apps: a resource at `ui://`). */
export type SurveyedPage = { uri: string; title: string; html: string; domains: readonly string[] };

/** What an MCP server reports about itself: untrusted and not sanitized. */
export type ServerSurvey = {
  url: string;
  /** The generation of MCP of the server; null when it could not be determined. */
  era: Era | null;
  /** Empty when the server does not report it. */
  name: string;
  title: string;
  instructions: string;
  /** Where users sign in; null when the server requires no sign-in. `host` is null when the server does not report it. */
  signIn: { host: string | null; scopes: readonly string[] } | null;
  /** Null when it lists nothing without a token. */
  tools: readonly Pick<Tool, 'name' | 'title' | 'description' | 'annotations'>[] | null;
  pages: readonly SurveyedPage[];
  /** What was omitted, and why, in sentences. */
  notes: readonly string[];
};

type Deps = {
  system: Pick<System, 'now' | 'sleep'>;
  client: { name: string; version: string };
  connecting?: Connecting;
};

type Meta = { ui?: { resourceUri?: unknown; csp?: Record<string, unknown> } };

const metaOf = (value: { _meta?: unknown }): Meta => (value._meta ?? {}) as Meta;

const textsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string').slice(0, 50) : [];

/** The origins that a page requests (MCP Apps, `_meta.ui.csp`). */
function domainsOf(csp: Record<string, unknown> = {}): string[] {
  return [...textsIn(csp.connectDomains), ...textsIn(csp.resourceDomains)];
}

/** Where to sign in, for a server that requires a token, and whether it lists its tools without one. */
async function signInOf(
  requests: Requests,
  url: string,
): Promise<Pick<ServerSurvey, 'signIn'> & { isListed: boolean }> {
  const { isClosed, isListed, challenge, fault } = await probeServer(requests.server(url));
  if (fault) throw fault;
  if (!isClosed) return { signIn: null, isListed };
  try {
    const { server, scopes } = await discover(requests, url, challenge);
    const { host } = new URL(server.authorizationEndpoint);
    return { signIn: { host, scopes: scopes ?? [] }, isListed };
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    return { signIn: { host: null, scopes: challenge?.scopes ?? [] }, isListed };
  }
}

/** The URIs of the pages of a server: those that tools refer to, and those that are listed. */
function pageUris(tools: readonly Tool[], resources: readonly Resource[]): string[] {
  const named = tools.map((tool) => metaOf(tool).ui?.resourceUri).filter((uri) => typeof uri === 'string');
  const uris = [...named, ...resources.map(({ uri }) => uri)].filter((uri) => uri.startsWith('ui://'));
  return [...new Set(uris)];
}

async function readPage(
  connection: ServerConnection,
  uri: string,
  resource: Resource | undefined,
  signal: AbortSignal,
): Promise<SurveyedPage | null> {
  const { contents } = await connection.content.read(uri, signal);
  const content = contents.find((item) => 'text' in item && item.text.length <= MAX_HTML);
  if (!content || !('text' in content) || !content.mimeType?.startsWith('text/html')) return null;
  const csp = metaOf(content).ui?.csp ?? (resource && metaOf(resource).ui?.csp);
  return { uri, title: resource?.title ?? resource?.name ?? '', html: content.text, domains: domainsOf(csp) };
}

/** The pages, and notes about those that could not be read. */
async function pagesOf(connection: ServerConnection, tools: readonly Tool[], signal: AbortSignal) {
  const { items } = await connection.content.resources(signal).catch(() => ({ items: [] as Resource[] }));
  const uris = pageUris(tools, items);
  const pages: SurveyedPage[] = [];
  const notes =
    uris.length > MAX_PAGES ? [`Only the first ${MAX_PAGES} of its ${uris.length} pages are read.`] : [];
  for (const uri of uris.slice(0, MAX_PAGES)) {
    const resource = items.find((item) => item.uri === uri);
    const page = await readPage(connection, uri, resource, signal).catch(() => null);
    if (page) pages.push(page);
    else
      notes.push(
        `The page ${uri.slice(0, 200)} is no HTML of at most ${MAX_HTML} characters, or cannot be read.`,
      );
  }
  return { pages, notes };
}

/** Requests everything from a connected server. */
async function readSurvey(connection: ServerConnection, signal: AbortSignal) {
  const { name = '', title = '' } = connection.about() ?? {};
  const listed = await connection.listTools(signal);
  const { pages, notes } = await pagesOf(connection, listed, signal);
  const cutNotes =
    listed.length > MAX_TOOLS ? [`Only the first ${MAX_TOOLS} of its ${listed.length} tools are taken.`] : [];
  const tools = listed.slice(0, MAX_TOOLS);
  return {
    name,
    title,
    instructions: connection.instructions() ?? '',
    tools,
    pages,
    notes: [...cutNotes, ...notes],
  };
}

const UNREAD = { era: null, name: '', title: '', instructions: '', tools: null, pages: [] } as const;

/**
 * Reads what an MCP server of either generation reports about itself: name, tools, pages, and where users sign in. Requests go only to
 * its own host, for at most one minute; servers of this machine are allowed.
 * @param options.token of a user, for a server that lists nothing without one
 * @throws RuntimeError `address-refused`, `unreachable`, `server-failed`, `too-slow`, `too-large`
 */
export async function surveyServer(
  { system, client, connecting }: Deps,
  address: string,
  { token, signal: caller }: { token?: string; signal?: AbortSignal } = {},
): Promise<ServerSurvey> {
  const url = URL.parse(address);
  if (!url) throw new RuntimeError('address-refused');
  const deadline = AbortSignal.timeout(LIMIT_MS);
  const signal = caller ? AbortSignal.any([caller, deadline]) : deadline;
  const allowLoopback = isThisMachine(url.hostname);
  const guard: Guard = (reach) => createGuardedFetch({ ...reach, system, ...(connecting && { connecting }) });
  const fetch = createGuardedFetch({
    system,
    allowed: [url.hostname],
    allowLoopback,
    home: url.origin,
    ...(connecting && { connecting }),
  });
  const withToken: typeof globalThis.fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    if (token !== undefined) headers.set('Authorization', `Bearer ${token}`);
    return fetch(input, { ...init, headers });
  };
  const known = createKnownEras(system);
  const secrets = createSecrets();
  const repairs = new Set<string>();
  if (token !== undefined) secrets.add(token);
  try {
    const requests = requestsOf({ guard, system }, allowLoopback, signal);
    const { signIn, isListed } = await signInOf(requests, url.href);
    const notes = ['The server lists its tools only to signed-in users, and no token was given.'];
    if (!isListed && token === undefined) return { ...UNREAD, url: url.href, signIn, notes };
    const connection = await connectToServer({
      system,
      client,
      known,
      signal,
      onRepair: (what) => repairs.add(what),
      url: url.href,
      fetch: withToken,
    });
    try {
      const { notes, ...survey } = await readSurvey(connection, signal);
      const read = secrets.strip({ ...survey, notes: [...notes, ...repairs] });
      return { url: url.href, era: known.of(url.href), signIn, ...read };
    } finally {
      await connection.close();
    }
  } catch (error) {
    if (deadline.aborted) throw new RuntimeError('too-slow', 'The server takes longer than a minute.');
    if (error instanceof OAuthError) throw new RuntimeError('server-failed', error.message);
    throw faultOf(error, signal, secrets);
  } finally {
    await fetch.close();
  }
}
