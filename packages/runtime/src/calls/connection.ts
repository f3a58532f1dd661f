import {
  Client,
  type ClientCapabilities,
  type JsonSchemaValidator,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { guarded } from '@svc/contracts/guarded';
import type { Events } from '../events/events.ts';
import { createTokenBucket } from '../panels/bridge/token-bucket.ts';
import type { System } from '../platform/system.ts';
import { quoted } from './fault.ts';
import { lenientFetch } from './lenient/lenient-fetch.ts';
import { type Note, repairMessages } from './lenient/repair-message.ts';
import {
  type Era,
  type FirstAnswer,
  type KnownEras,
  NoFirstAnswerError,
  negotiateEra,
  watchFirstAnswer,
} from './negotiate-era.ts';
import { NEVER_MS, type Operations, operationsOf } from './operations.ts';
import type { Secrets } from './secrets.ts';
import type { ServerRequests } from './server-requests.ts';

/** Pages of `tools/list` that are read. */
const MAX_PAGES = 8;
/** Time limit for terminating a session at its server, in milliseconds. */
const TERMINATE_MS = 2_000;

/** Supported revisions of MCP. `auto` negotiates the newest one that the server supports. */
export type Revision = '2025-11-25' | '2026-07-28' | 'auto';

/** Options of a connection, independent of the transport. */
export type ClientOptions = ServerRequests & {
  client: { name: string; version: string };
  revision?: Revision;
  /** The known eras of servers; read and updated if the revision is `auto`. */
  known: KnownEras;
  /** Receives what the server tells without being asked. */
  onNotice?: ((notice: ServerNotice) => void) | undefined;
  /** Receives what was dropped or repaired of the server's messages. Its words are not stripped of tokens. */
  onRepair?: Note | undefined;
  signal: AbortSignal;
};

/** What a client does with the messages of a server. */
export type ServingOptions = ServerRequests & Pick<ClientOptions, 'onRepair' | 'onNotice'>;

export type ConnectionOptions = ClientOptions & {
  system: Pick<System, 'now' | 'sleep'>;
  url: string;
  /** The fetch for all requests to the server. */
  fetch: typeof fetch;
};

/** A connection to an MCP server. Errors are those of the MCP client; see `faultOf`. */
export type Connection = Operations & {
  /** Resolves when the server process has exited, or a server over HTTP is gone. */
  ended?: Promise<void>;
  close(): Promise<void>;
};

/** Does not validate output schemas: they come from the server, and their regular expressions may not terminate. */
const NO_VALIDATION = {
  getValidator<T>(): JsonSchemaValidator<T> {
    return (input) => ({ valid: true, data: input as T, errorMessage: undefined });
  },
};

/**
 * Opens no standalone stream for server messages, where nothing is received on it: a server could keep it open and fill it at any time.
 * Many servers send their questions on it, also those that belong to a call.
 */
function withoutStandaloneStream(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const isNew = init?.method === 'GET' && !new Headers(init.headers).has('last-event-id');
    // Streamable HTTP, "Listening for messages from the server": 405 means that there is no such stream.
    return isNew ? new Response(null, { status: 405 }) : fetch(input, init);
  };
}

/** Failures in a row to open a stream, after which a server counts as gone. */
const MAX_LOST = 2;

/**
 * Finds out that a server is gone: its streams cannot be opened again, or it knows their events no more. Calls that wait for a response
 * of their own go on: the server may only have started again.
 */
function watchStreams(fetch: typeof globalThis.fetch, lost: () => void): typeof globalThis.fetch {
  let failed = 0;
  return async (input, init) => {
    if (init?.method !== 'GET') return fetch(input, init);
    try {
      const response = await fetch(input, init);
      failed = 0;
      const isResumed = new Headers(init.headers).has('last-event-id');
      if (isResumed && (response.status === 404 || response.status === 405)) lost();
      return response;
    } catch (error) {
      failed += 1;
      if (failed === MAX_LOST && init.signal?.aborted !== true) lost();
      throw error;
    }
  };
}

/** MCP Apps (revision 2026-01-26): the extension, and the type of its pages. */
export const MCP_APPS = 'io.modelcontextprotocol/ui';
export const PAGE_TYPE = 'text/html;profile=mcp-app';

/** The capabilities of a client that answers these requests. */
const capabilitiesOf = (requests: ServerRequests): ClientCapabilities => {
  const { elicit, opensPages, sample, roots, showsPages } = requests;
  return {
    ...(elicit && { elicitation: { form: { applyDefaults: true }, ...(opensPages && { url: {} }) } }),
    ...(sample && { sampling: {} }),
    ...(roots && { roots: {} }),
    ...(showsPages && { extensions: { [MCP_APPS]: { mimeTypes: [PAGE_TYPE] } } }),
  };
};

/** Creates an MCP client for one connection. */
export function createClient(options: ClientOptions, revision: Revision): Client {
  const { client, elicit, sample, roots, onNotice } = options;
  const modern = revision === 'auto' ? 'auto' : { pin: revision };
  const mcp = new Client(client, {
    capabilities: capabilitiesOf(options),
    versionNegotiation: { mode: revision === '2025-11-25' ? 'legacy' : modern },
    jsonSchemaValidator: NO_VALIDATION,
    listMaxPages: MAX_PAGES,
  });
  if (elicit) mcp.setRequestHandler('elicitation/create', (request) => elicit(request.params));
  if (sample) mcp.setRequestHandler('sampling/createMessage', (request) => sample(request.params));
  if (roots) mcp.setRequestHandler('roots/list', roots);
  if (onNotice) receiveNotices(mcp, onNotice);
  return mcp;
}

/** Has a server of MCP 2025-11-25 and earlier send its log (MCP, "Logging"): some send none until they are asked. */
export function askForLog(mcp: Client): void {
  if (mcp.getProtocolEra() === 'modern' || !mcp.getServerCapabilities()?.logging) return;
  // A server without it has declared it, which ends nothing.
  mcp.setLoggingLevel('info').catch(() => undefined);
}

type Made = { mcp: Client; transport: StreamableHTTPClientTransport; gone: Promise<void> };

/** Connects with one revision. `isFirst` limits the wait for the reply to the first message. */
async function connectOnce(
  options: ConnectionOptions,
  { revision, isFirst }: { revision: Revision; isFirst: boolean },
): Promise<Made> {
  const mcp = createClient(options, revision);
  const abandon = guarded(() => transport.close());
  const gone = Promise.withResolvers<void>();
  const watched = lenientFetch(watchStreams(options.fetch, gone.resolve), options.system);
  const carried = options.onNotice || options.elicit ? watched : withoutStandaloneStream(watched);
  const first: FirstAnswer | null = isFirst ? watchFirstAnswer(options.system, carried, abandon) : null;
  const transport = new StreamableHTTPClientTransport(new URL(options.url), {
    fetch: first?.fetch ?? carried,
    // Our fetch follows redirects, as it knows the allowed hosts.
    redirectPolicy: 'follow',
    onInsufficientScope: 'throw',
  });
  // The client chains handlers that are set before it connects, and then reads the repaired message.
  transport.onmessage = repairMessages(options.onRepair);
  options.signal.addEventListener('abort', abandon, { once: true });
  try {
    await mcp.connect(transport, { signal: options.signal, timeout: NEVER_MS });
    if (options.onNotice) askForLog(mcp);
    return { mcp, transport, gone: gone.promise };
  } catch (error) {
    await mcp.close().catch(() => undefined);
    throw first?.wasSilent()
      ? new NoFirstAnswerError('The server left the first message without a reply.')
      : error;
  } finally {
    first?.settled();
    options.signal.removeEventListener('abort', abandon);
  }
}

/** Connects with the requested revision, or negotiates one. */
function connectAs(options: ConnectionOptions): Promise<Made> {
  const { revision = 'auto', url, known, signal } = options;
  if (revision !== 'auto') return connectOnce(options, { revision, isFirst: false });
  return negotiateEra({ url, known, signal }, async ({ era, limited }) => {
    const made = await connectOnce(options, {
      revision: era === 'legacy' ? '2025-11-25' : 'auto',
      isFirst: limited,
    });
    const spoken: Era = made.mcp.getProtocolEra() ?? 'legacy';
    return { made, era: spoken };
  });
}

/** A connection to a server over HTTP. */
export type ServerConnection = Connection & {
  about(): { name: string; title?: string | undefined } | undefined;
  instructions(): string | undefined;
  /** The tools, and how long the server says that the list is fresh, in milliseconds. */
  list(signal: AbortSignal): Promise<{ tools: readonly unknown[]; ttlMs: number }>;
};

/** Connects to an MCP server over Streamable HTTP. */
export async function connectToServer(options: ConnectionOptions): Promise<ServerConnection> {
  const { mcp, transport, gone } = await connectAs(options);
  return {
    ended: gone,
    ...operationsOf(mcp, options.system),
    about: () => mcp.getServerVersion(),
    instructions: () => mcp.getInstructions(),
    async list(signal) {
      const { tools, ttlMs } = await mcp.listTools(undefined, { signal, timeout: NEVER_MS });
      return { tools, ttlMs: typeof ttlMs === 'number' ? ttlMs : 0 };
    },
    async close() {
      const termination = transport.terminateSession().catch(() => undefined);
      await Promise.race([termination, options.system.sleep(TERMINATE_MS)]);
      await mcp.close();
    },
  };
}

/** What a server tells without being asked. */
export type ServerNotice =
  | { kind: 'log'; level: string; text: string }
  | { kind: 'changed'; list: 'tools' | 'resources' | 'prompts' }
  | { kind: 'updated'; uri: string };

/** Rate limit of the notices of a server that become events; those above it are dropped. */
const NOTICES = { burst: 20, perSecond: 2 };

/** Maximum characters of a log entry that are read. */
const MAX_TEXT = 4_000;

const textOf = (data: unknown): string => (typeof data === 'string' ? data : (JSON.stringify(data) ?? ''));

/** Receives the notifications of a server: its log (MCP, "Logging") and changes of its lists. */
function receiveNotices(mcp: Client, receive: (notice: ServerNotice) => void): void {
  mcp.setNotificationHandler('notifications/message', ({ params: { level, logger, data } }) => {
    const text = textOf(data).slice(0, MAX_TEXT);
    receive({ kind: 'log', level, text: logger === undefined ? text : `${logger.slice(0, 100)}: ${text}` });
  });
  mcp.setNotificationHandler('notifications/resources/updated', ({ params: { uri } }) =>
    receive({ kind: 'updated', uri }),
  );
  for (const list of ['tools', 'resources', 'prompts'] as const) {
    mcp.setNotificationHandler(`notifications/${list}/list_changed`, () =>
      receive({ kind: 'changed', list }),
    );
  }
}

/** Emits the notices of an app's server as events, at a limited rate and without tokens. */
export function emitNotices(
  { events, system }: { events: Events; system: Pick<System, 'now'> },
  appId: string,
  secrets: Secrets,
): (notice: ServerNotice) => void {
  const bucket = createTokenBucket(NOTICES, system.now);
  return (notice) => {
    if (!bucket.take()) return;
    if (notice.kind === 'updated') events.emit({ type: 'server-resource-updated', appId, uri: notice.uri });
    else if (notice.kind === 'changed')
      events.emit({ type: 'server-list-changed', appId, list: notice.list });
    else events.emit({ type: 'server-log', appId, level: notice.level, text: quoted(notice.text, secrets) });
  };
}
