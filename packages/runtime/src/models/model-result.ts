import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import type { CallResult, ResultPart } from '../calls/read-result.ts';
import type { KeptFile } from '../files/app-storage.ts';

/** The result of a tool as MCP content; `files` are those that the client stored and can show. */
export type ModelResult = CallToolResult & { files: readonly KeptFile[] };

/** A stored file is referred to by its id: models must not see paths of this machine. */
const blockOf = (part: ResultPart): ContentBlock => {
  if (part.type === 'text') return { type: 'text', text: part.text };
  const { id, name, type, bytes } = part.file;
  return { type: 'resource_link', uri: `svc-file:${id}`, name, mimeType: type, size: bytes };
};

/** Converts the result of a call for a model: text, and links to the stored files. */
export const toModelResult = ({ isError, parts, structured, files }: CallResult): ModelResult => ({
  content: parts.map(blockOf),
  ...(isError && { isError }),
  ...(structured && { structuredContent: { ...structured } }),
  files,
});
