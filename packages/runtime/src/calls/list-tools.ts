import type { Tool as ServerTool } from '@modelcontextprotocol/client';
import { type FileRule, LIMITS, type Tool } from '@svc/contracts';
import { cleanLine } from '@svc/text';
import type { InstalledApp } from '../library/installed-app.ts';
import { accountOf, declaredTools, isConnector, isToolName } from './declared-tool.ts';
import type { Secrets } from './secrets.ts';

/** The largest schema that is handed on to an agent, in characters of its JSON, and the most tools of a connector. */
const MAX_SCHEMA = 64 * 1024;
const MAX_TOOLS = 200;

type JsonObject = Readonly<Record<string, unknown>>;

/** A tool as it is offered to an agent. */
export type AppTool = {
  id: string;
  name: string;
  /** The manifest's, which a person could read before installing. */
  description: string;
  /** JSON Schema of the arguments but for those that take files, as the server gives it. */
  inputSchema: JsonObject;
  /** What each argument that takes files takes. */
  files: Readonly<Record<string, FileRule>>;
  confirms: boolean;
  account: string | null;
  /** What the server says of how the tool behaves, which nobody has looked at; left out when it says nothing. */
  annotations?: ToolHints;
};

const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

/** Hints of MCP on the behaviour of a tool. */
export type ToolHints = Partial<Readonly<Record<(typeof HINTS)[number], boolean>>>;

const ANYTHING: JsonObject = { type: 'object' };

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A schema without some arguments: files are handed over beside the arguments, and not written by an agent. */
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

/** A tool with what its server says of it. */
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

/** A tool of a connector, which no manifest declares: what its server says of it, cleaned of what could be hidden in it. */
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
 * The tools that an agent is offered: those that the manifest declares and the server has. Whatever else a server lists is
 * nobody's to call; for a connector it is all there is.
 * @param listed what the server has; null while it cannot be asked
 */
export function offeredTools(
  app: InstalledApp,
  listed: readonly ServerTool[] | null,
  secrets: Secrets,
): AppTool[] {
  if (isConnector(app)) return connectorTools(app, listed ?? [], secrets);
  const byName = new Map((listed ?? []).map((tool) => [tool.name, tool]));
  return declaredTools(app)
    .filter(({ id }) => listed === null || byName.has(id))
    .map((tool) => toolAs(app, tool, byName.get(tool.id), secrets));
}
