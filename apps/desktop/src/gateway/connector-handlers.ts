import {
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { type Runtime, RuntimeError } from '@svc/runtime';
import type { Content, DesktopRead } from '../desktop.ts';
import { WaitsForUserError } from './agent-asker.ts';
import {
  listPrompts,
  listResources,
  listTemplates,
  presentPrompt,
  presentResource,
  promptOf,
  resourceOf,
} from './connector-content.ts';
import type { Audience } from './offered-tools.ts';

type Deps = {
  runtime: Runtime;
  /** The audience of the session. */
  audience(): Promise<Audience & { chat: string }>;
  /** Reads in the name of the agent, which may show a Connect card. */
  reading<T extends Content>(
    context: ServerContext,
    read: DesktopRead,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T>;
  onFault(error: unknown): void;
};

/** Converts an error to a protocol error. Unexpected errors are reported, and their details are not sent to the agent. */
function protocolErrorOf(error: unknown, onFault: Deps['onFault']): ProtocolError {
  if (error instanceof ProtocolError) return error;
  if (error instanceof WaitsForUserError)
    return new ProtocolError(ProtocolErrorCode.InternalError, error.message);
  if (error instanceof RuntimeError) {
    return new ProtocolError(ProtocolErrorCode.InternalError, `${error.message} (${error.code})`);
  }
  onFault(error);
  return new ProtocolError(ProtocolErrorCode.InternalError, 'The call failed in svc desktop. See its log.');
}

/** Serves resources and prompts of the connectors that an agent can use. */
export function serveConnectorContent(server: Server, { runtime, audience, reading, onFault }: Deps): void {
  async function answering<T>(
    { mcpReq: { signal } }: ServerContext,
    work: (whose: Audience & { chat: string }, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    try {
      return await work(await audience(), signal);
    } catch (error) {
      signal.throwIfAborted();
      throw protocolErrorOf(error, onFault);
    }
  }
  server.setRequestHandler('resources/list', (_, context) =>
    answering(context, async (whose, signal) => ({ resources: await listResources(runtime, whose, signal) })),
  );
  server.setRequestHandler('resources/templates/list', (_, context) =>
    answering(context, async (whose, signal) => ({
      resourceTemplates: await listTemplates(runtime, whose, signal),
    })),
  );
  server.setRequestHandler('prompts/list', (_, context) =>
    answering(context, async (whose, signal) => ({ prompts: await listPrompts(runtime, whose, signal) })),
  );
  server.setRequestHandler('resources/read', ({ params }, context) =>
    answering(context, async (whose) => {
      const { appId, uri } = resourceOf(runtime, whose, params.uri);
      const { project, chat } = whose;
      const parts = await reading(context, { appId, method: 'resources/read', asked: uri }, (signal) =>
        runtime.resources.read(appId, uri, { project, chat, signal }),
      );
      return presentResource(params.uri, parts);
    }),
  );
  server.setRequestHandler('prompts/get', ({ params }, context) =>
    answering(context, async (whose, listing) => {
      const { appId, id } = await promptOf(runtime, whose, params.name, listing);
      const { project, chat } = whose;
      const filled = await reading(context, { appId, method: 'prompts/get', asked: id }, (signal) =>
        runtime.prompts.get(appId, id, { project, chat, signal, arguments: params.arguments ?? {} }),
      );
      return presentPrompt(appId, filled);
    }),
  );
}
