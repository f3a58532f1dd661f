import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import {
  type CallToolResult,
  type ContentBlock,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Server,
} from '@modelcontextprotocol/server';
import { asRefusal, type CallResult, type KeptFile, type RefusalCode, type Runtime } from '@svc/runtime';
import { blockAsGiven } from './connector-content.ts';

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

/** What an agent can do about a refusal. */
const ADVICE: Partial<Record<RefusalCode, string>> = {
  declined: 'Do not try again unless the user asks for it.',
  'not-connected': 'Call connect_account, or ask the user to connect the account on the desktop page.',
  'switched-off': 'Ask the user to switch the app on, on the desktop page.',
  yanked: 'It can no longer be used. Inform the user.',
  'requirement-missing': 'Ask the user to install or switch on what the app needs, on the desktop page.',
  'unknown-tool': 'List the tools again.',
  'unknown-account': 'Call list_apps for the accounts of each app.',
  'too-slow': 'Try again with a smaller request.',
  unreachable: 'Try again later.',
  'token-unavailable': 'Try again later, or call connect_account to sign in again.',
};

/** A result that says why a call was not made. */
export const failure = (text: string): CallToolResult => ({
  isError: true,
  content: [{ type: 'text', text }],
});

/** Formats an error as a result that an agent can act on. Details of unexpected errors are not sent. */
export function refusalResult(error: unknown): CallToolResult {
  const refusal = asRefusal(error);
  if (!refusal) return failure('The call failed in svc desktop. See its log.');
  const { code, message } = refusal;
  const advice = ADVICE[code];
  return failure(`${message}${advice === undefined ? '' : ` ${advice}`} (${code})`);
}

/** Largest image that is included in a result, in bytes, and the image types that agents support. */
const MAX_IMAGE = 512 * 1024;
const SHOWN = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** Most images in one result, because images cost the agent tokens. */
const MAX_IMAGES = 4;

/** Largest file that is read for an agent, and part of a connector that is passed on as it was given, in bytes. A larger one has its path. */
const MAX_GIVEN = 4 * 1024 * 1024;

/** A link to a file, which `readKept` resolves. The model needs none to an image that it gets. */
const linkTo = ({ name, path, type, bytes }: KeptFile, isShown: boolean): ContentBlock => ({
  type: 'resource_link',
  uri: pathToFileURL(path).href,
  name,
  mimeType: type,
  size: bytes,
  ...(isShown && { annotations: { audience: ['user'] } }),
});

/**
 * Reads a file that a tool of one of these apps returned, for clients that follow its link (MCP, "Resource Links").
 * @returns null for any other address
 * @throws ProtocolError if the file is too large for a message
 */
export async function readKept(
  { files }: Pick<Runtime, 'files'>,
  appIds: readonly string[],
  project: string,
  uri: string,
): Promise<ReadResourceResult | null> {
  const id = /^file:.*\/([^/]+)\/[^/]+$/.exec(uri)?.[1];
  if (id === undefined) return null;
  for (const appId of appIds) {
    const kept = await files.read(appId, id, { project }).catch(() => null);
    if (!kept || pathToFileURL(kept.path).href !== uri) continue;
    if (kept.bytes > MAX_GIVEN)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'The file is too large: open its path.');
    const blob = Buffer.from(kept.content).toString('base64');
    return { contents: [{ uri, mimeType: kept.type, blob }] };
  }
  return null;
}

async function imageOf({ path, type }: KeptFile): Promise<ContentBlock> {
  return { type: 'image', mimeType: type, data: (await readFile(path)).toString('base64') };
}

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

const tooLarge = ({ name }: KeptFile): ContentBlock => ({
  type: 'text',
  text: `[The file ${name} is too large for a page.]`,
});

/** A file that no part of a connector gives: its path, and a small image itself, of which `images` counts down. */
async function fileContent(file: KeptFile, images: { left: number }): Promise<ContentBlock[]> {
  const isInline = SHOWN.includes(file.type) && file.bytes <= MAX_IMAGE && images.left > 0;
  if (!isInline) return [savedAt(file), linkTo(file, false)];
  images.left -= 1;
  return [savedAt(file), linkTo(file, true), await imageOf(file)];
}

/**
 * Formats the result of a tool for an agent: parts of connectors as they were given; other files as local paths, and small images inline.
 * @param isShown whether a page of the server gets it too, which must not learn where files are on this machine
 */
export async function presentResult(
  appId: string,
  { isError, parts, structured, given: about }: CallResult,
  isShown = false,
): Promise<CallToolResult> {
  const images = { left: MAX_IMAGES };
  const content: ContentBlock[] = [];
  const saved: ContentBlock[] = [];
  for (const part of parts) {
    const given = await givenPart(appId, part);
    if (part.type === 'text') content.push(given ?? { type: 'text', text: part.text });
    else if (given) {
      content.push(given);
      if (!isShown) saved.push(savedAt(part.file));
    } else content.push(...(isShown ? [tooLarge(part.file)] : await fileContent(part.file, images)));
  }
  return {
    ...about,
    content: [...content, ...saved],
    ...(isError && { isError }),
    ...(structured && { structuredContent: { ...structured } }),
  };
}
