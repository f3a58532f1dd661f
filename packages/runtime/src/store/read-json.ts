import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { bytesOf, parseAnswer } from '../network/read-answer.ts';
import { type LenientSchema, readLeniently } from '../platform/lenient.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { TimeLimit } from '../platform/within-time.ts';

/** A body, and the hex SHA-256 of it. */
export type Body = { bytes: Uint8Array; sha256: string };

/**
 * Reads the body of a response, which is hashed while it arrives.
 * @param limit in bytes
 * @throws RuntimeError `too-large`
 */
export async function readBody(response: Response, limit: number, progress: TimeLimit): Promise<Body> {
  const hash = createHash('sha256');
  const tooLarge = () => new RuntimeError('too-large', `The store sends more than ${limit} bytes.`);
  const bytes = await bytesOf(response, limit, tooLarge, (piece) => {
    progress.extend();
    hash.update(piece);
  });
  return {
    bytes: new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    sha256: hash.digest('hex'),
  };
}

/** The error of a response that is not in the form of the API. */
export const invalidResponse = (what: string, cause?: unknown): RuntimeError =>
  new RuntimeError('store-unreachable', `The response of the store is invalid: ${what}.`, {
    cause,
    detail: { invalid: true },
  });

/** @throws RuntimeError `store-unreachable` */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return parseAnswer(new TextDecoder().decode(bytes));
  } catch (error) {
    throw invalidResponse('it is not JSON', error);
  }
}

/** Returns a strict reader, for signed values and keys: all parts have to be well formed. */
export const signedOf =
  <T>(schema: z.ZodType<T>) =>
  (value: unknown): T => {
    const { success, error } = schema.safeParse(value);
    if (!success) throw invalidResponse(`${error.issues[0]?.path.join('.') || 'it'} is missing or malformed`);
    return value as T;
  };

/** What is in the place of a missing or malformed part of a listing, which is only shown: the first value that its type allows. */
const FILLERS = [null, '', [], 0, false, {}, '1970-01-01T00:00:00.000Z', 'about:blank', 'unknown'];

/** What a listing is useless without; an app or a version without them is left out. */
const ESSENTIAL = ['apps', 'appId', 'version', 'sha256', 'signature', 'keyId', 'bundleUrl'];

/** Returns a lenient reader of a listing, which decides nothing: missing and malformed parts are filled, as stores of other versions omit or add some. */
export const listingOf =
  <T>(schema: LenientSchema) =>
  (value: unknown): T => {
    const read = readLeniently(schema, value, { fillers: FILLERS, essential: ESSENTIAL });
    if ('fault' in read) throw invalidResponse(`${read.fault || 'it'} is missing or malformed`);
    return read.value as T;
  };
