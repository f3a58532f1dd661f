import type { Tool as ServerTool } from '@modelcontextprotocol/client';
import { type ServedTool, servedToolOf } from '@svc/contracts';
import { hashOfJson } from '../../platform/json-hash.ts';
import { type Given, givenOf } from '../read-result.ts';

/** Tool annotations of MCP. */
export type ToolHints = Readonly<NonNullable<ServedTool['annotations']>>;

/**
 * What a server says of a tool, as models and agents read it until a change is accepted. Title and description are those of a connector's
 * tool; the words of other tools are those of the manifest.
 */
export type PinnedTool = ServedTool & {
  /** Icons and `_meta` of a connector's tool, for clients that show them. They follow the server: models do not read them. */
  given?: Given;
};

/**
 * What is kept of a tool of `tools/list`: cleaned and bounded.
 * @param withWords whether models read the server's title and description, as of connectors
 */
export function pinnedTool(tool: ServerTool, withWords: boolean): PinnedTool {
  const { title, description, ...read } = servedToolOf(tool.name, tool);
  if (!withWords) return read;
  return {
    ...read,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...((tool.icons || tool._meta) && { given: givenOf({ icons: tool.icons, _meta: tool._meta }) }),
  };
}

/** SHA-256 of the canonical JSON of tools, in hex: what an answer of the user is bound to. */
export const hashOfTools = (tools: readonly PinnedTool[]): string =>
  hashOfJson([...tools].sort((a, b) => (a.name < b.name ? -1 : 1)));
