import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server';
import type { CallResult, KeptFile } from '@svc/runtime';
import { blockAsGiven } from './connector-content.ts';

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

/** Largest part of a connector that is passed on as it was given, in bytes. A larger one is named by its path. */
const MAX_GIVEN = 4 * 1024 * 1024;

/** The part of a connector's result, as its server gave it; null if it is too large for that, or a file was not kept. */
async function givenPart(appId: string, part: CallResult['parts'][number]): Promise<ContentBlock | null> {
  if (part.type === 'text') return blockAsGiven(appId, part.given, part);
  if (part.file.bytes > MAX_GIVEN) return null;
  return blockAsGiven(appId, part.given, {
    bytes: await readFile(part.file.path),
    mediaType: part.file.type,
  });
}

const savedAt = ({ name, path }: KeptFile): ContentBlock => ({
  type: 'text',
  text: `The file ${name} was saved at ${path}`,
});

/** Formats the result of a tool for an agent: parts of connectors as they were given; other files as local paths, and small images inline. */
export async function presentResult(
  appId: string,
  { isError, parts, structured, given: about }: CallResult,
): Promise<CallToolResult> {
  const content: ContentBlock[] = [];
  const saved: ContentBlock[] = [];
  let images = 0;
  for (const part of parts) {
    const given = await givenPart(appId, part);
    if (given) content.push(given);
    if (part.type === 'text') {
      if (!given) content.push({ type: 'text', text: part.text });
      continue;
    }
    const { file } = part;
    if (given) {
      saved.push(savedAt(file));
      continue;
    }
    content.push(savedAt(file), linkTo(file));
    if (SHOWN.includes(file.type) && file.bytes <= MAX_IMAGE && images < MAX_IMAGES) {
      images += 1;
      content.push(await imageOf(file));
    }
  }
  return {
    ...about,
    content: [...content, ...saved],
    ...(isError && { isError }),
    ...(structured && { structuredContent: { ...structured } }),
  };
}
