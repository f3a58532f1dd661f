import type { Tool as ServerTool } from '@modelcontextprotocol/client';
import { type FileRule, LIMITS, type Tool } from '@svc/contracts';
import { remoteNameOf } from '@svc/contracts/vocabulary';
import { cleanLine } from '@svc/text';
import type { InstalledApp } from '../library/installed-app.ts';
import { accountOf, declaredTools, isConnector, isToolName } from './declared-tool.ts';
import type { Secrets } from './secrets.ts';

/** Maximum size of a tool's schema, in characters of JSON, and maximum number of tools of a connector. */
const MAX_SCHEMA = 64 * 1024;
const MAX_TOOLS = 200;

type JsonObject = Readonly<Record<string, unknown>>;

/** A tool of an installed app. */
export type AppTool = {
  id: string;
  name: string;
  /** From the manifest, which the user could read before installing. */
  description: string;
  /** JSON Schema of the arguments from the server, without arguments that take files. */
  inputSchema: JsonObject;
  /** The file rule of each argument that takes files. */
  files: Readonly<Record<string, FileRule>>;
  confirms: boolean;
  account: string | null;
  /** Unverified behaviour hints of the server, if any. */
  annotations?: ToolHints;
};

const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

/** Tool annotations of MCP. */
export type ToolHints = Partial<Readonly<Record<(typeof HINTS)[number], boolean>>>;

const ANYTHING: JsonObject = { type: 'object' };

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A schema without some arguments: files are passed separately. */
function withoutParams(schema: JsonObject, params: ReadonlySet<string>): JsonObject {
  const { properties, required, ...rest } = schema;
  return {
    ...rest,
    ...(isObject(properties) && {
      properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !params.has(name))),
    }),
    ...(Array.isArray(required) && { required: required.filter((name) => !params.has(name)) }),
  };
}

function schemaOf(server: ServerTool | undefined, params: ReadonlySet<string>, secrets: Secrets): JsonObject {
  if (!server || JSON.stringify(server.inputSchema).length > MAX_SCHEMA) return ANYTHING;
  return withoutParams(secrets.strip(server.inputSchema as JsonObject), params);
}

function hintsOf(server: ServerTool | undefined): ToolHints {
  const given = HINTS.filter((hint) => typeof server?.annotations?.[hint] === 'boolean');
  return Object.fromEntries(given.map((hint) => [hint, server?.annotations?.[hint]]));
}

/** A tool with the hints of its server. */
const withHints = (tool: AppTool, server: ServerTool | undefined): AppTool => {
  const annotations = hintsOf(server);
  return Object.keys(annotations).length > 0 ? { ...tool, annotations } : tool;
};

const toolAs = (app: InstalledApp, tool: Tool, server: ServerTool | undefined, secrets: Secrets): AppTool =>
  withHints(
    {
      id: tool.id,
      name: tool.name,
      description: tool.description,
      inputSchema: schemaOf(server, new Set(Object.keys(tool.files ?? {})), secrets),
      files: tool.files ?? {},
      confirms: tool.confirm !== undefined,
      account: accountOf(app, tool),
    },
    server,
  );

/** A tool of a connector, from its server's listing, without hidden characters and tokens. */
function connectorTool({ name: id, title = '', description = '' }: ServerTool, secrets: Secrets): Tool {
  const name = cleanLine(secrets.strip(title), LIMITS.tool.name) || cleanLine(id, LIMITS.tool.name);
  return { id, name, description: cleanLine(secrets.strip(description), LIMITS.tool.description) || name };
}

/** The tools of a connector, the first of each name. */
function connectorTools(app: InstalledApp, listed: readonly ServerTool[], secrets: Secrets): AppTool[] {
  const byName = new Map<string, ServerTool>();
  for (const tool of listed) {
    const { name } = tool;
    const isUsable = secrets.strip(name) === name && isToolName(name) && !byName.has(name);
    if (isUsable && byName.size < MAX_TOOLS) byName.set(name, tool);
  }
  return [...byName.values()].map((server) => toolAs(app, connectorTool(server, secrets), server, secrets));
}

/**
 * The tools of an app that can be called: those that the manifest declares and the server lists. For a connector, all that its server
 * lists.
 * @param listed the tools of the server; null when unknown
 */
export function offeredTools(
  app: InstalledApp,
  listed: readonly ServerTool[] | null,
  secrets: Secrets,
): AppTool[] {
  if (isConnector(app)) return connectorTools(app, listed ?? [], secrets);
  const byName = new Map((listed ?? []).map((tool) => [tool.name, tool]));
  return declaredTools(app)
    .filter((tool) => listed === null || byName.has(remoteNameOf(tool)))
    .map((tool) => toolAs(app, tool, byName.get(remoteNameOf(tool)), secrets));
}
