/** What a file starts like: a format that is read on, text that might be an SVG, or anything else; `what` completes "is …". */
export type Kind =
  | { readonly format: 'png' | 'jpeg' | 'webp' }
  | { readonly format: 'markup' | 'other'; readonly what: string };

/** Bytes looked at: enough for every signature and for an opinion of a text. */
const LOOKED_AT = 512;

/** What people put in the place of a picture, by its first bytes; `?` stands for any byte. */
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
  ['????ftyp', 'a film'],
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
  ['PK\x03\x04', 'a zip, or a document packed as one'],
  ['version https://git-lfs', 'a pointer of Git LFS instead of the file'],
  // What the signature of PNG was made to show (PNG, 5.2), and U+FFFD for every byte that is no UTF-8.
  ['?PNG', 'a PNG that was damaged by being copied as text'],
  ['\xef\xbf\xbdPNG', 'a PNG that was damaged by being copied as text'],
  ['\xef\xbf\xbd\xef\xbf\xbd', 'a file that was damaged by being copied as text'],
  ['\xff\xfe', 'text in UTF-16'],
  ['\xfe\xff', 'text in UTF-16'],
];

/** A comment ends at its first `-->`: were it to run on over others, matching would take exponential time. */
const HTML = /^(?:<!--(?:(?!-->).)*-->\s*)*<(?:!doctype html|html|head|body|script|iframe)\b/is;

/** Tells from its first bytes, never from its name, what a file wants to be taken for. Never throws. */
export function kindOf(bytes: Uint8Array): Kind {
  const start = bytes.subarray(0, LOOKED_AT);
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
  return { format: 'other', what: isText(start) ? 'plain text' : 'of no kind that is known here' };
}

/** Whether bytes are UTF-8, which may break off in the middle of a character, and hold no control but white space. */
function isText(bytes: Uint8Array): boolean {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return !/[^\P{Cc}\t\n\f\r]/u.test(text);
  } catch {
    return false;
  }
}
