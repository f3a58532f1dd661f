import type { Tool } from '@modelcontextprotocol/server';
import { type AppTool, type InstalledApp, type Runtime, RuntimeRefusal } from '@svc/runtime';
import { isForProvider } from './providers.ts';
import { toolDefinition } from './tool-definition.ts';
import { mayBeOf } from './tool-names.ts';

/** A tool that a session may call, and how it is called there. */
export type Offered = { app: InstalledApp; tool: AppTool; definition: Tool };

/** Whose tools: those of apps that are on in the project, and that give them to the provider. */
export type Audience = { project: string; provider: string | null };

/** The apps that a session may use. */
export function usableApps(
  { library }: Pick<Runtime, 'library'>,
  { project, provider }: Audience,
): InstalledApp[] {
  return library
    .list(project)
    .filter((app) => app.on && app.withdrawn === null && isForProvider(app.manifest, provider))
    .filter(({ appId }) => isUsable(library, appId, project));
}

function isUsable(library: Runtime['library'], appId: string, project: string): boolean {
  try {
    library.requireUsable(appId, project);
    return true;
  } catch (error) {
    if (error instanceof RuntimeRefusal) return false;
    throw error;
  }
}

/**
 * All tools that a session is offered, without asking anybody. Two tools of one name, which only a broken hash could make, are
 * both left out: a call must not reach another app than the agent means.
 */
export function offeredTools(runtime: Runtime, audience: Audience): Offered[] {
  const offered = usableApps(runtime, audience).flatMap((app) =>
    runtime
      .toolsNow(app.appId, audience)
      .tools.map((tool) => ({ app, tool, definition: toolDefinition(app, tool) })),
  );
  const names = Map.groupBy(offered, ({ definition }) => definition.name);
  return offered.filter(({ definition }) => names.get(definition.name)?.length === 1);
}

/** Finds the tool of a name, when the session may call it. @throws RuntimeRefusal `unknown-tool`, and as `requireUsable` does */
export type FindTool = (name: string, signal: AbortSignal) => Promise<Offered>;

const unknown = (name: string): RuntimeRefusal =>
  new RuntimeRefusal('unknown-tool', `There is no tool ${JSON.stringify(name.slice(0, 100))} here.`);

/**
 * Remembers where names lead, which never changes, and asks anew whether the session may go there. Connectors declare no
 * tools, so the server of one that a name may belong to is asked once.
 */
export function createFinder(runtime: Runtime, audience: Audience): FindTool {
  const places = new Map<string, { appId: string; id: string }>();

  function note(offered: readonly Offered[]): void {
    for (const { app, tool, definition } of offered)
      places.set(definition.name, { appId: app.appId, id: tool.id });
  }

  async function askConnectors(name: string, signal: AbortSignal): Promise<void> {
    for (const { appId, source } of usableApps(runtime, audience)) {
      if (source.kind !== 'connector' || !mayBeOf(name, appId)) continue;
      if (!runtime.toolsNow(appId, audience).listed)
        await runtime.tools(appId, { project: audience.project, signal });
    }
  }

  return async (name, signal) => {
    if (!places.has(name)) note(offeredTools(runtime, audience));
    if (!places.has(name)) {
      await askConnectors(name, signal);
      note(offeredTools(runtime, audience));
    }
    const place = places.get(name);
    if (!place) throw unknown(name);
    const app = runtime.library.requireUsable(place.appId, audience.project);
    const tool = runtime.toolsNow(app.appId, audience).tools.find(({ id }) => id === place.id);
    if (!tool || !isForProvider(app.manifest, audience.provider)) throw unknown(name);
    return { app, tool, definition: toolDefinition(app, tool) };
  };
}
