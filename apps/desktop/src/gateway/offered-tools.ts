import type { Tool } from '@modelcontextprotocol/server';
import { type AppTool, type InstalledApp, type Runtime, RuntimeError, type ToolsNow } from '@svc/runtime';
import { mayBeModelNameOf, modelName } from '@svc/runtime/parts';
import { isForProvider } from './providers.ts';
import { toolDefinition } from './tool-definition.ts';

/** A tool that a session may call, and how it is called there. */
export type Offered = { app: InstalledApp; tool: AppTool; definition: Tool };

/** Whose tools: those of apps that are on in the project, and that give them to the provider. */
export type Audience = { project: string; provider: string | null };

/** The apps that a session may use, with their tools as they are known. */
export const usableApps = (
  runtime: Pick<Runtime, 'allToolsNow'>,
  { project, provider }: Audience,
): ToolsNow[] => runtime.allToolsNow({ project }).filter(({ app }) => isForProvider(app.manifest, provider));

const definitions = new WeakMap<AppTool, Tool>();

/** The definition of a tool, made once: lists of hundreds are asked for again and again. */
function definitionOf(app: InstalledApp, tool: AppTool): Tool {
  const made = definitions.get(tool) ?? toolDefinition(app, tool);
  definitions.set(tool, made);
  return made;
}

/**
 * The tools of some apps, without asking anybody. Two tools of one name, which only a broken hash could make, are both left out:
 * a call must not reach another app than the agent means.
 * @param define how a tool is offered; with files as paths when it is left out
 */
export function offeredTools(apps: readonly ToolsNow[], define = definitionOf): Offered[] {
  const offered = apps.flatMap(({ app, tools }) =>
    tools.map((tool) => ({ app, tool, definition: define(app, tool) })),
  );
  const names = Map.groupBy(offered, ({ definition }) => definition.name);
  return offered.filter(({ definition }) => names.get(definition.name)?.length === 1);
}

/** Finds the tool of a name, when the session may call it. @throws RuntimeError `unknown-tool`, and as `requireUsable` does */
export type FindTool = (name: string, signal: AbortSignal) => Promise<Offered>;

const unknown = (name: string): RuntimeError =>
  new RuntimeError('unknown-tool', `There is no tool ${JSON.stringify(name.slice(0, 100))} here.`);

/**
 * Remembers whose a name is, which never changes, and asks again whether the session may call it. Connectors declare no tools, so
 * the server of one that a name may belong to is asked once.
 */
export function createFinder(runtime: Runtime, audience: Audience): FindTool {
  const { library } = runtime;
  const owners = new Map<string, string>();

  /** The tools of an app that must be usable. An app for other providers is as if it were not there. */
  function toolsIn(appId: string): ToolsNow | null {
    try {
      const found = runtime.toolsNow(appId, audience);
      return isForProvider(found.app.manifest, audience.provider) ? found : null;
    } catch (error) {
      const app = library.get(appId);
      if (app && !isForProvider(app.manifest, audience.provider)) return null;
      throw error;
    }
  }

  async function findIn(appId: string, name: string, signal: AbortSignal): Promise<Offered | null> {
    const found = toolsIn(appId);
    if (!found) return null;
    const { app, listed } = found;
    const isAsked = app.source.kind === 'connector' && !listed;
    const tools = isAsked ? await runtime.tools(appId, { project: audience.project, signal }) : found.tools;
    const tool = tools.find(({ id }) => modelName(appId, id) === name);
    return tool ? { app, tool, definition: definitionOf(app, tool) } : null;
  }

  return async (name, signal) => {
    const owner = owners.get(name);
    const candidates = owner === undefined ? library.list().map(({ appId }) => appId) : [owner];
    for (const appId of candidates.filter((one) => mayBeModelNameOf(name, one))) {
      const found = await findIn(appId, name, signal);
      if (!found) continue;
      owners.set(name, appId);
      return found;
    }
    throw unknown(name);
  };
}
