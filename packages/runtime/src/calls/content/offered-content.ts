import type { Prompt, Resource, ResourceTemplateType } from '@modelcontextprotocol/client';
import { LIMITS } from '@svc/contracts';
import { isObject } from '@svc/contracts/is-object';
import { cleanLine, isPlainLine } from '@svc/text';
import type { Listed } from '../operations.ts';
import { type Given, givenOf } from '../read-result.ts';
import type { Secrets } from '../secrets.ts';

/** Maximum number of entries of a list, and of arguments of a prompt. */
const MAX_ENTRIES = 1_000;
const MAX_ARGUMENTS = 50;
/** Maximum length of a URI, of an id and of a media type, in characters. */
const MAX_URI = 2_000;
const MAX_ID = 200;
const MAX_TYPE = 100;

/** A resource of a connector. */
export type AppResource = {
  uri: string;
  name: string;
  description: string;
  /** Its media type as the server declares it; null when it does not. */
  type: string | null;
  /** Its size as the server declares it; null when it does not. */
  bytes: number | null;
  /** What the server says of it. */
  given?: Given;
};

/** A resource template: a URI template (RFC 6570). */
export type AppResourceTemplate = Omit<AppResource, 'uri' | 'bytes'> & { uriTemplate: string };

/** An argument of a prompt. */
export type PromptArgument = { name: string; description: string; isRequired: boolean };

/** A prompt of a connector. */
export type AppPrompt = {
  /** Its name at the server. */
  id: string;
  name: string;
  description: string;
  arguments: readonly PromptArgument[];
  /** What the server says of it. */
  given?: Given;
};

/** A list of entries; `isComplete` is false when it was truncated. */
export type OfferedList<T> = { entries: readonly T[]; isComplete: boolean };

/** Whether an id or URI can be shown and contains no token. Ids are sent back to the server unchanged. */
const isUsable = (text: string, maxLength: number, secrets: Secrets): boolean =>
  text !== '' && text.length <= maxLength && isPlainLine(text) && secrets.strip(text) === text;

const lineOf = (text: string | undefined, maxLength: number, secrets: Secrets): string =>
  cleanLine(secrets.strip((text ?? '').slice(0, 8 * maxLength)), maxLength);

type Described = { name: string; title?: string | undefined; description?: string | undefined };

/** Name and description, without hidden characters and tokens. */
const described = ({ name, title, description }: Described, secrets: Secrets) => ({
  name: lineOf(title, LIMITS.tool.name, secrets) || lineOf(name, LIMITS.tool.name, secrets),
  description: lineOf(description, LIMITS.tool.description, secrets),
});

/** Annotations whose time is one (MCP, "Annotations"): it is taken from each listing, unlike words. */
function withDates(annotations: unknown): unknown {
  if (!isObject(annotations)) return annotations;
  const { lastModified, ...rest } = annotations;
  const at = typeof lastModified === 'string' ? Date.parse(lastModified) : Number.NaN;
  return Number.isNaN(at) ? rest : { ...rest, lastModified: new Date(at).toISOString() };
}

/** What the server says beside these: its own name and title, as lines, annotations, icons and `_meta`. */
const givenEntry = (entry: Described, secrets: Secrets): Given => {
  const { annotations, icons, _meta } = entry as { annotations?: unknown; icons?: unknown; _meta?: unknown };
  const title = lineOf(entry.title, LIMITS.tool.name, secrets);
  return {
    ...givenOf({ annotations: withDates(annotations), icons, _meta }, secrets),
    name: lineOf(entry.name, LIMITS.tool.name, secrets),
    ...(title !== '' && { title }),
  };
};

const typeOf = ({ mimeType }: { mimeType?: string | undefined }, secrets: Secrets): string | null =>
  lineOf(mimeType, MAX_TYPE, secrets) || null;

/** The usable entries, the first of each key. */
function offered<From, To>(
  { items, isComplete }: Listed<From>,
  keyOf: (item: From) => string,
  { maxLength, secrets, make }: { maxLength: number; secrets: Secrets; make: (item: From) => To },
): OfferedList<To> {
  const byKey = new Map<string, From>();
  for (const item of items) {
    const key = keyOf(item);
    if (isUsable(key, maxLength, secrets) && !byKey.has(key)) byKey.set(key, item);
  }
  const entries = [...byKey.values()].slice(0, MAX_ENTRIES).map(make);
  return { entries, isComplete: isComplete && byKey.size <= MAX_ENTRIES };
}

/** The resources of a server, without those whose URI cannot be shown. */
export const offeredResources = (listed: Listed<Resource>, secrets: Secrets): OfferedList<AppResource> =>
  offered(listed, ({ uri }) => uri, {
    maxLength: MAX_URI,
    secrets,
    make: (resource) => ({
      uri: resource.uri,
      ...described(resource, secrets),
      type: typeOf(resource, secrets),
      given: givenEntry(resource, secrets),
      bytes: Number.isSafeInteger(resource.size) && Number(resource.size) >= 0 ? Number(resource.size) : null,
    }),
  });

/** The resource templates of a server. */
export const offeredTemplates = (
  listed: Listed<ResourceTemplateType>,
  secrets: Secrets,
): OfferedList<AppResourceTemplate> =>
  offered(listed, ({ uriTemplate }) => uriTemplate, {
    maxLength: MAX_URI,
    secrets,
    make: (template) => ({
      uriTemplate: template.uriTemplate,
      ...described(template, secrets),
      type: typeOf(template, secrets),
      given: givenEntry(template, secrets),
    }),
  });

/** The prompts of a server, without those with an argument whose name cannot be shown. */
export function offeredPrompts(
  { items, isComplete }: Listed<Prompt>,
  secrets: Secrets,
): OfferedList<AppPrompt> {
  const isFillable = ({ arguments: args = [] }: Prompt): boolean =>
    args.length <= MAX_ARGUMENTS && args.every(({ name }) => isUsable(name, MAX_ID, secrets));
  return offered({ items: items.filter(isFillable), isComplete }, ({ name }) => name, {
    maxLength: MAX_ID,
    secrets,
    make: (prompt) => ({
      id: prompt.name,
      ...described(prompt, secrets),
      given: givenEntry(prompt, secrets),
      arguments: (prompt.arguments ?? []).map(({ name, description, required }) => ({
        name,
        description: lineOf(description, LIMITS.tool.description, secrets),
        isRequired: required === true,
      })),
    }),
  });
}

/** Whether a text is a valid resource URI, or a valid id of a prompt or argument. */
export const isResourceUri = (uri: string): boolean =>
  uri !== '' && uri.length <= MAX_URI && isPlainLine(uri);
export const isPromptId = (id: string): boolean => id !== '' && id.length <= MAX_ID && isPlainLine(id);
