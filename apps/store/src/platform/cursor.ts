import type { z } from 'zod';
import { ApiError } from './api-error.ts';

/** Where a page ends, as a text that means nothing to clients. */
export const writeCursor = (position: readonly unknown[]): string =>
  Buffer.from(JSON.stringify(position)).toString('base64url');

/**
 * Reads what `writeCursor` wrote. Whatever is wrong with a cursor, the answer is the same.
 * @param refusal what the client is told, and what it may do
 * @throws ApiError invalid_request for a cursor that no page gave
 */
export function readCursor<T>(
  shape: z.ZodType<T>,
  cursor: string,
  refusal: { message: string; advice: string },
): T {
  try {
    return shape.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
  } catch {
    // A cursor that cannot be read and one for another order get the same answer.
  }
  throw new ApiError('invalid_request', refusal.message, {
    issues: [{ code: 'cursor', level: 'error', path: '/cursor', message: refusal.advice }],
  });
}
