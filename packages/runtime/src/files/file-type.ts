import { isUtf8 } from 'node:buffer';
import { fileTypeFromBuffer, supportedMimeTypes } from 'file-type';
import { endingOf, hasEnding, typesOfName, usualName } from './type-names.ts';

/** How much of a file is looked at to find its type, in bytes: a picture may stand before the first sound. */
const HEAD_BYTES = 4 * 1024 * 1024;
/** How much of what is no UTF-8 is looked at for bytes that no text has. */
const TEXT_HEAD_BYTES = 64 * 1024;

const UNKNOWN = 'application/octet-stream';
const TEXT = 'text/plain';

/** The type of a file, and what else it may be taken for. */
export type FileType = {
  type: string;
  /** Its type, under their usual names, and those that its bytes do not tell apart from it. */
  types: ReadonlySet<string>;
  /** Whether the bytes told the type, and not the name alone. */
  isFromBytes: boolean;
};

/** Formats that share the container of old Office files, and are told apart by their names. */
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

/** What is found in texts that begin in a certain way; others of the kind do not, so that a name counts too. */
const TOLD_TEXTS = new Set(['application/xml', 'text/calendar', 'text/vcard', 'text/vtt', 'model/stl']);

/** Types that bytes always tell: a file that is only named so is none. */
const TOLD = new Set([...supportedMimeTypes].map(usualName).filter((type) => !TOLD_TEXTS.has(type)))
  .union(COMPOUND)
  .add('image/svg+xml')
  .add('application/postscript');

/** Formats that may consist of plain text alone. */
const PLAIN_FORMATS = new Set([
  ...['application/pdf', 'application/rtf', 'application/postscript', 'application/eps'],
  ...['application/pgp-encrypted', 'application/x-ms-regedit', 'application/x-unix-archive'],
]);

/** Zips that are something else when a certain entry is in them, for those whose first entries do not say it. */
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

/** Whether a type is one of text, so that bytes which are none are not of it. */
const isTextual = (type: string): boolean =>
  /^(?:text|message)\/|[+/](?:json|xml|yaml|toml|sql|x-ndjson|x-sh|x-httpd-php|x-tex|x-latex|x-subrip|graphql)$/.test(
    type,
  );

/** Tab, line feed, form feed, carriage return and escape: what a text has below the space. */
const TEXT_CONTROLS = new Set([0x09, 0x0a, 0x0c, 0x0d, 0x1b]);

/** Whether there are bytes that no text has (MIME Sniffing, section 3, "binary data byte"). */
const hasBinary = (buffer: Buffer): boolean =>
  buffer.subarray(0, TEXT_HEAD_BYTES).some((byte) => byte < 0x20 && !TEXT_CONTROLS.has(byte));

/** Whether a file is a text: UTF-8, or without any byte that a text in another encoding would not have. */
const isText = (buffer: Buffer): boolean =>
  buffer.length > 0 && !buffer.includes(0) && (isUtf8(buffer) || !hasBinary(buffer));

/** What the bytes at the beginning say. A text that begins like a picture, such as one about a BMW, is still a text. */
async function magicOf(buffer: Buffer): Promise<string | null> {
  const result = await fileTypeFromBuffer(buffer.subarray(0, HEAD_BYTES)).catch(() => undefined);
  if (!result) return null;
  const type = usualName(result.mime);
  const isPlain = !buffer.includes(0) && isUtf8(buffer) && !hasBinary(buffer);
  return isPlain && !TOLD_TEXTS.has(type) && !PLAIN_FORMATS.has(type) ? null : type;
}

function zipped(buffer: Buffer, name: string): FileType {
  const office = ZIPPED.find(([ending]) => ending === endingOf(name));
  if (office && buffer.includes(office[1])) return fileTypeFrom(office[2], ['application/zip']);
  const named = typesOfName(name).filter(
    (type) => !TOLD.has(type) && /\+zip$|^application\/vnd\.|^model\//.test(type),
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

/** A text, with what finding its type asks for more than once. */
type Text = { text: string; start: string; json(): boolean };

function textOf(buffer: Buffer): Text {
  const text = buffer.toString(isUtf8(buffer) ? 'utf8' : 'latin1').replace(/^\ufeff/, '');
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

/** A file that is known to be of one type. */
export const onlyType = (type: string): FileType => fileTypeFrom(type);

/** The types of a name that its bytes do not tell. Where they tell one of these, the others are names of the same, but for texts. */
function undecidedBy(name: string): string[] {
  const types = typesOfName(name);
  const isTold = types.some((type) => TOLD.has(type));
  return types.filter((type) => !TOLD.has(type) && (!isTold || isTextual(type)));
}

/** Whether a text can be what its name says: JSON and XML tell themselves. */
function isPlausible(type: string, { text, start, json }: Text): boolean {
  if (/[+/]json$/.test(type)) return json();
  if (type === 'application/x-ndjson') return isJson(firstLine(text));
  return !/[+/]xml$/.test(type) || start.startsWith('<') || /^\s*<\?xml/.test(text);
}

/** Tags that pages begin with (MIME Sniffing, section 7.1). */
const FRAGMENT = /^<(?:head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p)[\s>]/;

/** What a text is that has no name to go by. */
function unnamed({ text, start, json }: Text): string {
  if (/^\s*[[{]/.test(text) && json()) return 'application/json';
  return FRAGMENT.test(start) ? 'text/html' : TEXT;
}

function textType(buffer: Buffer, name: string, magic: string | null): FileType {
  const text = textOf(buffer);
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
 * The type of a file by what is in it. Its name only tells apart what bytes do not: one kind of text from another, one kind of
 * zip, formats without a mark. It never makes a file what its bytes would tell.
 */
export async function fileTypeOf(bytes: Uint8Array, name: string): Promise<FileType> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const magic = await magicOf(buffer);
  const isToldText = magic !== null && TOLD_TEXTS.has(magic);
  return isText(buffer) && (magic === null || isToldText)
    ? textType(buffer, name, magic)
    : binary(magic, buffer, name);
}

/** The media type of a file by what is in it; see `fileTypeOf`. */
export const typeOfFile = async (bytes: Uint8Array, name: string): Promise<string> =>
  (await fileTypeOf(bytes, name)).type;

/** Kinds of which a whole class is accepted by what bytes tell alone. */
const MEDIA = /^(?:image|audio|video|font)\//;

/** A type that no name stands for is known by its suffix (RFC 6838 section 4.2.8). */
function hasSuffix(wanted: string, types: ReadonlySet<string>): boolean {
  const [, suffix] = /\+(json|xml|zip|yaml)$/.exec(wanted) ?? [];
  return suffix !== undefined && !hasEnding(wanted) && types.has(`application/${suffix}`);
}

function isAccepted({ types, isFromBytes: told }: FileType, accepted: string): boolean {
  const wanted = usualName(accepted);
  if (wanted === '*/*') return true;
  if (!wanted.endsWith('/*')) return types.has(wanted) || hasSuffix(wanted, types);
  const kind = wanted.slice(0, -1);
  return [...types].some((type) => type.startsWith(kind)) && (told || !MEDIA.test(kind));
}

/** Whether a rule takes a file; one without types takes any. Parameters of a type (`; charset=`) say nothing about that. */
export const accepts = (accept: readonly string[] | undefined, file: FileType): boolean =>
  accept === undefined || accept.some((wanted) => isAccepted(file, wanted));
