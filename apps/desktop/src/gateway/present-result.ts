import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server';
import type { CallResult, KeptFile } from '@svc/runtime';

/** Largest image that is included in a result, in bytes, and the image types that agents support. */
const MAX_IMAGE = 512 * 1024;
const SHOWN = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** Most images in one result, because images cost the agent tokens. */
const MAX_IMAGES = 4;

const linkTo = ({ name, path, type, bytes }: KeptFile): ContentBlock => ({
  type: 'resource_link',
  uri: pathToFileURL(path).href,
  name,
  mimeType: type,
  size: bytes,
});

async function imageOf({ path, type }: KeptFile): Promise<ContentBlock> {
  return { type: 'image', mimeType: type, data: (await readFile(path)).toString('base64') };
}

/** Formats the result of a tool for an agent: files as local paths, and small images inline. */
export async function presentResult({ isError, parts, structured }: CallResult): Promise<CallToolResult> {
  const content: ContentBlock[] = [];
  let images = 0;
  for (const part of parts) {
    if (part.type === 'text') {
      content.push({ type: 'text', text: part.text });
      continue;
    }
    const { file } = part;
    content.push({ type: 'text', text: `The file ${file.name} was saved at ${file.path}` }, linkTo(file));
    if (SHOWN.includes(file.type) && file.bytes <= MAX_IMAGE && images < MAX_IMAGES) {
      images += 1;
      content.push(await imageOf(file));
    }
  }
  return {
    content,
    ...(isError && { isError }),
    ...(structured && { structuredContent: { ...structured } }),
  };
}
