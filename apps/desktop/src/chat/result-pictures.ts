import type { DesktopRuntime } from '../desktop.ts';
import type { ChatMessage } from '../wire/chat.ts';
import { PICTURES } from './shown-files.ts';

/** Most pictures of one request, the newest ones, and the largest of them in bytes: providers take no more of 5 MB as base64. */
const MAX_PICTURES = 8;
const MAX_BYTES = 3_700_000;

/** The pictures that apps returned in messages, by the ids of their files. One that is gone is left out. */
export async function picturesIn(
  runtime: DesktopRuntime,
  project: string,
  messages: readonly ChatMessage[],
): Promise<Map<string, Uint8Array>> {
  const calls = messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === 'call' ? [part.call] : [])),
  );
  const files = calls.flatMap(({ files }) => files);
  const pictures = files.filter(
    ({ appId, type, bytes }) => appId !== null && PICTURES.has(type) && bytes <= MAX_BYTES,
  );
  const read = pictures.slice(-MAX_PICTURES).map(async ({ appId, id }) => {
    const file = await runtime.files.read(appId ?? '', id, { project }).catch(() => null);
    return file && ([id, file.content] as const);
  });
  return new Map((await Promise.all(read)).filter((one) => one !== null));
}
