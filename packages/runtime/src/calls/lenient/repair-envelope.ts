import { isObject } from '@svc/contracts/is-object';

type JsonObject = Readonly<Record<string, unknown>>;

export type RequestId = string | number;

/** The ids of the requests that wait, which few messages need. */
type Waiting = () => readonly RequestId[];

/** The error of a request whose connection closed before its response (JSON-RPC 2.0 section 5.1, implementation-defined). */
export const CUT_OFF = { code: -32_000, message: 'svc: the connection closed before the response' } as const;
/** The same for a stream that this client ended, because it was too large. */
export const TOO_LARGE = { code: -32_000, message: 'svc: the response was too large' } as const;

/** `_meta` without null fields; undefined when it is not an object. */
function metaOf(meta: unknown): JsonObject | undefined {
  if (!isObject(meta)) return undefined;
  const entries = Object.entries(meta).filter(([, value]) => value !== null);
  return entries.length === Object.keys(meta).length ? meta : Object.fromEntries(entries);
}

/** Params or a result with a readable `_meta`; the same object when there is nothing to repair. Any other value is the content of a tool. */
function bodyOf(body: unknown): JsonObject {
  if (body === null) return {};
  if (!isObject(body)) return { content: Array.isArray(body) ? body : String(body) };
  const meta = metaOf(body._meta);
  if (meta === body._meta) return body;
  const { _meta, ...rest } = body;
  return meta ? { ...rest, _meta: meta } : rest;
}

const wordsOf = (value: unknown): string => {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? 'The server gives no reason.' : JSON.stringify(value);
};

function errorOf(error: unknown): JsonObject {
  if (!isObject(error)) return { code: CUT_OFF.code, message: wordsOf(error) };
  const { code, message, data } = error;
  const isFine = Number.isSafeInteger(code) && typeof message === 'string';
  if (isFine) return error;
  const words = message ?? error.detail ?? error.description ?? (isObject(data) ? data.message : data);
  return {
    code: Number.isSafeInteger(code) ? code : CUT_OFF.code,
    message: wordsOf(words),
    ...(data !== undefined && { data }),
  };
}

const isId = (id: unknown): id is RequestId => typeof id === 'string' || Number.isInteger(id);

const isSameKeys = (message: JsonObject, fixed: JsonObject): boolean =>
  Object.keys(message).length === Object.keys(fixed).length &&
  Object.entries(fixed).every(([key, value]) => message[key] === value);

/** The id of the only request that waits. */
function onlyOf([only, ...others]: readonly RequestId[]): RequestId | undefined {
  return others.length === 0 ? only : undefined;
}

function fixedResponse({ id: given, error, result }: JsonObject, waiting: Waiting): JsonObject | null {
  // A response without an id, such as one to a request that could not be parsed, belongs to the only request.
  const id = isId(given) ? given : onlyOf(waiting());
  if (id === undefined) return null;
  const isError = error !== undefined && error !== null;
  return { jsonrpc: '2.0', id, ...(isError ? { error: errorOf(error) } : { result: bodyOf(result) }) };
}

function fixedEnvelope(message: JsonObject, waiting: Waiting): JsonObject | null {
  const { method, params, id, error } = message;
  if ('result' in message || (error !== undefined && error !== null)) return fixedResponse(message, waiting);
  if (typeof method !== 'string') return null;
  const hasParams = params !== undefined && params !== null;
  return { jsonrpc: '2.0', ...(isId(id) && { id }), method, ...(hasParams && { params: bodyOf(params) }) };
}

/**
 * Repairs the envelope of a JSON-RPC message, for which the MCP client would drop all of it: `_meta: null`, `error: null` beside a
 * result, additional fields, an error without code or message, no `jsonrpc`.
 * @param waiting ids of the requests that the message may answer
 * @returns the same object when there is nothing to repair, or when it is no message
 */
export function repairEnvelope(message: unknown, waiting: Waiting): unknown {
  if (!isObject(message)) return message;
  const fixed = fixedEnvelope(message, waiting);
  return fixed === null || isSameKeys(message, fixed) ? message : fixed;
}
