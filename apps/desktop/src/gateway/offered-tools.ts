import type { Tool } from '@modelcontextprotocol/server';
import {
  type AppTool,
  type Given,
  type InstalledApp,
  type Runtime,
  RuntimeError,
  type ToolCaller,
  type ToolsNow,
} from '@svc/runtime';
import {
  type DescribeFile,
  mayBeModelNameOf,
  mayUseAll,
  modelName,
  refusalOfApp,
  toolSchema,
  usableTools,
} from '@svc/runtime/parts';
import type { DesktopRuntime } from '../desktop.ts';
import type { ToolWords } from '../settings/bundles.ts';
import { asOffered, isCompilable } from './output-schema.ts';
import type { ToolRefresh } from './tool-refresh.ts';

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

/** Tools whose servers have answered without the structured part that their output schemas promise, or with another one. */
const textOnly = new WeakSet<AppTool>();

/** The definition of a tool for agents. Files are given as paths. */
export const toolDefinition = (app: InstalledApp, tool: AppTool): Tool => ({
  name: modelName(app, tool.id),
  title: `${app.manifest.name}: ${tool.title}`,
  description: tool.description,
  inputSchema: toolSchema(tool, asPath),
  ...(tool.outputSchema &&
    !textOnly.has(tool) &&
    isCompilable(tool.outputSchema) && {
      outputSchema: { ...asOffered(tool.outputSchema), type: 'object' as const },
    }),
  ...(tool.annotations && { annotations: tool.annotations }),
  ...givenOf(tool),
});

/** A tool that a session can call, with its definition for the agent. */
export type Offered = { app: InstalledApp; tool: AppTool; definition: Tool; words?: ToolWords | undefined };

/** The project of a session, and who uses tools in it, which determine its apps and tools. */
export type Audience = ToolCaller & {
  project: string;
  /** What the user says of tools in place of their apps, read once. @returns what is said of a tool */
  words?(): (appId: string, tool: string) => ToolWords | undefined;
};

/** The apps that a session can use, with their known tools. */
export function usableApps(
  runtime: Pick<Runtime, 'allToolsNow'>,
  { project, ...audience }: Audience,
): ToolsNow[] {
  // Read once, not for each of hundreds of apps.
  const only = audience.only?.();
  const caller = { ...audience, ...(only && { only: () => only }) };
  return runtime
    .allToolsNow({ project })
    .filter(({ app }) => refusalOfApp(caller, app) === null)
    .map((now) => ({ ...now, tools: usableTools(caller, now.app, now.tools) }));
}

/** The apps that a session can use with all that they have beside tools. */
export const wholeApps = (runtime: Pick<Runtime, 'allToolsNow'>, audience: Audience): InstalledApp[] =>
  usableApps(runtime, audience).flatMap(({ app }) => (mayUseAll(audience, app) ? [app] : []));

const definitions = new WeakMap<AppTool, Tool>();

/** The definition of a tool, cached: lists of hundreds are requested repeatedly. */
function definitionOf(app: InstalledApp, tool: AppTool): Tool {
  const definition = definitions.get(tool) ?? toolDefinition(app, tool);
  definitions.set(tool, definition);
  return definition;
}

/** Offers a tool without its output schema from now on: agents refuse each answer that does not follow it. */
export function offerInTexts(tool: AppTool): void {
  textOnly.add(tool);
  definitions.delete(tool);
}

/** A definition in the words of the user. */
const reworded = (definition: Tool, { name, title, description }: ToolWords): Tool => ({
  ...definition,
  ...(name !== null && { name }),
  ...(title !== null && { title }),
  ...(description !== null && { description }),
});

function offeredOf(
  app: InstalledApp,
  tool: AppTool,
  wordsOf: ReturnType<NonNullable<Audience['words']>> | undefined,
  define = definitionOf,
): Offered {
  const definition = define(app, tool);
  const words = wordsOf?.(app.appId, tool.id);
  return words ? { app, tool, words, definition: reworded(definition, words) } : { app, tool, definition };
}

/**
 * The tools of apps, without network requests. Tools with the same name, which needs a hash collision, are both left out: a call must not
 * reach another app than the agent means.
 * @param define creates the definition of a tool; by default with files as paths
 */
export function offeredTools(
  apps: readonly ToolsNow[],
  audience: Audience,
  define = definitionOf,
): Offered[] {
  const wordsOf = audience.words?.();
  const offered = apps.flatMap(({ app, tools }) =>
    tools.map((tool) => offeredOf(app, tool, wordsOf, define)),
  );
  const names = Map.groupBy(offered, ({ definition }) => definition.name);
  return offered.filter(({ definition }) => names.get(definition.name)?.length === 1);
}

/** Finds a tool by name, if the session can call it. @throws RuntimeError `unknown-tool`, and those of `requireUsable` */
export type FindTool = (name: string, signal: AbortSignal) => Promise<Offered>;

const unknown = (name: string): RuntimeError =>
  new RuntimeError('unknown-tool', `Unknown tool ${JSON.stringify(name.slice(0, 100))}.`);

/**
 * Creates a finder that caches the app of a tool name, and checks each time whether the session can call it.
 * Connectors declare no tools, so the server of a possible connector is queried once.
 */
export function createFinder(runtime: DesktopRuntime, audience: Audience): FindTool {
  const { library } = runtime;
  const owners = new Map<string, string>();

  /** The tools of an app that may be used; null for an app that is not for this audience. */
  function toolsIn(appId: string): ToolsNow | null {
    const app = library.get(appId);
    return app && refusalOfApp(audience, app) ? null : runtime.toolsNow(appId, audience);
  }

  async function findIn(appId: string, name: string, signal: AbortSignal): Promise<Offered | null> {
    const known = toolsIn(appId);
    if (!known) return null;
    const { app, listed } = known;
    const needsListing = app.source.kind === 'connector' && !listed;
    const tools = needsListing
      ? await runtime.tools(appId, { project: audience.project, signal })
      : known.tools;
    const wordsOf = audience.words?.();
    const nameOf = ({ id }: AppTool) => wordsOf?.(appId, id)?.name ?? modelName(app, id);
    const tool = usableTools(audience, app, tools).find((one) => nameOf(one) === name);
    return tool ? offeredOf(app, tool, wordsOf) : null;
  }

  /** The apps that may have a tool of a name. A name without `__` is one that the user gave, to a tool of any app. */
  function candidatesFor(name: string): InstalledApp[] {
    const owner = library.get(owners.get(name) ?? '');
    if (owner) return [owner];
    return library.list().filter((app) => !name.includes('__') || mayBeModelNameOf(name, app));
  }

  return async (name, signal) => {
    for (const candidate of candidatesFor(name)) {
      const found = await findIn(candidate.appId, name, signal);
      if (!found) continue;
      // A name that the user gave may be another tool's tomorrow.
      if (!found.words?.name) owners.set(name, candidate.appId);
      return found;
    }
    throw unknown(name);
  };
}

/** Most results of a search: each includes its schema. */
const MAX_FOUND = 10;
const MAX_WORDS = 20;

/** Weights of a word by field. Names weigh more than descriptions. */
const WEIGHTS = { name: 8, app: 5, description: 2, part: 0.5 };

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

type Fields = { name: string[]; app: string[]; description: string[] };

const fieldsOf = ({ app, tool, words }: Offered): Fields => ({
  name: wordsOf(`${tool.id} ${tool.title} ${words?.name ?? ''} ${words?.title ?? ''}`),
  app: wordsOf(`${app.appId} ${app.manifest.name}`),
  description: wordsOf(words?.description ?? tool.description),
});

/** How well a word matches a list: a whole word, a prefix, or not at all. */
function fitOf(word: string, words: readonly string[]): number {
  if (words.includes(word)) return 1;
  return word.length > 2 &&
    words.some((candidate) => candidate.startsWith(word) || word.startsWith(`${candidate}s`))
    ? WEIGHTS.part
    : 0;
}

function scoreOf(fields: Fields, query: readonly string[], rarity: ReadonlyMap<string, number>): number {
  return query.reduce((sum, word) => {
    const fit = Math.max(
      WEIGHTS.name * fitOf(word, fields.name),
      WEIGHTS.app * fitOf(word, fields.app),
      WEIGHTS.description * fitOf(word, fields.description),
    );
    return sum + fit * (rarity.get(word) ?? 1);
  }, 0);
}

/** Inverse document frequency: rare words weigh more. */
function rarityOf(query: readonly string[], all: readonly Fields[]): Map<string, number> {
  const contains = (fields: Fields, word: string) =>
    Object.values(fields).some((words) => fitOf(word, words) > 0);
  return new Map(
    query.map((word) => {
      const matching = all.filter((fields) => contains(fields, word)).length;
      return [word, Math.log(1 + all.length / (1 + matching))];
    }),
  );
}

/**
 * Searches tools, best match first; ties are sorted by name.
 * @param app id of the only app to search; all if omitted
 */
function searchTools(offered: readonly Offered[], query: string, app?: string): Offered[] {
  const among = app === undefined ? offered : offered.filter((tool) => tool.app.appId === app);
  const words = [...new Set(wordsOf(query))].slice(0, MAX_WORDS);
  const fields = among.map(fieldsOf);
  const rarity = rarityOf(words, fields);
  return among
    .map((tool, index) => ({ tool, score: scoreOf(fields[index] as Fields, words, rarity) }))
    .filter(({ score }) => score > 0 || words.length === 0)
    .sort((a, b) => b.score - a.score || (a.tool.definition.name < b.tool.definition.name ? -1 : 1))
    .slice(0, MAX_FOUND)
    .map(({ tool }) => tool);
}

/**
 * Searches the tools of a project, and asks the servers of those found that have not listed them yet.
 * @param offered the tools now
 * @returns those found, the best first, as they are then
 */
export async function findListed(
  offered: () => Offered[],
  { query, app, project }: { query: string; app?: string | undefined; project: string },
  refresh: ToolRefresh,
): Promise<Offered[]> {
  const found = searchTools(offered(), query, app);
  const apps = found.map(({ app: { appId } }) => appId);
  await refresh.wait(apps, project);
  const now = new Map(offered().map((tool) => [tool.definition.name, tool]));
  return found.flatMap(({ definition }) => now.get(definition.name) ?? []);
}
