import { kindOf } from '@svc/validator';

/** The root of an SVG, with any prefix. The checks have already parsed the document; this only determines its type. */
const SVG_ROOT = /<(?:[\w.-]+:)?svg[\s/>]/;

/**
 * Determines the media type of an image by its bytes, regardless of its name; null for types that a listing cannot have. It only decides
 * the `Content-Type`: the checks and the CSP make the picture harmless.
 */
export function imageTypeOf(bytes: Uint8Array): string | null {
  const { format } = kindOf(bytes);
  if (format === 'other') return null;
  if (format !== 'markup') return `image/${format}`;
  const text = new TextDecoder().decode(bytes);
  return /^\s*</.test(text) && SVG_ROOT.test(text) ? 'image/svg+xml' : null;
}
