import { notModified } from './send.ts';

/** The headers of an answer and of a 304 in its place, as Node takes them fastest: name after value. */
export type FlatHeaders = Readonly<Record<200 | 304, readonly string[]>>;

/** @param extra those that both have */
export const flattenHeaders = (
  headers: Readonly<Record<string, string>>,
  byteLength: number,
  extra: Readonly<Record<string, string>>,
): FlatHeaders => ({
  200: Object.entries({ ...headers, 'Content-Length': String(byteLength), ...extra }).flat(),
  304: Object.entries({ ...notModified({ ...headers }), ...extra }).flat(),
});
