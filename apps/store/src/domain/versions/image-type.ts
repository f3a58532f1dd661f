import { kindOf } from '@svc/validator';

/** The root of an SVG, under any prefix. The checks have parsed the document by now; here only its kind is told. */
const SVG_ROOT = /<(?:[\w.-]+:)?svg[\s/>]/;

/**
 * The media type that the bytes show, whatever the name says, of the kinds a listing may carry; null for any other.
 * It decides only what `Content-Type` to serve: whether the picture is harmless is for the checks and for the CSP.
 */
export function imageTypeOf(bytes: Uint8Array): string | null {
  const { format } = kindOf(bytes);
  if (format === 'other') return null;
  if (format !== 'markup') return `image/${format}`;
  const text = new TextDecoder().decode(bytes);
  return /^\s*</.test(text) && SVG_ROOT.test(text) ? 'image/svg+xml' : null;
}
