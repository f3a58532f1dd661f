import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import type { CallResult, ResultPart } from '../calls/read-result.ts';
import type { KeptFile } from '../files/app-storage.ts';

/** What a tool answered, as content of MCP; `files` are those that the client keeps and can show. */
export type ModelResult = CallToolResult & { files: readonly KeptFile[] };

/** A kept file is named by its id: a path of this machine is nothing for a model. */
const blockOf = (part: ResultPart): ContentBlock => {
  if (part.type === 'text') return { type: 'text', text: part.text };
  const { id, name, type, bytes } = part.file;
  return { type: 'resource_link', uri: `svc-file:${id}`, name, mimeType: type, size: bytes };
};

/** The result of a call for a model: text, and links to the files that were kept. */
export const toModelResult = ({ isError, parts, structured, files }: CallResult): ModelResult => ({
  content: parts.map(blockOf),
  ...(isError && { isError }),
  ...(structured && { structuredContent: { ...structured } }),
  files,
});
