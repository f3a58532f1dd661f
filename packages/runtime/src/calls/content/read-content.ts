import type { ContentBlock, GetPromptResult, ReadResourceResult } from '@modelcontextprotocol/client';
import { LIMITS } from '@svc/contracts';
import { isObject } from '@svc/contracts/is-object';
import { cleanLine } from '@svc/text';
import { typeOfFile } from '../../files/file-type.ts';
import { safeName } from '../../files/safe-name.ts';
import { RuntimeError } from '../../platform/runtime-error.ts';
import { decodeBase64, type Given, givenBlock, givenOf } from '../read-result.ts';
import type { Secrets } from '../secrets.ts';

/** Maximum parts, total characters and total file bytes of a resource or prompt. */
const MAX_PARTS = 500;
const MAX_CHARACTERS = 1024 * 1024;
const MAX_BYTES = LIMITS.file.maxBytes;

/** A part of a resource or prompt. Text has no hidden characters and no tokens: escape it before showing it. */
export type ContentPart = (
  | { type: 'text'; text: string }
  /** A file; its media type is detected from its content. It is not stored. */
  | { type: 'file'; name: string; mediaType: string; bytes: Uint8Array }
  /** A resource of the same server. */
  | { type: 'link'; uri: string; name: string }
) & {
  /** What the server says of it. */
  given?: Given;
};

/** A message of a prompt. */
export type PromptMessage = { role: 'user' | 'assistant'; part: ContentPart };

/** A prompt that was filled in. */
export type FilledPrompt = { description: string; messages: readonly PromptMessage[] };

type Contents = ReadResourceResult['contents'][number];

const tooLarge = (): RuntimeError =>
  new RuntimeError('too-large', 'The answer of the connector is larger than allowed.');

const lastOf = (uri: string): string => uri.split(/[/?#]/).findLast((part) => part !== '') ?? '';

/** The remaining budget of one response. */
function createBudget() {
  let [characters, bytes] = [MAX_CHARACTERS, MAX_BYTES];
  return {
    text(text: string): string {
      characters -= text.length;
      if (characters < 0) throw tooLarge();
      return text;
    },
    decode(data: string): Uint8Array {
      const decoded = decodeBase64(data, bytes);
      bytes -= decoded.length;
      return decoded;
    },
  };
}

type Budget = ReturnType<typeof createBudget>;

async function filePart(name: string, data: string, secrets: Secrets, budget: Budget): Promise<ContentPart> {
  const bytes = budget.decode(data);
  if (secrets.leaksIn(bytes)) return { type: 'text', text: '[A file was left out: it holds a token.]' };
  const safe = safeName(secrets.strip(name));
  return { type: 'file', name: safe, mediaType: await typeOfFile(bytes, safe), bytes };
}

async function contentsPart(contents: Contents, secrets: Secrets, budget: Budget): Promise<ContentPart> {
  if ('text' in contents) return { type: 'text', text: secrets.strip(budget.text(contents.text)) };
  return filePart(lastOf(contents.uri), contents.blob, secrets, budget);
}

function blockPart(
  block: ContentBlock,
  secrets: Secrets,
  budget: Budget,
): ContentPart | Promise<ContentPart> {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: secrets.strip(budget.text(block.text)) };
    case 'resource':
      return contentsPart(block.resource, secrets, budget);
    case 'resource_link':
      return {
        type: 'link',
        uri: secrets.strip(budget.text(block.uri)),
        name: cleanLine(secrets.strip(budget.text(block.name)), LIMITS.tool.name),
      };
    default:
      return filePart(block.type, block.data, secrets, budget);
  }
}

/**
 * Reads the contents of a resource: bounded, without tokens.
 * @throws RuntimeError `too-large`, `server-failed`
 */
export async function readContents(
  { contents }: ReadResourceResult,
  secrets: Secrets,
): Promise<ContentPart[]> {
  if (contents.length > MAX_PARTS) throw tooLarge();
  const budget = createBudget();
  const parts: ContentPart[] = [];
  for (const content of contents) {
    const given = givenOf(content, secrets, 'text', 'blob');
    parts.push({ ...(await contentsPart(content, secrets, budget)), given });
  }
  return parts;
}

/** Longest page of a server, in characters. */
const MAX_PAGE = 4 * 1024 * 1024;

/** Most uses of origins, origins of each, and characters of one. */
const MAX_USES = 10;
const MAX_ORIGINS = 50;
const MAX_ORIGIN = 300;

/** The origins that a page names, by what it uses them for. */
export type PageOrigins = Readonly<Record<string, readonly string[]>>;

/** A page of a server (MCP Apps), and the origins that it names; null where it says nothing of its page. */
export type ServerPage = { html: string; csp: PageOrigins | null };

/** The origins in what is said of a page, with its contents or in the list of resources (MCP Apps, "Metadata Location"). */
export function cspOf({ _meta }: { _meta?: unknown }): PageOrigins | null {
  const { ui } = isObject(_meta) ? _meta : {};
  if (!isObject(ui) || !isObject(ui.csp)) return null;
  const isOrigin = (origin: unknown) => typeof origin === 'string' && origin.length <= MAX_ORIGIN;
  return Object.fromEntries(
    Object.entries(ui.csp)
      .slice(0, MAX_USES)
      .map(([use, origins]) => [
        use,
        (Array.isArray(origins) ? origins : []).filter(isOrigin).slice(0, MAX_ORIGINS),
      ]),
  );
}

const isPage = ({ mimeType }: Contents): boolean => mimeType?.startsWith('text/html') === true;

/**
 * Reads a page that a server shows in clients: bounded, without tokens.
 * @throws RuntimeError `not-offered` for another resource, `too-large`
 */
export function readPage({ contents }: ReadResourceResult, secrets: Secrets): ServerPage {
  const found = contents.find(isPage);
  if (!found) throw new RuntimeError('not-offered', 'The server gives a page that is no HTML.');
  const html =
    'text' in found ? found.text : Buffer.from(decodeBase64(found.blob, MAX_PAGE)).toString('utf8');
  if (html.length > MAX_PAGE) throw tooLarge();
  return { html: secrets.strip(html), csp: cspOf(found) };
}

/**
 * Reads a prompt that a server filled in: bounded, without tokens.
 * @throws RuntimeError `too-large`, `server-failed`
 */
export async function readPrompt(
  { description = '', messages }: GetPromptResult,
  secrets: Secrets,
): Promise<FilledPrompt> {
  if (messages.length > MAX_PARTS) throw tooLarge();
  const budget = createBudget();
  const read: PromptMessage[] = [];
  for (const { role, content } of messages) {
    const part = await blockPart(content, secrets, budget);
    read.push({ role, part: { ...part, ...givenBlock(content, secrets) } });
  }
  const text = secrets.strip(description.slice(0, 8 * LIMITS.tool.description));
  return { description: cleanLine(text, LIMITS.tool.description), messages: read };
}
