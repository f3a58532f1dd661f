import {
  type CallToolResult,
  Client,
  type ElicitRequest,
  type ElicitResult,
  type JsonSchemaValidator,
  type Progress,
  StreamableHTTPClientTransport,
  type Tool,
} from '@modelcontextprotocol/client';
import type { System } from '../platform/system.ts';
import type { Era, KnownEras } from './known-eras.ts';
import { type FirstAnswer, NoFirstAnswerError, negotiateEra, watchFirstAnswer } from './negotiate-era.ts';
import { type ServerContent, serverContent } from './server-content.ts';
import { repairMessage } from './without-malformed.ts';

/** Pages of `tools/list` that are read. */
const MAX_PAGES = 8;
/** How long a server has to hear that a session is over, in milliseconds. */
const TERMINATE_MS = 2_000;
/** Calls end by their signal, which knows the runtime's clock; the client's own is kept from ending them before. */
export const NEVER_MS = 2 ** 31 - 1;

/** Revisions of MCP that the runtime speaks. `auto` takes the newer one wherever a server has it. */
export type Revision = '2025-11-25' | '2026-07-28' | 'auto';

/** How a connection is made, wherever the server is. */
export type ClientOptions = {
  client: { name: string; version: string };
  revision?: Revision;
  /** What servers were found to speak; asked and added to where the revision is `auto`. */
  known: KnownEras;
  /** Answers what a server asks the person; without it servers are told that nobody can be asked. */
  elicit?: (params: ElicitRequest['params']) => Promise<ElicitResult>;
  signal: AbortSignal;
};

export type ConnectionOptions = ClientOptions & {
  system: Pick<System, 'sleep'>;
  url: string;
  /** Carries everything that is said to the server. */
  fetch: typeof fetch;
};

/** A live connection to one MCP server. Whatever fails in it throws as the MCP client throws; see `faultOf`. */
export type Connection = {
  listTools(signal: AbortSignal): Promise<Tool[]>;
  callTool(
    name: string,
    args: Record<string, unknown>,
    options: { signal: AbortSignal; onProgress?: ((progress: Progress) => void) | undefined },
  ): Promise<CallToolResult>;
  /** Resources and prompts. */
  content: ServerContent;
  /** Resolves when the server is gone, and with it the connection; left out where that cannot be known. */
  ended?: Promise<void>;
  close(): Promise<void>;
};

/** Output schemas are programs of the server, with regular expressions that may never end; results are bounded as data instead. */
const NO_VALIDATION = {
  getValidator<T>(): JsonSchemaValidator<T> {
    return (input) => ({ valid: true, data: input as T, errorMessage: undefined });
  },
};

/**
 * Nothing is listened to beside the answers to what was asked: a stream that the server may fill at any time is one more way to
 * hold on to the client. Without the stream a server sends what belongs to a call along with its answer.
 */
function withoutStandaloneStream(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const isNew = init?.method === 'GET' && !new Headers(init.headers).has('last-event-id');
    // Streamable HTTP, "Listening for messages from the server": 405 says that there is no such stream.
    return isNew ? new Response(null, { status: 405 }) : fetch(input, init);
  };
}

/** A client of MCP for one connection. */
export function createClient({ client, elicit }: ClientOptions, revision: Revision): Client {
  const modern = revision === 'auto' ? 'auto' : { pin: revision };
  const mcp = new Client(client, {
    capabilities: elicit ? { elicitation: { form: { applyDefaults: true } } } : {},
    versionNegotiation: { mode: revision === '2025-11-25' ? 'legacy' : modern },
    jsonSchemaValidator: NO_VALIDATION,
    listMaxPages: MAX_PAGES,
  });
  if (elicit) mcp.setRequestHandler('elicitation/create', (request) => elicit(request.params));
  return mcp;
}

type Made = { mcp: Client; transport: StreamableHTTPClientTransport };

/** Connects in one way, or fails. `limited` bounds the wait for the answer to the first message. */
async function connectOnce(
  options: ConnectionOptions,
  { revision, limited }: { revision: Revision; limited: boolean },
): Promise<Made> {
  const mcp = createClient(options, revision);
  const carried = options.elicit ? options.fetch : withoutStandaloneStream(options.fetch);
  const abandon = () => void transport.close();
  const first: FirstAnswer | null = limited ? watchFirstAnswer(options.system, carried, abandon) : null;
  const transport = new StreamableHTTPClientTransport(new URL(options.url), {
    fetch: first?.fetch ?? carried,
    // Redirects are followed by our fetch, which knows the hosts.
    redirectPolicy: 'follow',
    onInsufficientScope: 'throw',
  });
  // The client chains what is set before it connects, and then reads the very same message.
  transport.onmessage = repairMessage;
  options.signal.addEventListener('abort', abandon, { once: true });
  try {
    await mcp.connect(transport, { signal: options.signal, timeout: NEVER_MS });
    return { mcp, transport };
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

/** Connects in the one way that was asked for, or in the way that the server understands. */
function connectAs(options: ConnectionOptions): Promise<Made> {
  const { revision = 'auto', url, known, signal } = options;
  if (revision !== 'auto') return connectOnce(options, { revision, limited: false });
  return negotiateEra({ url, known, signal }, async ({ era, limited }) => {
    const made = await connectOnce(options, { revision: era === 'legacy' ? '2025-11-25' : 'auto', limited });
    const spoken: Era = made.mcp.getProtocolEra() ?? 'legacy';
    return { made, era: spoken };
  });
}

/** What a connection does, whatever carries it. */
export function operationsOf(mcp: Client): Pick<Connection, 'listTools' | 'callTool' | 'content'> {
  const requestOptions = (signal: AbortSignal) => ({ signal, timeout: NEVER_MS });
  return {
    async listTools(signal) {
      if (!mcp.getServerCapabilities()?.tools) return [];
      return (await mcp.listTools(undefined, requestOptions(signal))).tools;
    },
    callTool: (name, args, { signal, onProgress }) =>
      mcp.callTool(
        { name, arguments: args },
        { ...requestOptions(signal), ...(onProgress && { onprogress: onProgress }) },
      ),
    content: serverContent(mcp, requestOptions),
  };
}

/** A connection to a server that was asked by its address. */
export type ServerConnection = Connection & {
  /** What the server calls itself. */
  about(): { name: string; title?: string | undefined } | undefined;
  /** What it says on how it is used. */
  instructions(): string | undefined;
};

/** Connects to an MCP server over Streamable HTTP. */
export async function connectToServer(options: ConnectionOptions): Promise<ServerConnection> {
  const { mcp, transport } = await connectAs(options);
  return {
    ...operationsOf(mcp),
    about: () => mcp.getServerVersion(),
    instructions: () => mcp.getInstructions(),
    async close() {
      const termination = transport.terminateSession().catch(() => undefined);
      await Promise.race([termination, options.system.sleep(TERMINATE_MS)]);
      await mcp.close();
    },
  };
}
