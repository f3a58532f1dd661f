import {
  type InputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Resource,
  type Result,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { inBackground } from '@svc/contracts/guarded';
import { asRefusal } from '@svc/runtime';
import type { Content, Desktop, DesktopRead, DesktopRuntime } from '../desktop.ts';
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
import { type Audience, usableApps } from './offered-tools.ts';
import { readableContent, readKept } from './present-result.ts';
import { bundledIn, chooseProject } from './settle-scope.ts';

type Deps = {
  runtime: DesktopRuntime;
  /** The audience of the session. */
  audience(): Promise<Audience & { chat: string }>;
  /** Reads in the name of the agent, which may show a Connect card. */
  reading<T extends Content, R extends Result>(
    context: ServerContext,
    read: DesktopRead,
    work: (signal: AbortSignal) => Promise<T>,
    present: (content: T) => R,
  ): Promise<R | InputRequiredResult>;
  /** The panels of apps, as resources; empty for an agent that shows none. */
  panels(): Promise<Resource[]>;
  /** Reads a panel. @returns null for another resource */
  readPanel(uri: string): Promise<ReadResourceResult | null>;
  /** Aborted when the connection of the agent ends. */
  ended: AbortSignal;
  onFault(error: unknown): void;
};

/** Converts an error to a protocol error. Unexpected errors are reported, and their details are not sent to the agent. */
function protocolErrorOf(error: unknown, onFault: Deps['onFault']): ProtocolError {
  if (error instanceof ProtocolError) return error;
  if (error instanceof WaitsForUserError)
    return new ProtocolError(ProtocolErrorCode.InternalError, error.message);
  const refusal = asRefusal(error);
  if (refusal)
    return new ProtocolError(ProtocolErrorCode.InternalError, `${refusal.message} (${refusal.code})`);
  onFault(error);
  return new ProtocolError(ProtocolErrorCode.InternalError, 'The call failed in svc desktop. See its log.');
}

/** The resources that each session subscribes to, at addresses as agents know them. */
const subscriptions = new WeakMap<Server, ReadonlyMap<string, AbortController>>();

/** Whether a session subscribes to a resource: no other is notified of its changes (MCP 2025-11-25, "Subscriptions"). */
export const isSubscribed = (server: Server, uri: string): boolean =>
  subscriptions.get(server)?.has(uri) ?? false;

/** Serves resources and prompts of the connectors that an agent can use. */
export function serveConnectorContent(
  server: Server,
  { runtime, audience, reading, panels, readPanel, ended, onFault }: Deps,
): void {
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
  const appIdsOf = (whose: Audience) => usableApps(runtime, whose).map(({ app }) => app.appId);
  server.setRequestHandler('resources/list', (_, context) =>
    answering(context, async (whose, signal) => ({
      resources: [...(await panels()), ...(await listResources(runtime, whose, signal))],
    })),
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
      const panel = await readPanel(params.uri);
      const known = panel ?? (await readKept(runtime, appIdsOf(whose), whose.project, params.uri));
      if (known) return known;
      const { appId, uri } = resourceOf(runtime, whose, params.uri);
      const { project, chat } = whose;
      return reading(
        context,
        { appId, method: 'resources/read', asked: uri },
        (signal) => runtime.resources.read(appId, uri, { project, chat, signal }),
        (parts) => presentResource(appId, params.uri, parts),
      );
    }),
  );
  server.setRequestHandler('prompts/get', ({ params }, context) =>
    answering(context, async (whose, listing) => {
      const { appId, id } = await promptOf(runtime, whose, params.name, listing);
      const { project, chat } = whose;
      return reading(
        context,
        { appId, method: 'prompts/get', asked: id },
        (signal) =>
          runtime.prompts.get(appId, id, { project, chat, signal, arguments: params.arguments ?? {} }),
        (filled) => presentPrompt(appId, filled, readableContent(server)),
      );
    }),
  );
  server.setRequestHandler('completion/complete', ({ params }, context) =>
    answering(context, async (whose, signal) => {
      const { ref, argument } = params;
      const where = { project: whose.project, signal };
      const what = { argument, others: params.context?.arguments };
      const found =
        ref.type === 'ref/prompt'
          ? await promptOf(runtime, whose, ref.name, signal)
          : resourceOf(runtime, whose, ref.uri);
      const { values, ...rest } = await ('id' in found
        ? runtime.prompts.complete(found.appId, { ...what, of: { prompt: found.id } }, where)
        : runtime.resources.complete(found.appId, { ...what, of: { uriTemplate: found.uri } }, where));
      return { completion: { ...rest, values: [...values] } };
    }),
  );
  // Later revisions subscribe with `subscriptions/listen`, which the gateway serves for all clients.
  const watched = new Map<string, AbortController>();
  subscriptions.set(server, watched);
  server.setRequestHandler('resources/subscribe', ({ params: { uri } }, context) =>
    answering(context, async (whose) => {
      if (watched.size >= MAX_WATCHED)
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Too many subscriptions.');
      const stop = new AbortController();
      watched.get(uri)?.abort();
      watched.set(uri, stop);
      await watch(runtime, whose, uri, AbortSignal.any([stop.signal, ended]));
      return {};
    }),
  );
  server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
    watched.get(uri)?.abort();
    watched.delete(uri);
    return {};
  });
}

/** Most resources that a session subscribes to. */
const MAX_WATCHED = 100;

/** Subscribes to a resource of a connector, at an address as agents know it. */
function watch(
  runtime: DesktopRuntime,
  audience: Audience,
  address: string,
  signal: AbortSignal,
): Promise<void> {
  const { appId, uri } = resourceOf(runtime, audience, address);
  return runtime.resources.watch(appId, uri, { project: audience.project, signal });
}

/** The resources that a request subscribes to (MCP 2026-07-28, "Subscriptions"). */
function subscribedIn(body: unknown): string[] {
  const { method, params } = (body ?? {}) as { method?: unknown; params?: { notifications?: unknown } };
  if (method !== 'subscriptions/listen') return [];
  const { resourceSubscriptions: uris } = (params?.notifications ?? {}) as {
    resourceSubscriptions?: unknown;
  };
  return Array.isArray(uris) ? uris.filter((uri) => typeof uri === 'string').slice(0, MAX_WATCHED) : [];
}

/** Subscribes to the resources of a `subscriptions/listen` request, as long as its answer is open. @param query of its address */
export function watchListed(
  desktop: Pick<Desktop, 'runtime' | 'settings' | 'agentSettings'>,
  query: URLSearchParams,
  body: unknown,
  signal: AbortSignal,
): void {
  const uris = subscribedIn(body);
  if (uris.length === 0) return;
  const location = { project: query.get('project') ?? undefined, folders: query.getAll('folder') };
  const { runtime, settings } = desktop;
  const project = chooseProject(settings.projects(), location).id;
  const own = { as: 'model', project, provider: query.get('provider') } as const;
  const audience: Audience = { ...own, ...bundledIn(query, desktop) };
  const watchNow = async (uri: string) => watch(runtime, audience, uri, signal);
  // A resource that cannot be watched is one that does not change, for the agent.
  for (const uri of uris) inBackground(watchNow(uri), () => undefined);
}
