import { createHash } from 'node:crypto';
import type { Tool as ServerTool } from '@modelcontextprotocol/client';
import { isObject } from '@svc/contracts/is-object';
import { type ToolHint, toolHintsOf } from '@svc/contracts/vocabulary';
import { canonicalJson, type JsonValue } from '@svc/signing';
import { cleanValue } from '@svc/text';
import { type Given, givenOf } from '../content/given.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** Tool annotations of MCP. */
export type ToolHints = Partial<Readonly<Record<ToolHint, boolean>>>;

/** Longest text of a schema and longest schema, in characters, and its deepest part that is kept, in levels. */
const MAX_TEXT = 4_096;
const MAX_SCHEMA = 64 * 1024;
const MAX_DEPTH = 32;

/** What a server says of a tool, as models and agents read it until a change is accepted. */
export type PinnedTool = {
  name: string;
  /** Of a connector's tool; the words of other tools are those of the manifest. */
  title?: string;
  description?: string;
  /** A JSON Schema; of any object where the server sends none, or one that is too large. */
  inputSchema: JsonObject;
  outputSchema?: JsonObject;
  annotations?: ToolHints;
  /** Icons and `_meta` of a connector's tool, for clients that show them. They follow the server: models do not read them. */
  given?: Given;
};

const ANYTHING: JsonObject = { type: 'object' };

const bounded = (value: unknown): unknown => cleanValue(value, { maxDepth: MAX_DEPTH, maxText: MAX_TEXT });

function schemaOf(given: unknown): JsonObject {
  if (!isObject(given)) return ANYTHING;
  const cleaned = bounded(given) as JsonObject;
  return JSON.stringify(cleaned).length > MAX_SCHEMA ? ANYTHING : cleaned;
}

/**
 * What is kept of a tool of `tools/list`: cleaned and bounded.
 * @param withWords whether models read the server's title and description, as of connectors
 */
export function pinnedTool(tool: ServerTool, withWords: boolean): PinnedTool {
  const { name, inputSchema, outputSchema } = tool;
  const title = tool.title ?? tool.annotations?.title;
  const annotations = toolHintsOf(tool.annotations);
  return {
    name,
    ...(withWords && title && { title: String(bounded(title)) }),
    ...(withWords && tool.description && { description: String(bounded(tool.description)) }),
    inputSchema: schemaOf(inputSchema),
    ...(outputSchema && { outputSchema: schemaOf(outputSchema) }),
    ...(Object.keys(annotations).length > 0 && { annotations }),
    ...(withWords &&
      (tool.icons || tool._meta) && { given: givenOf({ icons: tool.icons, _meta: tool._meta }) }),
  };
}

/** SHA-256 of the canonical JSON of tools, in hex: what an answer of the user is bound to. */
export const hashOfTools = (tools: readonly PinnedTool[]): string =>
  createHash('sha256')
    .update(canonicalJson([...tools].sort((a, b) => (a.name < b.name ? -1 : 1)) as unknown as JsonValue))
    .digest('hex');
