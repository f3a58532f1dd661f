import type { CallToolResult, ContentBlock, ReadResourceResult } from '@modelcontextprotocol/client';
import { LIMITS } from '@svc/contracts';
import { isObject } from '@svc/contracts/is-object';
import { cleanValue } from '@svc/text';
import type { AppStorage, KeptFile } from '../files/app-storage.ts';
import { safeName } from '../files/safe-name.ts';
import { enforcedFootprint, type InstalledApp, isConnector } from '../library/installed-app.ts';
import { bytesOf } from '../network/read-answer.ts';
import { asRefusal, RuntimeError } from '../platform/runtime-error.ts';
import { faultOf } from './fault.ts';
import type { Secrets } from './secrets.ts';

/**
 * Decodes base64 strictly (RFC 4648 section 4), also in lines, as MIME and many encoders write it.
 * @throws RuntimeError `server-failed` when it is no base64, `too-large`
 */
export function decodeBase64(data: string, maxBytes: number): Buffer {
  const text = data.replace(/[\t\n\r ]+/g, '');
  if (text.length > Math.ceil(maxBytes / 3) * 4) throw new RuntimeError('too-large');
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) throw new RuntimeError('server-failed', 'A file is no base64.');
  return Buffer.from(text, 'base64');
}

/**
 * What the server of a connector says of a part or an entry beside its text and bytes (type, URI, titles, annotations, icons, `_meta`), for
 * clients that pass it on to agents. Its texts are clean; it contains no tokens, and no icon but of https and data URLs.
 */
export type Given = Readonly<Record<string, unknown>>;

/** Longest of an entry, in characters of JSON. A longer one is left out. */
const MAX_GIVEN = 16 * 1024;
/** Its deepest part, in levels, and longest text. */
const MAX_GIVEN_DEPTH = 16;
const MAX_GIVEN_TEXT = 4_096;

const isShownIcon = (icon: unknown): boolean =>
  isObject(icon) && typeof icon.src === 'string' && /^(?:https:|data:image\/)/i.test(icon.src);

const AS_IS: Pick<Secrets, 'strip'> = { strip: (value) => value };

/** What is given beside the fields that a client reads itself. */
export function givenOf(
  part: object,
  secrets: Pick<Secrets, 'strip'> = AS_IS,
  ...others: readonly string[]
): Given {
  const { icons, ...rest } = part as Record<string, unknown>;
  const kept = Object.entries(rest).filter(([name, value]) => value !== undefined && !others.includes(name));
  const shown = Array.isArray(icons) ? icons.filter(isShownIcon) : [];
  const whole = { ...Object.fromEntries(kept), ...(shown.length > 0 && { icons: shown }) };
  const given = secrets.strip(
    cleanValue(whole, { maxDepth: MAX_GIVEN_DEPTH, maxText: MAX_GIVEN_TEXT }) as Given,
  );
  return JSON.stringify(given).length > MAX_GIVEN ? {} : given;
}

/** The same of a content block, and of the resource in it, as the field `given` of a part; nothing for plain text. */
export function givenBlock(block: ContentBlock, secrets: Secrets): { given?: Given } {
  const given = givenOf(block, secrets, 'text', 'data', 'resource');
  if (block.type === 'resource')
    return { given: { ...given, resource: givenOf(block.resource, secrets, 'text', 'blob') } };
  return block.type === 'text' && Object.keys(given).length === 1 ? {} : { given };
}

/**
 * Limits of a result: content blocks, characters and files. A result with more characters is kept as a file. Characters count text, structured content and everything in a block except
 * the bytes of a file: names, URIs, types, annotations.
 */
const MAX_PIECES = 500;
const MAX_CHARACTERS = 1024 * 1024;
const MAX_FILES = 20;
/** Maximum size of all files of a result of a connector, in bytes. */
const MAX_MEDIA_BYTES = LIMITS.file.maxBytes;

/** A part of a tool result. Files are stored and referenced. */
export type ResultPart = (
  | {
      type: 'text';
      text: string;
      /** All of a long result, of which this is the beginning: the id of a file of the result, and its characters. */
      whole?: { file: string; characters: number };
    }
  | { type: 'file'; file: KeptFile }
) & {
  /** What the server of a connector says of it. */
  given?: Given;
};

/** The result of a tool call, without tokens. */
export type CallResult = {
  /** Whether the tool reported an error. */
  isError: boolean;
  parts: ResultPart[];
  /** `structuredContent` as the server sent it; null when there is none. */
  structured: Readonly<Record<string, unknown>> | null;
  files: KeptFile[];
  /** `_meta` of the result of a connector, for its page. Models do not read it. */
  given?: Given;
};

type Deps = {
  app: InstalledApp;
  project: string;
  secrets: Secrets;
  storage: Pick<AppStorage, 'keep'>;
  /** Downloads for the app, without a token. */
  fetch: typeof fetch;
  /** Reads a resource in the session of the call. */
  read(uri: string): Promise<ReadResourceResult>;
  /** Whether the user lets a connector return pictures, sounds and other files. */
  mayReturnMedia(): boolean;
  signal: AbortSignal;
};

/** The dependencies, and the bytes that the files of the result may still have. */
type Reading = Deps & { room: { bytes: number } };

/** A file in a result: its base64 data or its URI. */
type FileSource = { name: string; data: string } | { name: string; uri: string };

const lastOf = (uri: string): string => {
  const path = (URL.parse(uri)?.pathname ?? uri).split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
};

/** The file of a content block; null for text. */
function fileIn(block: ContentBlock): FileSource | null {
  switch (block.type) {
    case 'image':
    case 'audio':
      return { name: block.type, data: block.data };
    case 'resource_link':
      return { name: block.name || lastOf(block.uri), uri: block.uri };
    case 'resource':
      return 'blob' in block.resource
        ? { name: lastOf(block.resource.uri), data: block.resource.blob }
        : null;
    default:
      return null;
  }
}

/** The text of a block; empty for a file. */
const textIn = (block: ContentBlock): string => {
  if (block.type === 'text') return block.text;
  return block.type === 'resource' && 'text' in block.resource ? block.resource.text : '';
};

async function download(uri: string, { fetch, signal }: Deps): Promise<Uint8Array> {
  const response = await fetch(uri, { signal });
  if (!response.ok) {
    await response.body?.cancel();
    throw new RuntimeError('server-failed', `A file is answered with ${response.status}.`);
  }
  return bytesOf(response, LIMITS.file.maxBytes);
}

/** Reads a resource that the server linked to, in the session that gave the link (MCP, "Resource Links"). */
async function readLinked(uri: string, { read, secrets, signal }: Deps): Promise<Uint8Array> {
  try {
    const [contents] = (await read(uri)).contents;
    if (!contents) throw new RuntimeError('server-failed', 'The linked resource is empty.');
    return 'blob' in contents
      ? decodeBase64(contents.blob, LIMITS.file.maxBytes)
      : Buffer.from(String(contents.text));
  } catch (error) {
    // The tool has done its work, and its session may go on: what fails is this file alone.
    throw faultOf(error, signal, secrets);
  }
}

/** The files of apps have addresses of their declared hosts; every other link is one of the server. */
const isDownload = (uri: string, app: InstalledApp): boolean => !isConnector(app) && /^https?:/i.test(uri);

async function bytesIn(source: FileSource, deps: Reading): Promise<Uint8Array> {
  if ('data' in source) return decodeBase64(source.data, LIMITS.file.maxBytes);
  return isDownload(source.uri, deps.app) ? download(source.uri, deps) : readLinked(source.uri, deps);
}

/** @throws RuntimeError `file-refused` */
function requireMayReturn({ app, mayReturnMedia }: Deps): void {
  if (isConnector(app)) {
    if (mayReturnMedia()) return;
    throw new RuntimeError('file-refused', 'Files of this connector are switched off in its settings.');
  }
  if (!enforcedFootprint(app).grants.includes('files:return'))
    throw new RuntimeError('file-refused', 'The app may not return files.');
}

async function keepFile(source: FileSource, deps: Reading): Promise<KeptFile> {
  const { app, project, secrets, storage, room } = deps;
  requireMayReturn(deps);
  const bytes = await bytesIn(source, deps);
  if (isConnector(app) && bytes.byteLength > room.bytes) throw new RuntimeError('too-large');
  room.bytes -= bytes.byteLength;
  if (secrets.leaksIn(bytes)) throw new RuntimeError('file-refused', 'The file holds a token.');
  return storage.keep({ appId: app.appId, project }, { name: secrets.strip(source.name), bytes });
}

/** The part of a file. A file that cannot be stored is replaced by a note, as the tool has already done its work. */
async function filePart(source: FileSource, deps: Reading): Promise<ResultPart> {
  try {
    return { type: 'file', file: await keepFile(source, deps) };
  } catch (error) {
    const refusal = asRefusal(error);
    if (!refusal || deps.signal.aborted) throw error;
    const name = safeName(deps.secrets.strip(source.name));
    return { type: 'text', text: `[The file ${name} was not kept: ${refusal.message}]` };
  }
}

/** Characters of a content block without the bytes of a file, which have their own limit. */
function charactersOf(block: ContentBlock): number {
  let characters = 0;
  JSON.stringify(block, (key, value: unknown) => {
    characters += key.length;
    if (typeof value !== 'string') return value;
    if (key !== 'data' && key !== 'blob') characters += value.length;
    return '';
  });
  return characters;
}

const tooLarge = (): RuntimeError => new RuntimeError('too-large', 'The answer of the tool is too large.');

const lengthOf = (structured: unknown): number =>
  structured === undefined ? 0 : JSON.stringify(structured).length;

/** @throws RuntimeError `too-large`. @returns whether the texts have more characters than a result may have */
function requireBounded(blocks: readonly ContentBlock[], structured: unknown): boolean {
  if (blocks.length > MAX_PIECES) throw tooLarge();
  if (blocks.filter((block) => fileIn(block) !== null).length > MAX_FILES) throw tooLarge();
  const texts = blocks.reduce((sum, block) => sum + textIn(block).length, lengthOf(structured));
  const others = blocks.reduce((sum, block) => sum + charactersOf(block) - textIn(block).length, 0);
  if (others > MAX_CHARACTERS) throw tooLarge();
  return texts + others > MAX_CHARACTERS;
}

/** Characters of a long result that are returned as its text. */
const MAX_BEGINNING = 50_000;

/** All that a long result says: its texts, and its structured content unless the texts repeat it. */
function wholeOf(blocks: readonly ContentBlock[], structured: unknown): string {
  const text = blocks
    .map(textIn)
    .filter((one) => one !== '')
    .join('\n\n');
  return lengthOf(structured) > text.length
    ? [text, JSON.stringify(structured)].filter((one) => one !== '').join('\n\n')
    : text;
}

/**
 * The parts of a result with more characters than a result may have: its beginning, a file with all of it, and its other files. The tool
 * has done its work, and a refusal would lose what it found.
 */
async function longParts(
  blocks: readonly ContentBlock[],
  structured: unknown,
  deps: Reading,
): Promise<ResultPart[]> {
  const { app, project, secrets, storage } = deps;
  const text = secrets.strip(wholeOf(blocks, structured));
  const bytes = Buffer.from(text);
  if (bytes.byteLength > LIMITS.file.maxBytes) throw tooLarge();
  const file = await storage.keep({ appId: app.appId, project }, { name: 'result.txt', bytes });
  const said = `[These are the first of ${text.length} characters. All of them are in the file ${file.name}.]`;
  const parts: ResultPart[] = [
    {
      type: 'text',
      text: `${said}\n${text.slice(0, MAX_BEGINNING)}`,
      whole: { file: file.id, characters: text.length },
    },
    { type: 'file', file },
  ];
  for (const source of blocks.map(fileIn)) if (source) parts.push(await filePart(source, deps));
  return parts;
}

/** What a server answers in the place of a result of MCP, such as `{ ok: true }`; undefined where that is nothing. */
function plainValue({ content: _, isError: __, _meta, resultType, ...value }: CallToolResult): unknown {
  return Object.keys(value).length === 0 ? undefined : value;
}

const filesOf = (parts: readonly ResultPart[]): KeptFile[] =>
  parts.flatMap((part) => (part.type === 'file' ? [part.file] : []));

/**
 * Reads a tool result: bounded, without tokens, its files stored on this machine.
 * @throws RuntimeError `too-large`
 */
export async function readResult(result: CallToolResult, deps: Deps): Promise<CallResult> {
  const blocks = result.content ?? [];
  const given = result.structuredContent ?? (blocks.length === 0 ? plainValue(result) : undefined);
  const isLong = requireBounded(blocks, given);
  const reading: Reading = { ...deps, room: { bytes: MAX_MEDIA_BYTES } };
  if (isLong) {
    const parts = await longParts(blocks, given, reading);
    return { isError: result.isError === true, parts, structured: null, files: filesOf(parts) };
  }
  const texts = blocks.map(textIn);
  const structured = (given ?? null) as CallResult['structured'];
  const safe = deps.secrets.strip({ texts, structured });
  const parts: ResultPart[] = [];
  for (const [index, block] of blocks.entries()) {
    const file = fileIn(block);
    const part: ResultPart = file
      ? await filePart(file, reading)
      : { type: 'text', text: safe.texts[index] ?? '' };
    parts.push(isConnector(deps.app) ? { ...part, ...givenBlock(block, deps.secrets) } : part);
  }
  // MCP, "Structured Content": a server should repeat it as text for readers of the parts, and many do not.
  if (safe.structured && parts.length === 0)
    parts.push({ type: 'text', text: JSON.stringify(safe.structured) });
  return {
    isError: result.isError === true,
    parts,
    structured: safe.structured,
    files: filesOf(parts),
    ...(isConnector(deps.app) && result._meta && { given: givenOf({ _meta: result._meta }, deps.secrets) }),
  };
}
