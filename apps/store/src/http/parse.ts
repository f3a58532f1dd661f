import type { Context } from 'hono';
import type { z } from 'zod';
import { ApiError, brokenOff } from '../platform/api-error.ts';

/** Maximum bytes of a body that is read into memory. */
const MAX_BODY = 64 * 1024;

const escapePointer = (key: PropertyKey): string => String(key).replaceAll('~', '~0').replaceAll('/', '~1');

/**
 * Parses a part of a request with its schema.
 * @param at JSON Pointer of the part
 * @throws ApiError invalid_request with an issue for each fault
 */
export function parseOr400<S extends z.ZodType>(schema: S, value: unknown, at: string): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, message }) => ({
    code: 'invalid_request',
    level: 'error' as const,
    path: at + path.map((key) => `/${escapePointer(key)}`).join(''),
    message,
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
 * @throws ApiError unsupported_media_type, body_too_large
 */
export async function parseForm(c: Context): Promise<Record<string, string>> {
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(c.req.header('content-type') ?? '')) {
    throw new ApiError('unsupported_media_type', 'Send the body as application/x-www-form-urlencoded.');
  }
  return Object.fromEntries(new URLSearchParams(await readText(c)));
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
