import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** Content codings of responses (RFC 9110 section 8.4.1), the smallest result first. */
const COMPRESSED = ['br', 'gzip'] as const;

type Encoding = (typeof COMPRESSED)[number] | 'identity';

/** Qualities of brotli: one that takes a few milliseconds, for pages that are rendered again every few seconds; and one that saves another 5 %, for files that are encoded once. */
const BROTLI_QUALITY = { page: 5, file: 10 } as const;

type Kind = keyof typeof BROTLI_QUALITY;

const ELEMENT = /^\s*([^\s;]+)\s*(?:;\s*q=([01](?:\.\d{0,3})?)\s*)?$/i;

/** The weight of each coding for a client, by its name in lower case. Malformed elements are ignored. */
function weightsOf(acceptEncoding: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const element of acceptEncoding.split(',')) {
    const [, coding, weight = '1'] = ELEMENT.exec(element) ?? [];
    if (coding !== undefined) weights.set(coding.toLowerCase(), Number(weight));
  }
  return weights;
}

/**
 * Chooses the content coding that a client prefers (RFC 9110 section 12.5.3). A client that accepts none of ours gets the uncompressed
 * form, which the section allows and every client can read.
 */
export function encodingFor(acceptEncoding: string | undefined): Encoding {
  if (acceptEncoding === undefined) return 'identity';
  const known = chosen.get(acceptEncoding);
  if (known) return known;
  const encoding = choose(acceptEncoding);
  if (chosen.size < MAX_CHOSEN) chosen.set(acceptEncoding, encoding);
  return encoding;
}

/** Caches the choice by header value: most clients send the same few. */
const chosen = new Map<string, Encoding>();
const MAX_CHOSEN = 100;

function choose(acceptEncoding: string): Encoding {
  const weights = weightsOf(acceptEncoding);
  const weightOf = (coding: string) => weights.get(coding) ?? weights.get('*') ?? 0;
  let best: Encoding = 'identity';
  let maxWeight = weights.get('identity') ?? 0;
  for (const coding of COMPRESSED) {
    const weight = weightOf(coding);
    if (weight > maxWeight || (weight > 0 && weight === maxWeight && best === 'identity'))
      [best, maxWeight] = [coding, weight];
  }
  return best;
}

const brotli = promisify(brotliCompress);
const gzipAsync = promisify(gzip);

/** Encodes bytes in another thread. */
export async function encode(body: Uint8Array, encoding: Encoding, kind: Kind = 'page'): Promise<Uint8Array> {
  if (encoding === 'identity') return body;
  if (encoding === 'gzip') return gzipAsync(body);
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY[kind],
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_SIZE_HINT]: body.byteLength,
  };
  return brotli(body, { params });
}

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
 * @param kind a file never changes
 */
export function encodePage(body: Uint8Array, headers: Record<string, string>, kind: Kind = 'page') {
  const etag = etagOf(body);
  const pages = new Map<Encoding, Promise<ReadyPage>>();
  const ready = new Map<Encoding, ReadyPage>();

  async function make(encoding: Encoding): Promise<ReadyPage> {
    const page = {
      body: await encode(body, encoding, kind),
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
