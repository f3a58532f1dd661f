import type { Tool as ServerTool } from '@modelcontextprotocol/client';
import { type ServedTool, servedToolOf } from '@svc/contracts';
import { isObject } from '@svc/contracts/is-object';
import { type Given, givenOf } from '../read-result.ts';

/** Tool annotations of MCP. */
export type ToolHints = Readonly<NonNullable<ServedTool['annotations']>>;

/**
 * What a server says of a tool, as models and agents read it until a change is accepted. Title and description are those of a connector's
 * tool; the words of other tools are those of the manifest.
 */
export type PinnedTool = ServedTool & {
  /** Icons and `_meta` of a connector's tool: to whom it is shown, its page, and what clients of agents read. */
  given?: Given;
};

/** What is too large to be kept is left out, but not to whom the tool is shown: without that it is shown to all. */
function givenTool({ icons, _meta }: ServerTool): Given {
  const given = givenOf({ icons, _meta });
  const { ui } = _meta ?? {};
  if (Object.keys(given).length > 0 || !isObject(ui) || !Array.isArray(ui.visibility)) return given;
  const visibility = ['model', 'app'].filter((whom) => (ui.visibility as unknown[]).includes(whom));
  return { _meta: { ui: { visibility } } };
}

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
    ...((tool.icons || tool._meta) && { given: givenTool(tool) }),
  };
}
