const startsWith = (bytes: Uint8Array, magic: readonly number[], offset = 0): boolean =>
  magic.every((byte, i) => bytes[offset + i] === byte);

const RIFF = [0x52, 0x49, 0x46, 0x46];
const WEBP = [0x57, 0x45, 0x42, 0x50];
const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const JPEG = [0xff, 0xd8, 0xff];

/** The root of an SVG, under any prefix. The checks have parsed the document by now; here only its kind is told. */
const SVG_ROOT = /<(?:[\w.-]+:)?svg[\s/>]/;

/**
 * The media type that the bytes show, whatever the name says, of the kinds a listing may carry; null for any other.
 * It decides only what `Content-Type` to serve: whether the picture is harmless is for the checks and for the CSP.
 */
export function imageTypeOf(bytes: Uint8Array): string | null {
  if (startsWith(bytes, PNG)) return 'image/png';
  if (startsWith(bytes, JPEG)) return 'image/jpeg';
  if (startsWith(bytes, RIFF) && startsWith(bytes, WEBP, 8)) return 'image/webp';
  const text = new TextDecoder().decode(bytes);
  return /^\s*</.test(text) && SVG_ROOT.test(text) ? 'image/svg+xml' : null;
}
