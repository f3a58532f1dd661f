import type { Tool } from '@modelcontextprotocol/server';
import { type AppTool, type InstalledApp, type Runtime, RuntimeRefusal } from '@svc/runtime';
import { isForProvider } from './providers.ts';
import { toolDefinition } from './tool-definition.ts';
import { mayBeOf, toolName } from './tool-names.ts';

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
 * Remembers whose a name is, which never changes, and asks anew whether the session may call it. Connectors declare no tools, so
 * the server of one that a name may belong to is asked once.
 */
export function createFinder(runtime: Runtime, audience: Audience): FindTool {
  const { library } = runtime;
  const owners = new Map<string, string>();

  /** The tool of that name in an app that must be usable. An app for other providers is as if it were not there. */
  async function findIn(appId: string, name: string, signal: AbortSignal): Promise<Offered | null> {
    const app = library.get(appId, audience.project);
    if (app && !isForProvider(app.manifest, audience.provider)) return null;
    const usable = library.requireUsable(appId, audience.project);
    const known = runtime.toolsNow(appId, audience);
    const isAsked = usable.source.kind === 'connector' && !known.listed;
    const tools = isAsked ? await runtime.tools(appId, { project: audience.project, signal }) : known.tools;
    const tool = tools.find(({ id }) => toolName(appId, id) === name);
    return tool ? { app: usable, tool, definition: toolDefinition(usable, tool) } : null;
  }

  return async (name, signal) => {
    const owner = owners.get(name);
    const candidates = owner === undefined ? library.list().map(({ appId }) => appId) : [owner];
    for (const appId of candidates.filter((one) => mayBeOf(name, one))) {
      const found = await findIn(appId, name, signal);
      if (!found) continue;
      owners.set(name, appId);
      return found;
    }
    throw unknown(name);
  };
}
