import type { Prompt, Resource, ResourceTemplateType } from '@modelcontextprotocol/client';
import { LIMITS } from '@svc/contracts';
import { cleanLine, isPlainLine } from '@svc/text';
import type { Secrets } from '../secrets.ts';
import type { Listed } from '../server-content.ts';

/** What is listed of one connector, and of one prompt. */
const MAX_ENTRIES = 1_000;
const MAX_ARGUMENTS = 50;
/** Characters of an address, of a name by which a server knows something, and of a media type. */
const MAX_URI = 2_000;
const MAX_ID = 200;
const MAX_TYPE = 100;

/** A resource as its server lists it. */
export type AppResource = {
  /** Its address at this server, which says nothing to anything else. */
  uri: string;
  name: string;
  description: string;
  /** Its media type, as the server says; null when it does not. */
  type: string | null;
  /** Its size, as the server says; null when it does not. */
  bytes: number | null;
};

/** Addresses of many resources: a URI template (RFC 6570). */
export type AppResourceTemplate = Omit<AppResource, 'uri' | 'bytes'> & { uriTemplate: string };

/** What a prompt is filled in with. */
export type PromptArgument = { name: string; description: string; isRequired: boolean };

/** A prompt as its server lists it. */
export type AppPrompt = {
  /** What the server knows it by. */
  id: string;
  name: string;
  description: string;
  arguments: readonly PromptArgument[];
};

/** Entries of a list; `isComplete` is false when the server has more than are taken. */
export type OfferedList<T> = { entries: readonly T[]; isComplete: boolean };

/** Whether a text that is sent back to its server as it is can be shown and holds no token. */
const isUsable = (text: string, maxLength: number, secrets: Secrets): boolean =>
  text !== '' && text.length <= maxLength && isPlainLine(text) && secrets.strip(text) === text;

const lineOf = (text: string | undefined, maxLength: number, secrets: Secrets): string =>
  cleanLine(secrets.strip((text ?? '').slice(0, 8 * maxLength)), maxLength);

type Described = { name: string; title?: string | undefined; description?: string | undefined };

/** What a server says of something, cleaned of what could be hidden in it. */
const described = ({ name, title, description }: Described, secrets: Secrets) => ({
  name: lineOf(title, LIMITS.tool.name, secrets) || lineOf(name, LIMITS.tool.name, secrets),
  description: lineOf(description, LIMITS.tool.description, secrets),
});

const typeOf = ({ mimeType }: { mimeType?: string | undefined }, secrets: Secrets): string | null =>
  lineOf(mimeType, MAX_TYPE, secrets) || null;

/** The entries that can be used, the first of each key. */
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

/** The resources that a server lists. What has an address that cannot be shown is left out. */
export const offeredResources = (listed: Listed<Resource>, secrets: Secrets): OfferedList<AppResource> =>
  offered(listed, ({ uri }) => uri, {
    maxLength: MAX_URI,
    secrets,
    make: (resource) => ({
      uri: resource.uri,
      ...described(resource, secrets),
      type: typeOf(resource, secrets),
      bytes: Number.isSafeInteger(resource.size) && Number(resource.size) >= 0 ? Number(resource.size) : null,
    }),
  });

/** The templates that a server lists. */
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
    }),
  });

/** The prompts that a server lists. One with an argument whose name cannot be shown is left out: it could not be filled in. */
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
      arguments: (prompt.arguments ?? []).map(({ name, description, required }) => ({
        name,
        description: lineOf(description, LIMITS.tool.description, secrets),
        isRequired: required === true,
      })),
    }),
  });
}

/** Whether a text may be the address of a resource, or the id of a prompt or of its argument. */
export const isResourceUri = (uri: string): boolean =>
  uri !== '' && uri.length <= MAX_URI && isPlainLine(uri);
export const isPromptId = (id: string): boolean => id !== '' && id.length <= MAX_ID && isPlainLine(id);
