import { isSpecType, specTypeSchemas } from '@modelcontextprotocol/client';
import { isObject } from '@svc/contracts/is-object';
import { cleanValue, quoteText } from '@svc/text';
import { type LenientSchema, readLeniently } from '../../platform/lenient.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** Reports what was dropped or repaired, as a sentence without secrets of this client. */
export type Note = (what: string) => void;

/** Longest quoted name of a part, and most named parts of one message. */
const MAX_NAME = 60;
const MAX_NAMED = 5;

const isBase64 = (data: unknown): boolean =>
  typeof data === 'string' && data.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(data);

/** Optional fields of a content block. */
const EXTRAS = ['annotations', '_meta', 'icons'];

/** Whether a block is well formed, checked without the schema of MCP, which is slow for large files. */
function isPlain(block: unknown): boolean {
  if (!isObject(block) || EXTRAS.some((name) => name in block)) return false;
  if (block.type === 'text') return typeof block.text === 'string';
  const isMedia = block.type === 'image' || block.type === 'audio';
  return isMedia && typeof block.mimeType === 'string' && isBase64(block.data);
}

const BLOCKS: Readonly<Record<string, LenientSchema>> = {
  text: specTypeSchemas.TextContent,
  image: specTypeSchemas.ImageContent,
  audio: specTypeSchemas.AudioContent,
  resource: specTypeSchemas.EmbeddedResource,
  resource_link: specTypeSchemas.ResourceLink,
};

const text = (what: string): JsonObject => ({ type: 'text', text: `[${what}]` });

/** A name of a part, as the server writes it. */
const named = (name: unknown): string => (typeof name === 'string' ? ` ${quoteText(name, MAX_NAME)}` : '');

/** Reads one part; null when it has no part that can be kept. */
function readPart(schema: LenientSchema, part: unknown, label: string, note: Note): unknown {
  const read = readLeniently(schema, part);
  if ('fault' in read) {
    note(
      `${label} was left out: ${read.fault === '' ? 'it' : quoteText(read.fault, MAX_NAME)} is malformed.`,
    );
    return null;
  }
  if (read.lost.length > 0) {
    const fields = read.lost.slice(0, MAX_NAMED).map((field) => quoteText(field, MAX_NAME));
    note(`${label} was repaired: ${fields.join(', ')} ${fields.length === 1 ? 'is' : 'are'} malformed.`);
  }
  return read.value;
}

/** A content block, without malformed optional fields; or a note in its place. */
function readBlock(block: unknown, index: number, note: Note): unknown {
  if (isPlain(block)) return block;
  const label = `Part ${index + 1} of the answer`;
  const schema = isObject(block) ? BLOCKS[String(block.type)] : undefined;
  const read = schema ? readPart(schema, block, label, note) : null;
  if (!schema) note(`${label} was left out: it is no content of MCP.`);
  return read ?? text(`${label} is malformed and was left out.`);
}

/** What a server of the revision 2026-07-28 has to say of a result, and some do not. Earlier revisions ignore it. */
const COMPLETE = { resultType: 'complete' } as const;

/** Removes malformed fields of a tool result for which the MCP client would reject all of it. */
function readCallResult({ content, ...rest }: JsonObject, note: Note): JsonObject {
  const result: Record<string, unknown> = { ...rest };
  const blocks = (content as unknown[]).map((block, index) => readBlock(block, index, note));
  if (result.structuredContent !== undefined && !isObject(result.structuredContent)) {
    // Some servers send null for none.
    if (result.structuredContent !== null) {
      const what = 'The structured part of the answer is malformed and was left out.';
      blocks.push(text(what));
      note(what);
    }
    delete result.structuredContent;
  }
  if (result.isError !== undefined && typeof result.isError !== 'boolean') {
    // In doubt, the result is treated as an error.
    result.isError = result.isError !== null && result.isError !== 0 && result.isError !== 'false';
  }
  return { ...COMPLETE, ...result, content: blocks };
}

/** The schema of a tool's arguments as an object schema: only this is offered to models. */
function argumentsSchema(given: unknown): JsonObject {
  return { ...(isObject(given) ? given : {}), type: 'object' };
}

/** A tool of `tools/list`; a schema that is missing or not of an object does not cost the tool. */
function readTool(tool: unknown, label: string, note: Note): unknown {
  if (!isObject(tool)) return readPart(specTypeSchemas.Tool, tool, label, note);
  const { inputSchema } = tool;
  const isFine = isObject(inputSchema) && inputSchema.type === 'object';
  if (!isFine) note(`${label} was repaired: its inputSchema is not the schema of an object.`);
  const repaired = isFine ? tool : { ...tool, inputSchema: argumentsSchema(inputSchema) };
  return isSpecType.Tool(repaired) ? repaired : readPart(specTypeSchemas.Tool, repaired, label, note);
}

type ReadEntry = (entry: unknown, label: string, note: Note) => unknown;

const entryOf =
  (schema: LenientSchema): ReadEntry =>
  (entry, label, note) =>
    readPart(schema, entry, label, note);

/** The lists of MCP, by their field: how an entry is read. Malformed entries are dropped. */
const LISTS: Readonly<Record<string, { what: string; read: ReadEntry }>> = {
  tools: { what: 'The tool', read: readTool },
  resources: { what: 'The resource', read: entryOf(specTypeSchemas.Resource) },
  resourceTemplates: { what: 'The resource template', read: entryOf(specTypeSchemas.ResourceTemplate) },
  prompts: { what: 'The prompt', read: entryOf(specTypeSchemas.Prompt) },
};

const isBlob = (entry: unknown): boolean => isObject(entry) && 'blob' in entry;

const readContents = (part: unknown, index: number, note: Note): unknown => {
  const label = `Part ${index + 1} of the answer`;
  const schema = isBlob(part) ? specTypeSchemas.BlobResourceContents : specTypeSchemas.TextResourceContents;
  const lost = { uri: 'malformed:', text: `[${label} is malformed and was left out.]` };
  return readPart(schema, part, label, note) ?? lost;
};

function readMessage(part: unknown, index: number, note: Note): unknown {
  const { role, content } = isObject(part) ? part : {};
  // A role that MCP does not have, such as that of the system, is not taken for another one.
  const isFine = role === 'user' || role === 'assistant';
  return { role: isFine ? role : 'user', content: readBlock(isFine ? content : undefined, index, note) };
}

/** Parts whose position matters: a malformed one is replaced by a note. */
const PARTS: Readonly<Record<string, (part: unknown, index: number, note: Note) => unknown>> = {
  contents: readContents,
  messages: readMessage,
};

/** Fields that each list of the revision 2026-07-28 has; a server that omits them has a list that is not to be cached. */
const UNCACHED = { ttlMs: 0, cacheScope: 'private' } as const;

function readLists(result: JsonObject, note: Note): JsonObject {
  const fixed: Record<string, unknown> = {};
  for (const [field, { what, read }] of Object.entries(LISTS)) {
    const entries = result[field];
    if (!Array.isArray(entries)) continue;
    fixed[field] = entries.flatMap((entry, index) => {
      const name = isObject(entry) ? named(entry.name) : '';
      return read(entry, `${what}${name || ` ${index + 1}`}`, note) ?? [];
    });
  }
  for (const [field, read] of Object.entries(PARTS)) {
    const parts = result[field];
    if (Array.isArray(parts)) fixed[field] = parts.map((part, index) => read(part, index, note));
  }
  if (Object.keys(fixed).length === 0) return result;
  const { nextCursor, ttlMs, cacheScope, ...rest } = result;
  return {
    ...COMPLETE,
    ...rest,
    ...fixed,
    // Null and an empty text mean the end of the list.
    ...(typeof nextCursor === 'string' && nextCursor !== '' && { nextCursor }),
    ttlMs: Number.isSafeInteger(ttlMs) && Number(ttlMs) >= 0 ? ttlMs : UNCACHED.ttlMs,
    cacheScope: cacheScope === 'public' ? cacheScope : UNCACHED.cacheScope,
  };
}

/** Capabilities with `true` as some servers write them. */
const capabilitiesOf = (given: unknown): JsonObject =>
  Object.fromEntries(
    Object.entries(isObject(given) ? given : { tools: {} }).map(([name, value]) => [
      name,
      value === true ? {} : value,
    ]),
  );

/** The response to `initialize`. */
function readHandshake(result: JsonObject, note: Note): unknown {
  const { serverInfo } = result;
  const info = isObject(serverInfo) ? serverInfo : {};
  const textOr = (value: unknown): string => (typeof value === 'string' ? value : '');
  const known = {
    ...result,
    capabilities: capabilitiesOf(result.capabilities),
    serverInfo: { ...info, name: textOr(info.name), version: textOr(info.version) },
  };
  if (isSpecType.InitializeResult(result)) return result;
  for (const field of ['name', 'version'] as const)
    if (typeof info[field] !== 'string') note(`The server does not say its ${field} (serverInfo.${field}).`);
  return readPart(specTypeSchemas.InitializeResult, known, 'The handshake', note) ?? result;
}

/** The response to `server/discover`. */
const readDiscovery = (result: JsonObject, note: Note): unknown => {
  if (isSpecType.DiscoverResult(result)) return result;
  const known = { ...result, capabilities: capabilitiesOf(result.capabilities) };
  return readPart(specTypeSchemas.DiscoverResult, known, 'The handshake', note) ?? result;
};

/** Repairs a result by its shape: a tool result, a list, the parts of a resource or prompt, or a handshake. */
export function repairResult(result: unknown, note: Note = () => undefined): unknown {
  if (!isObject(result)) return result;
  if (Array.isArray(result.content)) return readCallResult(result, note);
  if (typeof result.protocolVersion === 'string') return readHandshake(result, note);
  return Array.isArray(result.supportedVersions) ? readDiscovery(result, note) : readLists(result, note);
}

/** Parts that are sent back as they are, are bytes, or are refused when they cannot be shown (`isUsable`, `isToolName`). */
const OPAQUE = new Set([
  ...['nextCursor', 'requestState', 'taskId', 'task.taskId'],
  ...['tools.*.name', 'prompts.*.name', 'prompts.*.arguments.*.name'],
  ...['resources.*.uri', 'resourceTemplates.*.uriTemplate', 'uri', 'requestId', 'progressToken'],
  ...['content.*.data', 'content.*.resource.blob', 'contents.*.blob'],
  ...['messages.*.content.data', 'messages.*.content.resource.blob'],
]);

const clean = (value: unknown): unknown => cleanValue(value, { isOpaque: (path) => OPAQUE.has(path) });

/**
 * Repairs a JSON-RPC message in place and cleans its texts, before the MCP client reads it. Every message of a server passes here,
 * so that no text of a server reaches a model or a page with hidden characters.
 */
export const repairMessages =
  (note?: Note) =>
  (message: object): void => {
    if ('result' in message) message.result = clean(repairResult(message.result, note));
    if ('error' in message) message.error = clean(message.error);
    if ('params' in message) message.params = clean(message.params);
  };
