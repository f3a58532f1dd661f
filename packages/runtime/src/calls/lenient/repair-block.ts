import { specTypeSchemas } from '@modelcontextprotocol/client';
import { isObject } from '@svc/contracts/is-object';
import { quoteText } from '@svc/text';
import { type LenientSchema, readLeniently } from '../../platform/lenient.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Reports what was dropped or repaired, as a sentence without secrets of this client.
 * @param missing the list that has fewer entries for it
 */
export type Note = (what: string, missing?: 'tools') => void;

/** Longest quoted name of a part, and most named parts of one message. */
const MAX_NAME = 60;
const MAX_NAMED = 5;

/** Quotes a name that a server gives one of its parts. */
export const quotedName = (name: string): string => quoteText(name, MAX_NAME);

/** Reads one part; null when it has no part that can be kept. */
export function readPart(
  schema: LenientSchema,
  part: unknown,
  label: string,
  note: Note,
  list?: 'tools',
): unknown {
  const read = readLeniently(schema, part);
  if ('fault' in read) {
    note(`${label} was left out: ${read.fault === '' ? 'it' : quotedName(read.fault)} is malformed.`, list);
    return null;
  }
  if (read.lost.length > 0) {
    const fields = read.lost.slice(0, MAX_NAMED).map(quotedName);
    note(`${label} was repaired: ${fields.join(', ')} ${fields.length === 1 ? 'is' : 'are'} malformed.`);
  }
  return read.value;
}

const isBase64 = (data: unknown): boolean =>
  typeof data === 'string' && data.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(data);

/** Base64 as MCP has it, of a data URL (RFC 2397), of base64url and without padding (RFC 4648 section 5). Other data stays as it is. */
function asBase64(data: unknown): unknown {
  if (typeof data !== 'string' || isBase64(data)) return data;
  const plain = data
    .replace(/^data:[^,]{0,200};base64,/i, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replaceAll(/[\t\n\r ]+/g, '');
  const padded = plain.includes('=') ? plain : plain.padEnd(Math.ceil(plain.length / 4) * 4, '=');
  return isBase64(padded) ? padded : data;
}

/** Optional fields of a content block. */
const EXTRAS = ['annotations', '_meta', 'icons'];

/** Whether a block with a file is well formed, checked without the schema of MCP, which is slow for large ones. */
function isPlain(block: unknown): boolean {
  if (!isObject(block) || EXTRAS.some((name) => name in block)) return false;
  const isMedia = block.type === 'image' || block.type === 'audio';
  return isMedia && typeof block.mimeType === 'string' && isBase64(block.data);
}

const BLOCKS: Readonly<Record<string, LenientSchema>> = {
  text: specTypeSchemas.TextContent,
  image: specTypeSchemas.ImageContent,
  audio: specTypeSchemas.AudioContent,
  resource: specTypeSchemas.EmbeddedResource,
  resource_link: specTypeSchemas.ResourceLink,
};

const labelOf = (index: number): string => `Part ${index + 1} of the answer`;

const leftOut = (index: number): string => `[${labelOf(index)} is malformed and was left out.]`;

/** The first of these values that is there, as a text. */
function wordsOf(...values: readonly unknown[]): string | undefined {
  const found = values.find((value) => value !== undefined && value !== null);
  return typeof found === 'string' ? found : JSON.stringify(found);
}

/** The contents of a resource. Serializers write null for the text of a file, and for the bytes of a text. */
export function readContents(part: unknown, index: number, note: Note): unknown {
  const { uri, text, blob, ...rest } = isObject(part) ? part : {};
  const isFile = typeof blob === 'string';
  const words = isFile ? undefined : wordsOf(text);
  const known = {
    ...rest,
    uri: typeof uri === 'string' ? uri : '',
    ...(isFile && { blob: asBase64(blob) }),
    ...(words !== undefined && { text: words }),
  };
  const schema = isFile ? specTypeSchemas.BlobResourceContents : specTypeSchemas.TextResourceContents;
  const read = readPart(schema, isObject(part) ? known : part, labelOf(index), note);
  return read ?? { uri: 'malformed:', text: leftOut(index) };
}

/** Media by its type, or a file, of data in a block of no type that MCP has. */
function fileOf({ data, mimeType }: JsonObject): JsonObject {
  const [kind] = String(mimeType).split('/');
  return kind === 'image' || kind === 'audio'
    ? { type: kind, data, mimeType }
    : { type: 'resource', resource: { blob: data, mimeType } };
}

/** A picture or a sound, whose bytes some servers send within its source, as providers of models do; its JSON where it has none, but an address. */
function asMedia(block: JsonObject): JsonObject {
  const { data = block.data } = isObject(block.source) ? block.source : {};
  if (data === undefined) return { type: 'text', text: JSON.stringify(block) };
  // The type of a file is that of its bytes.
  const mimeType = typeof block.mimeType === 'string' ? block.mimeType : 'application/octet-stream';
  return { ...block, data, mimeType };
}

/** A block of one of MCP's types, of what servers send in its place: a text alone, another type, words in another field. */
function asBlock(block: unknown): unknown {
  if (typeof block === 'string') return { type: 'text', text: block };
  if (!isObject(block)) return block;
  const { type, name, text, data } = block;
  switch (type) {
    case 'text':
      return typeof text === 'string' ? block : { ...block, text: wordsOf(text, block.content, block.value) };
    case 'image':
    case 'audio':
      return asMedia(block);
    case 'resource_link':
      return typeof name === 'string' ? block : { ...block, name: '' };
    case 'resource': {
      const { annotations, _meta, resource = block } = block;
      return { type, resource, annotations, ...(isObject(_meta) && { _meta }) };
    }
    default:
      if (typeof data === 'string') return fileOf(block);
      return { type: 'text', text: typeof text === 'string' ? text : JSON.stringify(block) };
  }
}

/** A content block, without malformed optional fields; or a note in its place. */
export function readBlock(given: unknown, index: number, note: Note): unknown {
  if (isPlain(given)) return given;
  const label = labelOf(index);
  const block = asBlock(given);
  if (!isObject(block)) {
    note(`${label} was left out: it is no content of MCP.`);
    return { type: 'text', text: leftOut(index) };
  }
  const type = String(block.type);
  if (!isObject(given) || given.type !== type) note(`${label} was repaired: its type is none of MCP.`);
  const isResource = type === 'resource';
  // The contents of a resource are read on their own: large ones only once.
  const own = isResource
    ? { resource: { uri: '', text: '' } }
    : 'data' in block && { data: asBase64(block.data) };
  const schema = BLOCKS[type];
  const read = schema ? readPart(schema, { ...block, ...own }, label, note) : null;
  if (!isObject(read)) return { type: 'text', text: leftOut(index) };
  return isResource ? { ...read, resource: readContents(block.resource, index, note) } : read;
}
