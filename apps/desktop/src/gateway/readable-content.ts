import type { ContentBlock, Server } from '@modelcontextprotocol/server';

/** The revision of MCP that brought a form of content; the others are those of the first. */
const SINCE: Readonly<Record<string, string>> = { audio: '2025-03-26', resource_link: '2025-06-18' };

/** Content as the client of a session can read it: one of an earlier revision refuses all of a result that has a form which it does not know. */
export function readableContent(
  server: Pick<Server, 'getNegotiatedProtocolVersion'>,
): (block: ContentBlock) => ContentBlock {
  const revision = server.getNegotiatedProtocolVersion();
  return (block) => {
    if (revision === undefined || (SINCE[block.type] ?? '') <= revision) return block;
    if (block.type === 'resource_link') return { type: 'text', text: `${block.name}: ${block.uri}` };
    if (block.type !== 'audio') return block;
    const { mimeType, data: blob } = block;
    return { type: 'resource', resource: { uri: `svc:sound/${mimeType}`, mimeType, blob } };
  };
}
