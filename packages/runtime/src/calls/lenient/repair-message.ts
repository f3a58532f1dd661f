import {
  LATEST_PROTOCOL_VERSION,
  SUPPORTED_PROTOCOL_VERSIONS,
  specTypeSchemas,
} from '@modelcontextprotocol/client';
import { isObject } from '@svc/contracts/is-object';
import { cleanValue } from '@svc/text';
import { isToolName } from '../../library/installed-app.ts';
import type { LenientSchema } from '../../platform/lenient.ts';
import { type Note, quotedName, readBlock, readContents, readPart } from './repair-block.ts';
import { repairParams, withoutNulls } from './repair-request.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** A name of a part, as the server writes it. */
const named = (name: unknown): string => (typeof name === 'string' ? ` ${quotedName(name)}` : '');

/** What a server of the revision 2026-07-28 has to say of a result, and some do not. Earlier revisions ignore it. */
const COMPLETE = { resultType: 'complete' } as const;

/** A list, or what servers send in its place: one part alone, or null for none. */
const listOf = (parts: unknown): readonly unknown[] =>
  Array.isArray(parts) ? parts : [parts].filter((part) => part !== undefined && part !== null);

/** Whether a structured part is none: null, or an empty object of PHP, which is written as a list. */
const isNothing = (part: unknown): boolean =>
  part === undefined || part === null || (Array.isArray(part) && part.length === 0);

/** Removes malformed fields of a tool result for which the MCP client would reject all of it. */
function readCallResult(
  {
    toolResult,
    content = toolResult,
    structuredContent: part,
    is_error,
    isError = is_error,
    ...rest
  }: JsonObject,
  note: Note,
): JsonObject {
  const result: Record<string, unknown> = {
    ...rest,
    isError,
    ...(isObject(part) && { structuredContent: part }),
  };
  const blocks = listOf(content).map((block, index) => readBlock(block, index, note));
  if (!isObject(part) && !isNothing(part)) {
    const what = 'The structured part of the answer is malformed and was left out.';
    // Revision 2026-07-28 allows any JSON, which is read as a text where it is all there is.
    blocks.push({ type: 'text', text: blocks.length === 0 ? JSON.stringify(part) : `[${what}]` });
    if (blocks.length > 1) note(what);
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

/** A tool of `tools/list`; a schema that is missing or not of an object does not cost the tool, nor the whole list before revision 2026-07-28. */
function readTool(tool: unknown, label: string, note: Note): unknown {
  if (!isObject(tool)) return readPart(specTypeSchemas.Tool, tool, label, note, 'tools');
  if (typeof tool.name === 'string' && !isToolName(tool.name)) {
    note(
      `${label} was left out: names of tools have letters, digits and _ - . / only, at most 128 characters.`,
      'tools',
    );
    return null;
  }
  // Other names are those of providers of models.
  const { inputSchema = tool.input_schema ?? tool.parameters } = tool;
  if (!isObject(inputSchema) || inputSchema.type !== 'object')
    note(`${label} was repaired: its inputSchema is not the schema of an object.`);
  const { outputSchema, ...rest } = tool;
  const isOutput = isObject(outputSchema) && outputSchema.type === 'object';
  if (outputSchema !== undefined && !isOutput)
    note(`${label} was repaired: its outputSchema is not the schema of an object.`);
  const repaired = { ...rest, inputSchema: argumentsSchema(inputSchema), ...(isOutput && { outputSchema }) };
  return readPart(specTypeSchemas.Tool, repaired, label, note, 'tools');
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

/** A message of a prompt; some servers write a list of blocks, which are messages of their own. */
function readMessage(part: unknown, index: number, note: Note): unknown {
  const { role, content } = isObject(part) ? part : { role: 'user', content: part };
  // A role that MCP does not have, such as that of the system, is not taken for another one.
  const isFine = role === 'user' || role === 'assistant';
  return [isFine ? content : undefined]
    .flat()
    .map((block: unknown) => ({ role: isFine ? role : 'user', content: readBlock(block, index, note) }));
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
    if (!(field in result)) continue;
    fixed[field] = listOf(result[field]).flatMap((entry, index) => {
      const name = isObject(entry) ? named(entry.name) : '';
      return read(entry, `${what}${name || ` ${index + 1}`}`, note) ?? [];
    });
  }
  for (const [field, read] of Object.entries(PARTS))
    if (field in result)
      fixed[field] = listOf(result[field]).flatMap((part, index) => read(part, index, note));
  if (Object.keys(fixed).length === 0) return result;
  const { nextCursor, ttlMs, cacheScope, ...rest } = withoutNulls(result);
  return {
    ...COMPLETE,
    ...rest,
    ...fixed,
    // Null means the end of the list. An empty text is a cursor (MCP 2026-07-28, "Pagination"), and the end for many older servers: it is asked for.
    ...(typeof nextCursor === 'string' && { nextCursor }),
    ttlMs: Number.isSafeInteger(ttlMs) ? Math.max(Number(ttlMs), UNCACHED.ttlMs) : UNCACHED.ttlMs,
    cacheScope: cacheScope === 'public' ? cacheScope : UNCACHED.cacheScope,
  };
}

/** What a server may offer beside tools. */
const OFFERS = ['resources', 'prompts', 'completions'];

/**
 * Capabilities, with `true` and lists as some servers write them (PHP writes an empty object as a list). A server that names nothing that it
 * offers is asked for tools.
 */
function capabilitiesOf(given: unknown): JsonObject {
  const entries = Object.entries(isObject(given) ? given : {}).filter(([, value]) => value !== null);
  const named = Object.fromEntries(
    entries.map(([name, value]) => [name, value === true || Array.isArray(value) ? {} : value]),
  );
  return ['tools', ...OFFERS].some((name) => name in named) ? named : { tools: {}, ...named };
}

/** The response to `initialize`. A server that names a revision that no client knows is asked as one of the newest with a handshake. */
function readHandshake(result: JsonObject, note: Note): unknown {
  const { serverInfo, protocolVersion } = result;
  const isKnown = SUPPORTED_PROTOCOL_VERSIONS.includes(String(protocolVersion));
  if (!isKnown)
    note(
      `The server names ${quotedName(String(protocolVersion))} as the revision of MCP, which is not known.`,
    );
  const info = isObject(serverInfo) ? serverInfo : {};
  const textOr = (value: unknown): string => (typeof value === 'string' ? value : '');
  const known = {
    ...result,
    ...(!isKnown && { protocolVersion: LATEST_PROTOCOL_VERSION }),
    capabilities: capabilitiesOf(result.capabilities),
    serverInfo: { ...info, name: textOr(info.name), version: textOr(info.version) },
  };
  for (const field of ['name', 'version'] as const)
    if (typeof info[field] !== 'string') note(`The server does not say its ${field} (serverInfo.${field}).`);
  return readPart(specTypeSchemas.InitializeResult, known, 'The handshake', note) ?? result;
}

/** The response to `server/discover`. */
const readDiscovery = (result: JsonObject, note: Note): unknown => {
  const known = { ...result, capabilities: capabilitiesOf(result.capabilities) };
  return readPart(specTypeSchemas.DiscoverResult, known, 'The handshake', note) ?? result;
};

/** The requests that a result of revision 2026-07-28 waits for, each as in a message of its own. */
function withRepairedInputs(result: JsonObject): JsonObject {
  if (!isObject(result.inputRequests)) return result;
  const entries = Object.entries(result.inputRequests).map(([name, request]): [string, unknown] => [
    name,
    isObject(request) ? { ...request, params: repairParams(request.method, request.params) } : request,
  ]);
  return { ...result, inputRequests: Object.fromEntries(entries) };
}

/** The fields of a tool result: one of them is there. Revision 2024-10-07 had `toolResult`. */
const CALL_FIELDS = ['content', 'structuredContent', 'toolResult'];

const NO_SUGGESTIONS = { completion: { values: [] } };

/** Repairs a result by its shape: a tool result, a list, the parts of a resource or prompt, or a handshake. */
export function repairResult(result: unknown, note: Note = () => undefined): unknown {
  if (!isObject(result)) return result;
  if (CALL_FIELDS.some((field) => field in result)) return readCallResult(result, note);
  if ('protocolVersion' in result || 'serverInfo' in result) return readHandshake(result, note);
  if (Array.isArray(result.supportedVersions)) return readDiscovery(result, note);
  if ('completion' in result)
    return (
      readPart(specTypeSchemas.CompleteResult, result, 'The list of suggestions', note) ?? NO_SUGGESTIONS
    );
  return readLists(withRepairedInputs(result), note);
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
    if ('params' in message) {
      const { method } = message as { method?: unknown };
      message.params = clean(repairParams(method, message.params));
    }
  };
