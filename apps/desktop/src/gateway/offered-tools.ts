import type { Tool } from '@modelcontextprotocol/server';
import type { Manifest } from '@svc/contracts';
import {
  type AppTool,
  type Given,
  type InstalledApp,
  type Runtime,
  RuntimeError,
  type ToolsNow,
} from '@svc/runtime';
import { type DescribeFile, isVisibleTo, mayBeModelNameOf, modelName, toolSchema } from '@svc/runtime/parts';

/** Providers for `requires.providers` in a manifest, by the client name that agents report. */
const CLIENTS: readonly [RegExp, string][] = [
  [/^claude-code\b/i, 'claude-code'],
  [/^codex\b/i, 'codex'],
  [/^gemini-cli\b/i, 'gemini-cli'],
  [/^opencode\b/i, 'opencode'],
  [/^cursor\b/i, 'cursor'],
  [/^visual studio code\b/i, 'vscode'],
  [/^claude-ai\b/i, 'claude-desktop'],
  [/^(?:github-)?copilot-cli\b/i, 'copilot-cli'],
  [/^goose\b/i, 'goose'],
  [/^zed\b/i, 'zed'],
  [/^windsurf\b/i, 'windsurf'],
  [/^@?cline\b/i, 'cline'],
  [/^qwen\b/i, 'qwen'],
  [/^lm-?studio\b/i, 'lm-studio'],
  [/^kiro\b/i, 'kiro'],
];

/**
 * The chat provider of a client.
 * @param clientName as reported by the client, which is not verified
 * @returns null for an unknown client
 */
export const providerOf = (clientName: string): string | null =>
  CLIENTS.find(([pattern]) => pattern.test(clientName))?.[1] ?? null;

/** Whether an app offers its tools to a provider. An app that names providers offers them to no other. */
const isForProvider = ({ requires }: Pick<Manifest, 'requires'>, provider: string | null): boolean =>
  requires?.providers === undefined ||
  (provider !== null && requires.providers.some((name) => name === provider));

const asPath: DescribeFile = (types) =>
  `Absolute path of a file in the project's folder or an allowed folder.${types}`;

/**
 * What the server of a connector gives of a tool, without its page (MCP Apps): the page calls tools by the names of its server, which
 * agents know by other names.
 */
function givenOf({ given }: AppTool): Given {
  const { ui: _, 'ui/resourceUri': __, ...meta } = (given?._meta ?? {}) as Record<string, unknown>;
  return { ...given, ...(given?._meta !== undefined && { _meta: meta }) };
}

/** The definition of a tool for agents. Files are given as paths. */
export const toolDefinition = (app: InstalledApp, tool: AppTool): Tool => ({
  name: modelName(app, tool.id),
  title: `${app.manifest.name}: ${tool.title}`,
  description: tool.description,
  inputSchema: toolSchema(tool, asPath),
  ...(tool.outputSchema && { outputSchema: { ...tool.outputSchema, type: 'object' as const } }),
  ...(tool.annotations && { annotations: tool.annotations }),
  ...givenOf(tool),
});

/** A tool that a session can call, with its definition for the agent. */
export type Offered = { app: InstalledApp; tool: AppTool; definition: Tool };

/** The project and provider of a session, which determine its apps. */
export type Audience = {
  project: string;
  provider: string | null;
  /** The tools that the user has switched off for the agent. @returns whether a tool is one */
  switchedOff?(): (appId: string, tool: string) => boolean;
};

/** The apps that a session can use, with their known tools. */
export function usableApps(
  runtime: Pick<Runtime, 'allToolsNow'>,
  { project, provider, switchedOff }: Audience,
): ToolsNow[] {
  const isOff = switchedOff?.();
  return runtime
    .allToolsNow({ project })
    .filter(({ app }) => isForProvider(app.manifest, provider))
    .map((now) => ({
      ...now,
      tools: now.tools.filter((tool) => isVisibleTo(tool, 'model') && !isOff?.(now.app.appId, tool.id)),
    }));
}

const definitions = new WeakMap<AppTool, Tool>();

/** The definition of a tool, cached: lists of hundreds are requested repeatedly. */
function definitionOf(app: InstalledApp, tool: AppTool): Tool {
  const definition = definitions.get(tool) ?? toolDefinition(app, tool);
  definitions.set(tool, definition);
  return definition;
}

/**
 * The tools of apps, without network requests. Tools with the same name, which needs a hash collision, are both left out: a call must not
 * reach another app than the agent means.
 * @param define creates the definition of a tool; by default with files as paths
 */
export function offeredTools(apps: readonly ToolsNow[], define = definitionOf): Offered[] {
  const offered = apps.flatMap(({ app, tools }) =>
    tools.map((tool) => ({ app, tool, definition: define(app, tool) })),
  );
  const names = Map.groupBy(offered, ({ definition }) => definition.name);
  return offered.filter(({ definition }) => names.get(definition.name)?.length === 1);
}

/** Finds a tool by name, if the session can call it. @throws RuntimeError `unknown-tool`, and those of `requireUsable` */
export type FindTool = (name: string, signal: AbortSignal) => Promise<Offered>;

const unknown = (name: string): RuntimeError =>
  new RuntimeError('unknown-tool', `Unknown tool ${JSON.stringify(name.slice(0, 100))}.`);

/**
 * Creates a finder that caches the app of a tool name, which never changes, and checks each time whether the session can call it.
 * Connectors declare no tools, so the server of a possible connector is queried once.
 */
export function createFinder(runtime: Runtime, audience: Audience): FindTool {
  const { library } = runtime;
  const owners = new Map<string, string>();

  /** The tools of a usable app; null for an app for other providers. */
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
    const known = toolsIn(appId);
    if (!known) return null;
    const { app, listed } = known;
    const needsListing = app.source.kind === 'connector' && !listed;
    const tools = needsListing
      ? await runtime.tools(appId, { project: audience.project, signal })
      : known.tools;
    const tool = tools.find(({ id }) => modelName(app, id) === name);
    return tool && !audience.switchedOff?.()(appId, tool.id)
      ? { app, tool, definition: definitionOf(app, tool) }
      : null;
  }

  return async (name, signal) => {
    const owner = library.get(owners.get(name) ?? '');
    const candidates = owner ? [owner] : library.list().filter((app) => mayBeModelNameOf(name, app));
    for (const candidate of candidates) {
      const found = await findIn(candidate.appId, name, signal);
      if (!found) continue;
      owners.set(name, candidate.appId);
      return found;
    }
    throw unknown(name);
  };
}
