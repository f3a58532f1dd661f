import type { Context } from 'hono';
import type { z } from 'zod';
import { ApiError, brokenOff } from '../platform/api-error.ts';

/** Maximum bytes of a body that is read into memory. */
const MAX_BODY = 64 * 1024;

const escapePointer = (key: PropertyKey): string => String(key).replaceAll('~', '~0').replaceAll('/', '~1');

const TYPES: Readonly<Record<string, string>> = {
  string: 'a text',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  boolean: 'true or false',
  int: 'a whole number',
};

const FORMATS: Readonly<Record<string, string>> = {
  url: 'an address such as https://example.com',
  email: 'an email address',
  datetime: 'a time such as 2026-01-31T12:00:00Z',
};

const UNITS: Readonly<Record<string, string>> = { string: ' characters', array: ' entries' };

/** The messages of zod itself, which speak to programmers. */
const ZODS_OWN = /^(?:Invalid|Too big|Too small|Unrecognized)\b/;

const boundWords = (origin: string, bound: string): string =>
  UNITS[origin] === undefined ? `must be at ${bound}` : `must have at ${bound}${UNITS[origin]}`;

/**
 * What is wrong with a field, to be read after its name.
 * @param about the description of the field
 */
function wordsOf(issue: z.core.$ZodIssue, about: string | undefined): string {
  const { code, message } = issue;
  if (!ZODS_OWN.test(message)) return message;
  if (code === 'unrecognized_keys') return `has unknown fields: ${issue.keys.join(', ')}`;
  if (code === 'invalid_value') return `must be ${issue.values.join(' or ')}`;
  if (code === 'too_small') return boundWords(issue.origin, `least ${issue.minimum}`);
  if (code === 'too_big') return boundWords(issue.origin, `most ${issue.maximum}`);
  if (code === 'invalid_type') {
    if (message.endsWith('received undefined')) return 'is required';
    return `must be ${TYPES[issue.expected] ?? `a ${issue.expected}`}`;
  }
  const format = code === 'invalid_format' ? FORMATS[issue.format] : undefined;
  if (about === undefined && format !== undefined) return `must be ${format}`;
  return about === undefined ? 'is not valid' : `is not valid: ${about.replace(/\.$/, '')}`;
}

/** The schema of a field, without what makes it optional. */
function fieldAt(schema: unknown, path: readonly PropertyKey[]): { description?: string } | undefined {
  const { def } = schema as { def?: { type: string; innerType?: unknown; element?: unknown } };
  const [key, ...rest] = path;
  if (key === undefined) return schema as { description?: string };
  if (def?.innerType !== undefined) return fieldAt(def.innerType, path);
  if (def?.element !== undefined) return fieldAt(def.element, rest);
  const field = (schema as { shape?: Record<PropertyKey, unknown> }).shape?.[key];
  return field === undefined ? undefined : fieldAt(field, rest);
}

/**
 * Parses a part of a request with its schema.
 * @param at JSON Pointer of the part
 * @throws ApiError invalid_request with an issue for each fault
 */
export function parseOr400<S extends z.ZodType>(schema: S, value: unknown, at: string): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map((issue) => ({
    code: 'invalid_request',
    level: 'error' as const,
    path: at + issue.path.map((key) => `/${escapePointer(key)}`).join(''),
    message: wordsOf(issue, fieldAt(schema, issue.path)?.description),
  }));
  throw new ApiError('invalid_request', 'The request is malformed: see issues.', { issues });
}

const tooLarge = (max: number) => new ApiError('body_too_large', `The body must have at most ${max} bytes.`);

async function readText(c: Context, max = MAX_BODY): Promise<string> {
  if (Number(c.req.header('content-length') ?? 0) > max) throw tooLarge(max);
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    // Without cancelling it: `serve.ts` reads the rest of a refused body, so that its client gets the refusal.
    for await (const chunk of c.req.raw.body?.values({ preventCancel: true }) ?? []) {
      size += chunk.byteLength;
      if (size > max) throw tooLarge(max);
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof ApiError ? error : brokenOff();
  }
  return Buffer.concat(chunks).toString();
}

/**
 * Reads a form as a page sends it. Of repeated fields the last one applies.
 * @param max its maximum bytes; 64 KiB by default
 * @throws ApiError unsupported_media_type, body_too_large
 */
export async function parseForm(c: Context, max?: number): Promise<Record<string, string>> {
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(c.req.header('content-type') ?? '')) {
    throw new ApiError('unsupported_media_type', 'Send the body as application/x-www-form-urlencoded.');
  }
  return Object.fromEntries(new URLSearchParams(await readText(c, max)));
}

/**
 * Reads and parses a JSON body.
 * @param options.optional an empty body counts as `{}`
 * @param options.max its maximum bytes; 64 KiB by default
 * @throws ApiError unsupported_media_type, body_too_large, invalid_request
 */
export async function parseJsonBody<S extends z.ZodType>(
  c: Context,
  schema: S,
  { optional, max }: { optional: boolean; max?: number | undefined },
): Promise<z.output<S>> {
  const text = await readText(c, max);
  if (text === '' && optional) return parseOr400(schema, {}, '');
  if (!/^application\/(?:scim\+)?json\s*(;|$)/i.test(c.req.header('content-type') ?? '')) {
    throw new ApiError('unsupported_media_type', 'Send the body as application/json.');
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ApiError('invalid_request', 'The body is not JSON.');
  }
  return parseOr400(schema, value, '');
}
