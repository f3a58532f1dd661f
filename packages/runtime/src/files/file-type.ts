import { isUtf8 } from 'node:buffer';
import { fileTypeFromBuffer, supportedMimeTypes } from 'file-type';
import { endingOf, hasEnding, typesOfName, usualName } from './type-names.ts';

/** How many bytes are read to detect the type: a cover image may precede the audio. */
const HEAD_BYTES = 4 * 1024 * 1024;
/** How many bytes of a file that is not UTF-8 are searched for bytes that do not occur in text. */
const TEXT_HEAD_BYTES = 64 * 1024;

const UNKNOWN = 'application/octet-stream';
const TEXT = 'text/plain';

/** The type of a file, and other types that it matches. */
export type FileType = {
  type: string;
  /** The canonical names of its type, and of types with the same signature. */
  types: ReadonlySet<string>;
  /** Whether the type was detected from the content, and not only from the name. */
  isFromBytes: boolean;
};

/** Formats in the container of old Office files (CFB). Only the file name distinguishes them. */
const COMPOUND = new Set(
  [
    'application/msword',
    'application/vnd.ms-excel',
    'application/vnd.ms-powerpoint',
    'application/vnd.ms-project',
    'application/vnd.ms-works',
    'application/x-mspublisher',
    'application/vnd.ms-outlook',
    'application/vnd.visio',
  ].map(usualName),
);

/** Text types that are detected only when the text begins in a certain way: for other texts the name decides. */
const DETECTED_TEXTS = new Set(['application/xml', 'text/calendar', 'text/vcard', 'text/vtt', 'model/stl']);

/** Types that are always detected from the content: a name alone is not enough for them. */
const DETECTED = new Set([...supportedMimeTypes].map(usualName).filter((type) => !DETECTED_TEXTS.has(type)))
  .union(COMPOUND)
  .add('image/svg+xml')
  .add('application/postscript');

/** Formats that can be plain text. */
const PLAIN_FORMATS = new Set([
  ...['application/pdf', 'application/rtf', 'application/postscript', 'application/eps'],
  ...['application/pgp-encrypted', 'application/x-ms-regedit', 'application/x-unix-archive'],
]);

/** ZIP-based formats that are recognized by an entry, for archives whose first entries do not show the type. */
const ZIPPED: readonly (readonly [ending: string, entry: string, type: string])[] = [
  ['docx', 'word/', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['xlsx', 'xl/', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  ['pptx', 'ppt/', 'application/vnd.openxmlformats-officedocument.presentationml.presentation'],
];

const fileTypeFrom = (type: string, others: readonly string[] = [], isFromBytes = true): FileType => ({
  type,
  types: new Set([type, ...others].map(usualName)),
  isFromBytes,
});

/** Whether a type is textual, so that binary content cannot be of it. */
const isTextual = (type: string): boolean =>
  /^(?:text|message)\/|[+/](?:json|xml|yaml|toml|sql|x-ndjson|x-sh|x-httpd-php|x-tex|x-latex|x-subrip|graphql)$/.test(
    type,
  );

/** The control characters of text: tab, line feed, form feed, carriage return and escape. */
const TEXT_CONTROLS = new Set([0x09, 0x0a, 0x0c, 0x0d, 0x1b]);

/** Whether there are bytes that do not occur in text (MIME Sniffing, section 3, "binary data byte"). */
const hasBinary = (buffer: Buffer): boolean =>
  buffer.subarray(0, TEXT_HEAD_BYTES).some((byte) => byte < 0x20 && !TEXT_CONTROLS.has(byte));

/** UTF-16 with its byte order mark (Unicode, section 23.8), as text; null for anything else. */
function utf16Of(buffer: Buffer): string | null {
  const [first, second] = buffer;
  const label =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : null;
  if (label === null) return null;
  try {
    const text = new TextDecoder(label, { fatal: true }).decode(buffer);
    return hasBinary(Buffer.from(text.slice(0, TEXT_HEAD_BYTES))) ? null : text;
  } catch {
    return null;
  }
}

/** Whether a file is text without a byte order mark of UTF-16: UTF-8, or another encoding without binary bytes. */
const isText = (buffer: Buffer): boolean => !buffer.includes(0) && (isUtf8(buffer) || !hasBinary(buffer));

/** A PDF after blank lines, as some servers send it; readers search the first 1,024 bytes (ISO 32000-1, annex H, 3.4.1). */
const isLatePdf = (buffer: Buffer): boolean => /^\s+%PDF-\d/.test(buffer.toString('latin1', 0, 1_024));

/** The type by signature. A text that happens to begin like a picture (such as "BM…") is still a text. */
async function magicOf(buffer: Buffer): Promise<string | null> {
  const result = await fileTypeFromBuffer(buffer.subarray(0, HEAD_BYTES)).catch(() => undefined);
  if (!result) return isLatePdf(buffer) ? 'application/pdf' : null;
  const type = usualName(result.mime);
  const isPlain = !buffer.includes(0) && isUtf8(buffer) && !hasBinary(buffer);
  return isPlain && !DETECTED_TEXTS.has(type) && !PLAIN_FORMATS.has(type) ? null : type;
}

function zipped(buffer: Buffer, name: string): FileType {
  const office = ZIPPED.find(([ending]) => ending === endingOf(name));
  if (office && buffer.includes(office[1])) return fileTypeFrom(office[2], ['application/zip']);
  const named = typesOfName(name).filter(
    (type) => !DETECTED.has(type) && /\+zip$|^application\/vnd\.|^model\//.test(type),
  );
  return fileTypeFrom(named[0] ?? 'application/zip', [...named, 'application/zip']);
}

function compound(name: string): FileType {
  const named = typesOfName(name).filter((type) => COMPOUND.has(type));
  return fileTypeFrom(named[0] ?? 'application/x-cfb', [...named, 'application/x-cfb']);
}

function binary(magic: string | null, buffer: Buffer, name: string): FileType {
  if (magic === 'application/zip') return zipped(buffer, name);
  if (magic === 'application/x-cfb') return compound(name);
  if (magic !== null) return fileTypeFrom(magic);
  const named = undecidedBy(name).filter((type) => !isTextual(type));
  return fileTypeFrom(named[0] ?? UNKNOWN, named, false);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A text, with values that the type detection needs more than once. */
type Text = { text: string; start: string; json(): boolean };

function textOf(whole: string): Text {
  const text = whole.replace(/^\ufeff/, '');
  const start = text
    .slice(0, 1_024)
    .toLowerCase()
    .replace(/<!--[\s\S]*?(?:-->|$)|<\?xml[^<>]*>|<!doctype svg[^<>]*>|\ufeff/g, '')
    .trimStart();
  let json: boolean | null = null;
  return {
    text,
    start,
    json() {
      json ??= isJson(text);
      return json;
    },
  };
}

const firstLine = (text: string): string => text.trimStart().split('\n', 1)[0] ?? '';

/** A file of exactly one known type. */
export const onlyType = (type: string): FileType => fileTypeFrom(type);

/** The types of a name that the content does not decide. If it decides one of them, the others are aliases of it, except text types. */
function undecidedBy(name: string): string[] {
  const types = typesOfName(name);
  const isDetected = types.some((type) => DETECTED.has(type));
  return types.filter((type) => !DETECTED.has(type) && (!isDetected || isTextual(type)));
}

/** Whether a text can be of the type of its name: JSON and XML are checked by their syntax. */
function isPlausible(type: string, { text, start, json }: Text): boolean {
  if (/[+/]json$/.test(type)) return json();
  if (type === 'application/x-ndjson') return isJson(firstLine(text));
  return !/[+/]xml$/.test(type) || start.startsWith('<') || /^\s*<\?xml/.test(text);
}

/** Tags that HTML pages begin with (MIME Sniffing, section 7.1). */
const FRAGMENT = /^<(?:head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p)[\s>]/;

/** The type of a text without a known file extension. */
function unnamed({ text, start, json }: Text): string {
  if (/^\s*[[{]/.test(text) && json()) return 'application/json';
  return FRAGMENT.test(start) ? 'text/html' : TEXT;
}

function textType(whole: string, name: string, magic: string | null): FileType {
  const text = textOf(whole);
  const named = undecidedBy(name).filter((type) => isPlausible(type, text));
  if (/^<svg[\s>]/.test(text.start)) return fileTypeFrom('image/svg+xml');
  if (/^<(!doctype )?html[\s>]/.test(text.start)) {
    return fileTypeFrom(
      'text/html',
      named.filter((type) => /html/.test(type)),
    );
  }
  if (magic === 'application/xml') {
    const xml = named.filter((type) => /[+/]xml$/.test(type));
    return fileTypeFrom(xml[0] ?? magic, [...xml, magic, TEXT]);
  }
  const type = named[0] ?? magic ?? unnamed(text);
  return fileTypeFrom(
    type,
    [...named, ...(magic === null ? [] : [magic]), TEXT],
    type === 'application/json',
  );
}

/**
 * Detects the type of a file from its content. The name is used only where the content is ambiguous: between kinds of text, kinds of
 * ZIP archives, and formats without a signature. A name never overrides the content.
 */
export async function fileTypeOf(bytes: Uint8Array, name: string): Promise<FileType> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const magic = await magicOf(buffer);
  const isDetectedText = magic !== null && DETECTED_TEXTS.has(magic);
  if (magic !== null && !isDetectedText) return binary(magic, buffer, name);
  const wide = utf16Of(buffer);
  if (wide !== null) return textType(wide, name, magic);
  return isText(buffer)
    ? textType(buffer.toString(isUtf8(buffer) ? 'utf8' : 'latin1'), name, magic)
    : binary(magic, buffer, name);
}

/** The media type of a file, detected from its content; see `fileTypeOf`. */
export const typeOfFile = async (bytes: Uint8Array, name: string): Promise<string> =>
  (await fileTypeOf(bytes, name)).type;

/** Classes of types that can be accepted as a whole (`image/*`): only for types detected from the content. */
const MEDIA = /^(?:image|audio|video|font)\//;

/** A type without a file extension matches by its suffix (RFC 6838 section 4.2.8). */
function hasSuffix(wanted: string, types: ReadonlySet<string>): boolean {
  const [, suffix] = /\+(json|xml|zip|yaml)$/.exec(wanted) ?? [];
  return suffix !== undefined && !hasEnding(wanted) && types.has(`application/${suffix}`);
}

/** Kinds of text that are registered, or usual, under `text/` as well; JSON is data. */
const ALSO_TEXT = new Set([
  'application/yaml',
  'application/toml',
  'application/sql',
  'application/xml',
  'application/x-sh',
]);

function isAccepted({ type, types, isFromBytes }: FileType, accepted: string): boolean {
  const wanted = usualName(accepted);
  if (wanted === '*/*') return true;
  // Every text is also text/plain, for rules that name it; a class takes what the file is.
  if (wanted === 'text/*') return type.startsWith('text/') || ALSO_TEXT.has(type);
  if (!wanted.endsWith('/*')) return types.has(wanted) || hasSuffix(wanted, types);
  const kind = wanted.slice(0, -1);
  return [...types].some((type) => type.startsWith(kind)) && (isFromBytes || !MEDIA.test(kind));
}

/** Whether a rule accepts a file; a rule without types accepts any. Type parameters (`; charset=`) are ignored. */
export const accepts = (accept: readonly string[] | undefined, file: FileType): boolean =>
  accept === undefined || accept.some((wanted) => isAccepted(file, wanted));
