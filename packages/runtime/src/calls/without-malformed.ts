import { isSpecType } from '@modelcontextprotocol/client';

type JsonObject = Record<string, unknown>;

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Optional fields of a content block; malformed ones are dropped. */
const EXTRAS = ['annotations', '_meta', 'icons'];

const hasExtras = (block: JsonObject): boolean => EXTRAS.some((name) => name in block);

const isBase64 = (data: unknown): boolean =>
  typeof data === 'string' && data.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(data);

/** Whether a block is well formed, checked without the schema of MCP, which is slow for large files. */
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

/** The block, or the block without malformed optional fields, or a note in its place. */
function readable(block: unknown, index: number): unknown {
  if (isBlock(block)) return block;
  if (isObject(block) && hasExtras(block)) {
    const bare = withoutExtras(block);
    if (isBlock(bare)) return bare;
  }
  return note(`Part ${index + 1} of the answer is malformed and was left out.`);
}

/** Removes malformed fields for which the MCP client would reject the whole result. */
function withoutMalformedFields(result: JsonObject): { rest: JsonObject; notes: JsonObject[] } {
  const { content: _content, ...rest } = result;
  const notes: JsonObject[] = [];
  if (rest.structuredContent !== undefined && !isObject(rest.structuredContent)) {
    // Some servers send null for none.
    if (rest.structuredContent !== null) {
      notes.push(note('The structured part of the answer is malformed and was left out.'));
    }
    delete rest.structuredContent;
  }
  if (rest.isError !== undefined && typeof rest.isError !== 'boolean') {
    // In doubt, the result is treated as an error.
    rest.isError = rest.isError !== null && rest.isError !== 0 && rest.isError !== 'false';
  }
  return { rest, notes };
}

/**
 * Repairs a tool result: replaces malformed blocks by notes, and keeps the rest.
 * @returns the same object when it is well formed, or is not a tool result
 */
export function withoutMalformed(result: unknown): unknown {
  if (!isObject(result) || !Array.isArray(result.content)) return result;
  const content = result.content.map(readable);
  const { rest, notes } = withoutMalformedFields(result);
  return { ...rest, content: [...content, ...notes] };
}

/** Checks of list entries; malformed entries are dropped. */
const LISTS: Readonly<Record<string, (entry: unknown) => boolean>> = {
  resources: isSpecType.Resource,
  resourceTemplates: isSpecType.ResourceTemplate,
  prompts: isSpecType.Prompt,
};

const isContents = (entry: unknown): boolean =>
  isSpecType.TextResourceContents(entry) || isSpecType.BlobResourceContents(entry);

/** Checks of parts of resources and messages of prompts; malformed ones are replaced by a note, as their position matters. */
const PARTS: Readonly<
  Record<string, { isFine: (part: unknown) => boolean; instead: (lost: JsonObject) => JsonObject }>
> = {
  contents: { isFine: isContents, instead: ({ text }) => ({ uri: 'malformed:', text }) },
  messages: { isFine: isSpecType.PromptMessage, instead: (content) => ({ role: 'user', content }) },
};

/** Repairs a list, resource or prompt; returns the same object when it is well formed. */
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

/** Repairs a JSON-RPC message in place, before the MCP client reads it. */
export function repairMessage(message: object): void {
  if ('result' in message) message.result = withoutMalformedEntries(withoutMalformed(message.result));
}
