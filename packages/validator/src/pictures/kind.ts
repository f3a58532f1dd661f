/** Format of a file by its first bytes: a supported format, text that may be an SVG, or another one; `what` completes "is …". */
export type Kind =
  | { readonly format: 'png' | 'jpeg' | 'webp' }
  | { readonly format: 'markup' | 'other'; readonly what: string };

/** Number of bytes to check: enough for every signature, and to recognise text. */
const SNIFF_BYTES = 512;

/** Common formats that are not accepted, by their first bytes; `?` matches any byte. */
const KNOWN: readonly (readonly [start: string, what: string])[] = [
  ['GIF87a', 'a GIF'],
  ['GIF89a', 'a GIF'],
  ['BM????\0\0\0\0', 'a BMP'],
  ['????ftypavif', 'an AVIF'],
  ['????ftypavis', 'an AVIF'],
  ['????ftyphei', 'a HEIC'],
  ['????ftyphev', 'a HEIC'],
  ['????ftypmif1', 'a HEIC or an AVIF'],
  ['????ftypmsf1', 'a HEIC or an AVIF'],
  ['????ftyp', 'a video'],
  ['II*\0', 'a TIFF or a raw photo'],
  ['MM\0*', 'a TIFF or a raw photo'],
  ['\xff\x0a', 'a JPEG XL'],
  ['\0\0\0\x0cJXL ', 'a JPEG XL'],
  ['\xff\x4f\xff\x51', 'a JPEG 2000'],
  ['\0\0\0\x0cjP  ', 'a JPEG 2000'],
  ['\0\0\x01\0', 'an ICO'],
  ['8BPS', 'a Photoshop document'],
  ['%PDF-', 'a PDF'],
  ['%!PS', 'a PostScript document'],
  ['\x1f\x8b', 'compressed with gzip, like an SVGZ'],
  ['PK\x03\x04', 'a zip, or a document in a zip'],
  ['version https://git-lfs', 'a Git LFS pointer instead of the file'],
  // Damage that the signature of PNG is designed to detect (PNG, 5.2), and U+FFFD for bytes that are not UTF-8.
  ['?PNG', 'a PNG that was damaged by being copied as text'],
  ['\xef\xbf\xbdPNG', 'a PNG that was damaged by being copied as text'],
  ['\xef\xbf\xbd\xef\xbf\xbd', 'a file that was damaged by being copied as text'],
  ['\xff\xfe', 'text in UTF-16'],
  ['\xfe\xff', 'text in UTF-16'],
];

/** A comment ends at its first `-->`: otherwise matching would take exponential time. */
const HTML = /^(?:<!--(?:(?!-->).)*-->\s*)*<(?:!doctype html|html|head|body|script|iframe)\b/is;

/** Detects the format of a file by its first bytes, never by its name. Never throws. */
export function kindOf(bytes: Uint8Array): Kind {
  const start = bytes.subarray(0, SNIFF_BYTES);
  const latin = String.fromCharCode(...start);
  if (fits(latin, '\x89PNG\r\n\x1a\n')) return { format: 'png' };
  if (fits(latin, '\xff\xd8\xff')) return { format: 'jpeg' };
  if (fits(latin, 'RIFF????WEBP')) return { format: 'webp' };
  const [, what] = KNOWN.find(([pattern]) => fits(latin, pattern)) ?? [];
  return what === undefined ? textKind(start, latin) : { format: 'other', what };
}

function fits(text: string, pattern: string): boolean {
  return [...pattern].every((character, at) =>
    character === '?' ? at < text.length : character === text[at],
  );
}

function textKind(start: Uint8Array, latin: string): Kind {
  const text = latin.replace(/^\xef\xbb\xbf/, '').trimStart();
  if (start.length === 0) return { format: 'other', what: 'empty' };
  if (HTML.test(text)) return { format: 'other', what: 'an HTML page' };
  if (text.startsWith('<'))
    return { format: 'markup', what: /<svg\b/i.test(text) ? 'an SVG' : 'XML or HTML' };
  return { format: 'other', what: isText(start) ? 'plain text' : 'of an unknown format' };
}

/** Whether bytes are UTF-8, possibly cut off inside a character, without control characters except white space. */
function isText(bytes: Uint8Array): boolean {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return !/[^\P{Cc}\t\n\f\r]/u.test(text);
  } catch {
    return false;
  }
}
