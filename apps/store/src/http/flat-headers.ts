import { notModified } from './send.ts';

/** The headers of a response and of a 304 in its place, as a flat list of names and values, which Node writes fastest. */
export type FlatHeaders = Readonly<Record<200 | 304, readonly string[]>>;

/** Flattens the headers of a response. @param extra headers of both the response and the 304 */
export const flattenHeaders = (
  headers: Readonly<Record<string, string>>,
  byteLength: number,
  extra: Readonly<Record<string, string>>,
): FlatHeaders => ({
  200: Object.entries({ ...headers, 'Content-Length': String(byteLength), ...extra }).flat(),
  304: Object.entries({ ...notModified({ ...headers }), ...extra }).flat(),
});
