import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** Forms in which an answer is sent (RFC 9110 section 8.4.1), the smallest first. */
const COMPRESSED = ['br', 'gzip'] as const;

export type Encoding = (typeof COMPRESSED)[number] | 'identity';

/** Compresses as well as takes a few milliseconds: pages are made again every few seconds. */
const BROTLI_QUALITY = 5;

const ELEMENT = /^\s*([^\s;]+)\s*(?:;\s*q=([01](?:\.\d{0,3})?)\s*)?$/i;

/** How much a client wants each coding, by its name in small letters; what cannot be read is left out. */
function weightsOf(acceptEncoding: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const element of acceptEncoding.split(',')) {
    const [, coding, weight = '1'] = ELEMENT.exec(element) ?? [];
    if (coding !== undefined) weights.set(coding.toLowerCase(), Number(weight));
  }
  return weights;
}

/**
 * The form that a client wants most (RFC 9110 section 12.5.3). A client that accepts none of ours gets the plain one, which the
 * section allows and which everybody can read.
 */
export function encodingFor(acceptEncoding: string | undefined): Encoding {
  if (acceptEncoding === undefined) return 'identity';
  const known = chosen.get(acceptEncoding);
  if (known) return known;
  const encoding = choose(acceptEncoding);
  if (chosen.size < MAX_CHOSEN) chosen.set(acceptEncoding, encoding);
  return encoding;
}

/** What most clients say, who say the same each time. */
const chosen = new Map<string, Encoding>();
const MAX_CHOSEN = 100;

function choose(acceptEncoding: string): Encoding {
  const weights = weightsOf(acceptEncoding);
  const weightOf = (coding: string) => weights.get(coding) ?? weights.get('*') ?? 0;
  let best: Encoding = 'identity';
  let most = weights.get('identity') ?? 0;
  for (const coding of COMPRESSED) {
    const weight = weightOf(coding);
    if (weight > most || (weight > 0 && weight === most && best === 'identity'))
      [best, most] = [coding, weight];
  }
  return best;
}

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

/** The bytes in a form, made in another thread. */
export async function encode(body: Uint8Array, encoding: Encoding): Promise<Uint8Array> {
  if (encoding === 'identity') return body;
  if (encoding === 'gzip') return zip(body);
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_SIZE_HINT]: body.byteLength,
  };
  return brotli(body, { params });
}
