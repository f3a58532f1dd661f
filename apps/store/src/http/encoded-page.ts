import { createHash } from 'node:crypto';
import { type Encoding, encode } from './encoding.ts';

/** A strong entity tag (RFC 9110 section 8.8.3) over the bytes. */
export const etagOf = (body: Uint8Array): string =>
  `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;

/** A response that is ready to send. */
export type ReadyPage = { body: Uint8Array; headers: Record<string, string> & { ETag: string } };

/** Factor for the text and two compressed forms, each less than half its size. */
const BYTES_WITH_ALL_FORMS = 2;

/** A strong entity tag differs between content codings (RFC 9110 section 8.8.3.3). */
const tagOfForm = (etag: string, encoding: Encoding): string =>
  encoding === 'identity' ? etag : etag.replace(/"$/, `-${encoding}"`);

/**
 * Creates a response that each client receives in its preferred content coding.
 * @param headers the headers of all forms
 */
export function encodePage(body: Uint8Array, headers: Record<string, string>) {
  const etag = etagOf(body);
  const pages = new Map<Encoding, Promise<ReadyPage>>();
  const ready = new Map<Encoding, ReadyPage>();

  async function make(encoding: Encoding): Promise<ReadyPage> {
    const page = {
      body: await encode(body, encoding),
      headers: {
        ...headers,
        Vary: 'Accept-Encoding',
        ETag: tagOfForm(etag, encoding),
        ...(encoding !== 'identity' && { 'Content-Encoding': encoding }),
      },
    };
    ready.set(encoding, page);
    return page;
  }

  return {
    /** Its size in memory, in bytes, including compressed forms that do not exist yet. */
    bytes: BYTES_WITH_ALL_FORMS * body.byteLength,
    /** Returns the response in a coding. Concurrent requests share one compression. */
    in(encoding: Encoding): Promise<ReadyPage> {
      const page = pages.get(encoding) ?? make(encoding);
      pages.set(encoding, page);
      // After a failure the next request tries again.
      page.catch(() => pages.delete(encoding));
      return page;
    },
    /** Returns the response in a coding when that exists already; otherwise null. */
    ready: (encoding: Encoding) => ready.get(encoding) ?? null,
  };
}

/** A response in every content coding that clients accept. */
export type EncodedPage = ReturnType<typeof encodePage>;
