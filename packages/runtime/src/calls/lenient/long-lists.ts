import type { RequestId, Transport } from '@modelcontextprotocol/client';
import type { Note } from './repair-block.ts';
import { repairResult } from './repair-message.ts';

/** Most pages of `tools/list` that are read, and the characters of their tools after which no further page is. */
export const MAX_PAGES = 64;
const MAX_CHARACTERS = 8 * 1024 * 1024;

type ToolsPage = { tools?: { name?: unknown }[]; nextCursor?: unknown };
type Answer = { id?: RequestId; error?: unknown; result?: ToolsPage };

/**
 * Reads the page of an empty cursor, by which many servers mean the end of the list: it is empty where it is refused, and brings no tool
 * twice.
 */
function readLastPage(answer: Answer, names: ReadonlySet<unknown>): void {
  if (answer.error !== undefined) {
    delete answer.error;
    answer.result = repairResult({ tools: [] }) as ToolsPage;
  }
  if (answer.result?.tools) answer.result.tools = answer.result.tools.filter(({ name }) => !names.has(name));
}

/** Ends a list of tools at its bounds, or where a cursor repeats, before the MCP client reads it: the client would refuse all of a longer one. */
export function endLongLists(transport: Transport, note: Note | undefined): (message: object) => void {
  const send = transport.send.bind(transport);
  const cursors = new Set<unknown>();
  const names = new Set<unknown>();
  let withEmptyCursor: RequestId | undefined;
  let characters = 0;
  transport.send = (message, options) => {
    if ('method' in message && message.method === 'tools/list' && 'id' in message) {
      const cursor = message.params?.cursor;
      withEmptyCursor = cursor === '' ? message.id : undefined;
      if (cursor === undefined) {
        for (const seen of [cursors, names]) seen.clear();
        characters = 0;
      }
    }
    return send(message, options);
  };
  return (message) => {
    const answer: Answer = message;
    if (answer.id === withEmptyCursor) readLastPage(answer, names);
    const { result } = answer;
    if (result?.tools === undefined || result.nextCursor === undefined) return;
    for (const { name } of result.tools) names.add(name);
    const isRepeated = cursors.has(result.nextCursor);
    cursors.add(result.nextCursor);
    characters += JSON.stringify(result.tools).length;
    if (!isRepeated && cursors.size < MAX_PAGES && characters < MAX_CHARACTERS) return;
    delete result.nextCursor;
    if (!isRepeated)
      note?.(
        `The list of tools is longer than ${cursors.size} pages: the tools of further ones were left out.`,
        'tools',
      );
  };
}
