import { isSpecType } from '@modelcontextprotocol/client';

type JsonObject = Record<string, unknown>;

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What a block says beside its content; a server that gets it wrong has still answered. */
const EXTRAS = ['annotations', '_meta', 'icons'];

const hasExtras = (block: JsonObject): boolean => EXTRAS.some((name) => name in block);

const isBase64 = (data: unknown): boolean =>
  typeof data === 'string' && data.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(data);

/** Whether a block is well formed, found out without the schema of MCP, which takes its time with large files. */
function isPlain(block: unknown): boolean {
  if (!isObject(block) || hasExtras(block)) return false;
  if (block.type === 'text') return typeof block.text === 'string';
  const isMedia = block.type === 'image' || block.type === 'audio';
  return isMedia && typeof block.mimeType === 'string' && isBase64(block.data);
}

const isBlock = (block: unknown): boolean => isPlain(block) || isSpecType.ContentBlock(block);

const note = (what: string): JsonObject => ({ type: 'text', text: `[${what}]` });

const withoutExtras = (block: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(block).filter(([name]) => !EXTRAS.includes(name)));

/** A block as it is, or without its malformed extras, or a note in its place. */
function readable(block: unknown, index: number): unknown {
  if (isBlock(block)) return block;
  if (isObject(block) && hasExtras(block)) {
    const bare = withoutExtras(block);
    if (isBlock(bare)) return bare;
  }
  return note(`Part ${index + 1} of the answer is malformed and was left out.`);
}

/** Fields of a result that the MCP client refuses a whole result for. */
function withoutMalformedFields(result: JsonObject): { rest: JsonObject; notes: JsonObject[] } {
  const { content: _content, ...rest } = result;
  const notes: JsonObject[] = [];
  if (rest.structuredContent !== undefined && !isObject(rest.structuredContent)) {
    // A null is how some servers say that there is none.
    if (rest.structuredContent !== null) {
      notes.push(note('The structured part of the answer is malformed and was left out.'));
    }
    delete rest.structuredContent;
  }
  if (rest.isError !== undefined && typeof rest.isError !== 'boolean') {
    // Better to look at a result that is fine than to take a failure for one.
    rest.isError = rest.isError !== null && rest.isError !== 0 && rest.isError !== 'false';
  }
  return { rest, notes };
}

/**
 * A result of a tool without what is malformed in it: a note stands in the place of each block that is lost, and the rest of the
 * result stays.
 * @returns the very result when nothing is wrong with it, and when it is no result of a tool
 */
export function withoutMalformed(result: unknown): unknown {
  if (!isObject(result) || !Array.isArray(result.content)) return result;
  const content = result.content.map(readable);
  const { rest, notes } = withoutMalformedFields(result);
  return { ...rest, content: [...content, ...notes] };
}

/** Whether an entry of a list is well formed. What is not is left out of the list: nothing stands for it elsewhere. */
const LISTS: Readonly<Record<string, (entry: unknown) => boolean>> = {
  resources: isSpecType.Resource,
  resourceTemplates: isSpecType.ResourceTemplate,
  prompts: isSpecType.Prompt,
};

const isContents = (entry: unknown): boolean =>
  isSpecType.TextResourceContents(entry) || isSpecType.BlobResourceContents(entry);

/** Parts of a resource and messages of a prompt: what is malformed leaves a note, as its place means something. */
const PARTS: Readonly<
  Record<string, { isFine: (part: unknown) => boolean; instead: (lost: JsonObject) => JsonObject }>
> = {
  contents: { isFine: isContents, instead: ({ text }) => ({ uri: 'malformed:', text }) },
  messages: { isFine: isSpecType.PromptMessage, instead: (content) => ({ role: 'user', content }) },
};

/** A list, resource or prompt without what is malformed in it; the very result when nothing is. */
function withoutMalformedEntries(result: unknown): unknown {
  if (!isObject(result) || 'content' in result) return result;
  const fixed: JsonObject = {};
  for (const [field, isFine] of Object.entries(LISTS)) {
    const entries = result[field];
    if (Array.isArray(entries)) fixed[field] = entries.filter(isFine);
  }
  for (const [field, { isFine, instead }] of Object.entries(PARTS)) {
    const parts = result[field];
    if (!Array.isArray(parts)) continue;
    fixed[field] = parts.map((part, index) =>
      isFine(part) ? part : instead(note(`Part ${index + 1} of the answer is malformed and was left out.`)),
    );
  }
  return Object.keys(fixed).length === 0 ? result : { ...result, ...fixed };
}

/** Repairs a message of JSON-RPC in place, before the MCP client looks at it. */
export function repairMessage(message: object): void {
  if ('result' in message) message.result = withoutMalformedEntries(withoutMalformed(message.result));
}
