import { RuntimeError } from '@svc/runtime';
import { safeName } from '@svc/runtime/parts';
import { HttpError } from '../http/exchange.ts';
import type { ChatCall, ChatFile, ChatMessage } from '../wire/chat.ts';
import type { Attachments, Content } from './attachments.ts';
import type { ModelTool } from './model-server.ts';
import { MAX_RESULT } from './prompt.ts';

/** Characters of a result that one call reads, most places that a search finds, and the text around each. */
const PAGE = 40_000;
const MAX_FOUND = 20;
const AROUND = 200;

export const READ_RESULT = 'read_result';

/** Reads results that are longer than a model gets at once. It sends nothing to an app. */
const TOOL: ModelTool = {
  name: READ_RESULT,
  description: `Reads the whole of a result that was cut, ${PAGE} characters at a time, or finds words in it.`,
  inputSchema: {
    type: 'object',
    properties: {
      file: { type: 'string', description: 'The id of the file, as the cut result gives it.' },
      offset: { type: 'integer', minimum: 0, description: 'The first character to read. Default: 0.' },
      find: { type: 'string', description: 'Words to find instead: the answer has their offsets.' },
    },
    required: ['file'],
    additionalProperties: false,
  },
};

/** The files with the whole of cut results in a conversation. */
export const wholesIn = (messages: readonly ChatMessage[]): Set<string> =>
  new Set(
    messages.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === 'call' && part.call.whole ? [part.call.whole.file] : [])),
    ),
  );

/** The tool, for a conversation with such files. */
export const readingTools = (messages: readonly ChatMessage[]): ModelTool[] =>
  wholesIn(messages).size > 0 ? [TOOL] : [];

/** Keeps a text that is longer than a model gets at once as a file of the conversation, of which the call has the beginning. */
export function keepWhole(
  attachments: Attachments,
  chat: string,
  { tool, text, files }: Pick<ChatCall, 'tool' | 'text'> & { files: readonly ChatFile[] },
): Pick<ChatCall, 'text' | 'files' | 'whole'> {
  if (text.length <= MAX_RESULT) return { text, files };
  try {
    const name = safeName(`Result of ${tool}.txt`);
    const file = attachments.add(chat, { name, type: 'text/plain', bytes: Buffer.from(text) }, null);
    const whole = { file: file.id, chars: text.length };
    return { text: text.slice(0, MAX_RESULT), files: [...files, file], whole };
  } catch (error) {
    // Without room for the file, the user still sees the whole result in its row.
    if (error instanceof HttpError) return { text, files };
    throw error;
  }
}

/** In lower case, with as many characters: İ is the one letter that has two there. */
const folded = (text: string): string => text.replaceAll('İ', 'i').toLowerCase();

function found(text: string, words: string) {
  const [all, sought] = [folded(text), folded(words)];
  const matches: { offset: number; text: string }[] = [];
  let at = all.indexOf(sought);
  for (; at >= 0 && matches.length < MAX_FOUND; at = all.indexOf(sought, at + sought.length))
    matches.push({ offset: at, text: text.slice(Math.max(0, at - AROUND), at + sought.length + AROUND) });
  return { matches, more: at >= 0 };
}

/** A part of a text as JSON that is not longer than a model gets at once: quotes and line breaks take more characters there. */
function pageOf(text: string, about: object, from: number): string {
  for (let length = PAGE; ; length = Math.floor(length / 2)) {
    const end = Math.min(text.length, from + length);
    const next = end < text.length ? end : null;
    const page = JSON.stringify({ ...about, offset: from, text: text.slice(from, end), next });
    if (page.length <= MAX_RESULT) return page;
  }
}

/**
 * The answer to `read_result`, as JSON.
 * @param read the bytes of a file of the conversation
 * @throws RuntimeError `unknown-file` for a file that is no cut result
 */
export async function readResult(
  given: Readonly<Record<string, unknown>> | null,
  wholes: ReadonlySet<string>,
  read: (file: string) => Promise<Content>,
): Promise<string> {
  const { file, offset = 0, find } = given ?? {};
  if (typeof file !== 'string' || !wholes.has(file))
    throw new RuntimeError('unknown-file', 'No result that was cut has this file.');
  const text = new TextDecoder().decode((await read(file)).bytes);
  const about = { file, characters: text.length };
  if (typeof find === 'string' && find !== '') return JSON.stringify({ ...about, ...found(text, find) });
  const from = Number.isInteger(offset) ? Math.min(Math.max(0, Number(offset)), text.length) : 0;
  return pageOf(text, about, from);
}
