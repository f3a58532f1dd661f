import { type FileRule, LIMITS, type Tool } from '@svc/contracts';
import { isObject } from '@svc/contracts/is-object';
import { remoteNameOf } from '@svc/contracts/vocabulary';
import { cleanLine } from '@svc/text';
import type { InstalledApp } from '../library/installed-app.ts';
import type { Given } from './content/given.ts';
import { accountOf, declaredTools, isConnector } from './declared-tool.ts';
import type { PinnedTool, ToolHints } from './pins/pinned-tool.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** A tool of an installed app. */
export type AppTool = {
  id: string;
  /** What people read. */
  title: string;
  /** @deprecated Use `title`. From version 0.2 on it is the id, as MCP's `name` is. */
  name: string;
  /** From the manifest, which the user could read before installing. */
  description: string;
  /** JSON Schema of the arguments from the server, without arguments that take files. */
  inputSchema: JsonObject;
  /** The file rule of each argument that takes files. */
  files: Readonly<Record<string, FileRule>>;
  confirms: boolean;
  account: string | null;
  /** JSON Schema of the structured result, from the server. */
  outputSchema?: JsonObject;
  /** Unverified behaviour hints of the server, as they were accepted. */
  annotations?: ToolHints;
  /** Icons and `_meta` that the server of a connector gives. */
  given?: Given;
};

export type { ToolHints } from './pins/pinned-tool.ts';

const ANYTHING: JsonObject = { type: 'object' };

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

const toolAs = (app: InstalledApp, tool: Tool, pin: PinnedTool | undefined): AppTool => ({
  id: tool.id,
  title: tool.name,
  name: tool.name,
  description: tool.description,
  inputSchema: withoutParams(pin?.inputSchema ?? ANYTHING, new Set(Object.keys(tool.files ?? {}))),
  files: tool.files ?? {},
  confirms: tool.confirm !== undefined,
  account: accountOf(app, tool),
  ...(pin?.outputSchema && { outputSchema: pin.outputSchema }),
  ...(pin?.annotations && { annotations: pin.annotations }),
  ...(pin?.given && { given: pin.given }),
});

/** A tool of a connector, from its server's listing. */
function connectorTool({ name: id, title = '', description = '' }: PinnedTool): Tool {
  const name = cleanLine(title, LIMITS.tool.name) || cleanLine(id, LIMITS.tool.name);
  return { id, name, description: cleanLine(description, LIMITS.tool.description) || name };
}

/**
 * The tools of an app that can be called: those that the manifest declares and the server lists. For a connector, all that its server
 * lists.
 * @param listed the accepted descriptions of the tools that the server lists; null when unknown
 */
export function offeredTools(app: InstalledApp, listed: readonly PinnedTool[] | null): AppTool[] {
  if (isConnector(app)) return (listed ?? []).map((pin) => toolAs(app, connectorTool(pin), pin));
  const byName = new Map((listed ?? []).map((pin) => [pin.name, pin]));
  return declaredTools(app)
    .filter((tool) => listed === null || byName.has(remoteNameOf(tool)))
    .map((tool) => toolAs(app, tool, byName.get(remoteNameOf(tool))));
}
