import type { z } from 'zod';
import { ApiError } from './api-error.ts';

/** Encodes the end of a page as a cursor, which is opaque to clients. */
export const writeCursor = (position: readonly unknown[]): string =>
  Buffer.from(JSON.stringify(position)).toString('base64url');

const REFUSAL = {
  message: 'This cursor is not valid: start again without it.',
  advice: 'Use nextCursor of the previous page.',
};

/**
 * Decodes a cursor of `writeCursor`. Every invalid cursor gets the same refusal.
 * @param refusal the message of the error, and the advice in its issue
 * @throws ApiError invalid_request for an invalid cursor
 */
export function readCursor<T>(shape: z.ZodType<T>, cursor: string, refusal = REFUSAL): T {
  try {
    return shape.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
  } catch {
    // A cursor that cannot be decoded and one for another order get the same refusal.
  }
  throw new ApiError('invalid_request', refusal.message, {
    issues: [{ code: 'cursor', level: 'error', path: '/cursor', message: refusal.advice }],
  });
}
