import {
  Client,
  type ClientCapabilities,
  type JsonSchemaValidator,
  LOG_LEVEL_META_KEY,
  SseError,
  StreamableHTTPClientTransport,
  SUPPORTED_PROTOCOL_VERSIONS,
  type Transport,
} from '@modelcontextprotocol/client';
import { guarded, inBackground } from '@svc/contracts/guarded';
import type { Events } from '../events/events.ts';
import { mayBeOlder, sseOnly } from '../network/sse-only.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';
import { createTokenBucket } from '../platform/token-bucket.ts';
import { quoted } from './fault.ts';
import { lenientFetch } from './lenient/lenient-fetch.ts';
import { endLongLists, MAX_PAGES } from './lenient/long-lists.ts';
import type { Note } from './lenient/repair-block.ts';
import { repairMessages } from './lenient/repair-message.ts';
import { watchStreams, withoutStandaloneStream } from './lenient/watch-streams.ts';
import {
  type Attempt,
  type FirstAnswer,
  type KnownEras,
  NoFirstAnswerError,
  negotiateEra,
  statusOf,
  watchFirstAnswer,
} from './negotiate-era.ts';
import { OlderTransport } from './older-transport.ts';
import { NEVER_MS, type Operations, operationsOf, orNone } from './operations.ts';
import type { Secrets } from './secrets.ts';
import type { ServerRequests } from './server-requests.ts';

/** Time limit for terminating a session at its server, in milliseconds. */
const TERMINATE_MS = 2_000;

/** What a client does with the messages of a server. */
export type ServingOptions = ServerRequests & {
  /** Receives what the server tells without being asked. */
  onNotice?: ((notice: ServerNotice) => void) | undefined;
  /** Receives what was dropped or repaired of the server's messages. Its words are not stripped of tokens. */
  onRepair?: Note | undefined;
};

/** Options of a connection, independent of the transport. */
export type ClientOptions = ServingOptions & {
  client: { name: string; version: string };
  system: Pick<System, 'now' | 'sleep'>;
  /** The URL of the server; for a command, see `commandUrl`. */
  url: string;
  /** The known eras of servers; read and updated. */
  known: KnownEras;
  signal: AbortSignal;
};

export type ConnectionOptions = ClientOptions & {
  /** The fetch for all requests to the server. */
  fetch: typeof fetch;
  /** Whether the transport of 2024-11-05 (HTTP+SSE) is tried last, as for connectors. Default: a server that has only that is refused. */
  older?: boolean;
};

/** A connection to an MCP server. Errors are those of the MCP client; see `faultOf`. */
export type Connection = Operations & {
  /** Resolves when the server process has exited, or a server over HTTP is gone. */
  ended?: Promise<void>;
  close(): Promise<void>;
};

/**
 * Does not validate output schemas: they come from the server, and their regular expressions may not terminate. With a validator, the MCP
 * client would also refuse the result of a listed tool that has an output schema and answers in texts only.
 */
const NO_VALIDATION = {
  getValidator: <T>() => undefined as unknown as JsonSchemaValidator<T>,
};

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
function createClient(options: ClientOptions, { era, version }: Attempt): Client {
  const { client, elicit, sample, roots, onNotice } = options;
  const versions = SUPPORTED_PROTOCOL_VERSIONS;
  const mcp = new Client(client, {
    capabilities: capabilitiesOf(options),
    versionNegotiation: { mode: era },
    ...(version && { supportedProtocolVersions: versions.slice(versions.indexOf(version)) }),
    jsonSchemaValidator: NO_VALIDATION,
    listMaxPages: MAX_PAGES,
  });
  if (elicit) mcp.setRequestHandler('elicitation/create', (request) => elicit(request.params));
  if (sample) mcp.setRequestHandler('sampling/createMessage', (request) => sample(request.params));
  if (roots) mcp.setRequestHandler('roots/list', roots);
  if (onNotice) receiveNotices(mcp, onNotice);
  return mcp;
}

/** The least level of a log that is asked for. */
const LOG_LEVEL = 'info';

/**
 * Has a server send its log (MCP, "Logging"). One of 2025-11-25 or earlier is asked once, as some send none until then; one of 2026-07-28 is
 * asked in each request.
 */
function askForLog(mcp: Client, transport: Transport): void {
  if (!mcp.getServerCapabilities()?.logging) return;
  if (mcp.getProtocolEra() !== 'modern') {
    // A server without it has declared it, which ends nothing.
    mcp.setLoggingLevel(LOG_LEVEL).catch(() => undefined);
    return;
  }
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if (!('method' in message && 'id' in message)) return send(message, options);
    const { _meta, ...params } = message.params ?? {};
    return send(
      { ...message, params: { ...params, _meta: { [LOG_LEVEL_META_KEY]: LOG_LEVEL, ..._meta } } },
      options,
    );
  };
}

/** How often a lost subscription is opened again, and the wait before the first time, in milliseconds. */
const MAX_LISTENS = 5;
const LISTEN_AGAIN_MS = 1_000;
/** Time limit for the acknowledgement of a subscription, in milliseconds. */
const LISTEN_MS = 30_000;

/** Subscribes to the changes of a server's lists, which servers of 2026-07-28 send to subscribers alone (MCP, "Subscriptions"). */
async function followLists(mcp: Client, { sleep }: Pick<System, 'sleep'>): Promise<void> {
  const { tools, prompts, resources } = mcp.getServerCapabilities() ?? {};
  const filter = {
    ...(tools?.listChanged && { toolsListChanged: true }),
    ...(prompts?.listChanged && { promptsListChanged: true }),
    ...(resources?.listChanged && { resourcesListChanged: true }),
  };
  if (mcp.getProtocolEra() !== 'modern' || Object.keys(filter).length === 0) return;
  for (let attempt = 0; attempt < MAX_LISTENS && mcp.transport !== undefined; attempt += 1) {
    const subscription = await mcp.listen(filter, { timeout: LISTEN_MS });
    if ((await subscription.closed) !== 'remote') return;
    await sleep(LISTEN_AGAIN_MS * 2 ** attempt);
  }
}

/** Connects a client over a transport, which is closed if that fails. */
export async function connectClient(
  options: ClientOptions,
  attempt: Attempt,
  transport: Transport,
): Promise<Client> {
  const mcp = createClient(options, attempt);
  const abandon = guarded(() => transport.close());
  // The client chains handlers that are set before it connects, and then reads the repaired message.
  const repair = repairMessages(options.onRepair);
  const endLists = endLongLists(transport, options.onRepair);
  transport.onmessage = (message) => {
    repair(message);
    endLists(message);
  };
  options.signal.addEventListener('abort', abandon, { once: true });
  try {
    await mcp.connect(transport, { signal: options.signal, timeout: NEVER_MS });
    if (options.onNotice) {
      askForLog(mcp, transport);
      // Without its notices a server works nevertheless.
      inBackground(followLists(mcp, options.system), () => undefined);
    }
    return mcp;
  } catch (error) {
    await transport.close().catch(() => undefined);
    throw error;
  } finally {
    options.signal.removeEventListener('abort', abandon);
  }
}

/** Connects over HTTP; `gone` resolves when the server is. */
async function connectOnce(options: ConnectionOptions, attempt: Attempt) {
  const { promise: gone, resolve: lost } = Promise.withResolvers<void>();
  const watched = lenientFetch(watchStreams(options.fetch, options.system, lost), options.system);
  const carried = options.onNotice || options.elicit ? watched : withoutStandaloneStream(watched);
  const abandon = guarded(() => transport.close());
  const first: FirstAnswer | null = attempt.limited
    ? watchFirstAnswer(options.system, carried, abandon)
    : null;
  const transport = new StreamableHTTPClientTransport(new URL(options.url), {
    fetch: first?.fetch ?? carried,
    // Our fetch follows redirects, as it knows the allowed hosts.
    redirectPolicy: 'follow',
    onInsufficientScope: 'throw',
  });
  try {
    const mcp = await connectClient(options, attempt, transport);
    return { mcp, gone, terminate: () => transport.terminateSession() };
  } catch (error) {
    throw first?.wasSilent()
      ? new NoFirstAnswerError('The server left the first message without a reply.')
      : error;
  } finally {
    first?.settled();
  }
}

/** A connection to a server over HTTP. */
export type ServerConnection = Connection & {
  about(): { name: string; title?: string | undefined } | undefined;
  instructions(): string | undefined;
  /** The tools, and how long the server says that the list is fresh, in milliseconds. */
  list(signal: AbortSignal): Promise<{ tools: readonly unknown[]; ttlMs: number }>;
};

/** Connects over the transport HTTP+SSE. @throws RuntimeError `server-failed` where it is not used */
async function connectOlder(options: ConnectionOptions) {
  if (!options.older) {
    const said = await sseOnly(options.fetch, options.url);
    if (said !== null) throw new RuntimeError('server-failed', said);
    return null;
  }
  const transport = new OlderTransport(new URL(options.url), options);
  const attempt = { era: 'legacy', limited: false } as const;
  const mcp = await connectClient(options, attempt, transport).catch((error: unknown) => {
    // Neither this transport.
    if (error instanceof SseError) return null;
    throw error;
  });
  return mcp && { mcp, gone: transport.gone, terminate: async () => undefined };
}

/** Connects to an MCP server over Streamable HTTP, or the transport before it. */
export async function connectToServer(options: ConnectionOptions): Promise<ServerConnection> {
  const connected = negotiateEra(options, (as) => connectOnce(options, as));
  const { mcp, gone, terminate } = await connected.catch(async (error: unknown) => {
    const older = mayBeOlder(statusOf(error) ?? 0, options.url) ? await connectOlder(options) : null;
    if (older === null) throw error;
    return older;
  });
  return {
    ended: gone,
    ...operationsOf(mcp, options.system),
    about: () => mcp.getServerVersion(),
    instructions: () => mcp.getInstructions(),
    async list(signal) {
      // The client would write a line to the standard output, which may be the protocol of a program.
      if (!mcp.getServerCapabilities()?.tools) return { tools: [], ttlMs: 0 };
      const asked = mcp.listTools(undefined, { signal, timeout: NEVER_MS });
      const { tools, ttlMs = 0 } = await asked.catch(orNone({ tools: [], ttlMs: 0 }));
      return { tools, ttlMs: Number(ttlMs) || 0 };
    },
    async close() {
      const termination = terminate().catch(() => undefined);
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
