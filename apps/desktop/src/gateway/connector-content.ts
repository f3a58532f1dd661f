import {
  type ContentBlock,
  type GetPromptResult,
  type Prompt,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Resource,
  type ResourceTemplateType,
} from '@modelcontextprotocol/server';
import type { ContentPart, Given, InstalledApp, Runtime } from '@svc/runtime';
import { mayBeModelNameOf, modelName } from '@svc/runtime/parts';
import type { DesktopRuntime } from '../desktop.ts';
import { type Audience, wholeApps } from './offered-tools.ts';

/** Timeout of a list from one connector, in milliseconds. */
const LIST_MS = 20_000;

/** Separates the id of a connector from its own URI. Ids do not contain it. */
const SEPARATOR = '+';

/**
 * A URI as agents see it: the connector's id, then the server's URI. The id becomes part of the scheme (RFC 3986 section 3.1), so URIs
 * of two connectors never collide, and URI templates stay templates.
 */
export const uriFor = (appId: string, uri: string): string => `${appId}${SEPARATOR}${uri}`;

const notFound = (kind: string): ProtocolError =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown ${kind}.`);

/** The connectors whose prompts and resources a session can use. */
const connectorsOf = (runtime: DesktopRuntime, audience: Audience): InstalledApp[] =>
  wholeApps(runtime, audience).filter(({ source }) => source.kind === 'connector');

/** Requests a list from all connectors in parallel. A connector that fails contributes nothing; calls of its tools say why. */
async function listFromAll<T>(
  runtime: DesktopRuntime,
  audience: Audience,
  signal: AbortSignal,
  list: (app: InstalledApp, where: { project: string; signal: AbortSignal }) => Promise<T[]>,
): Promise<T[]> {
  const { project } = audience;
  const requests = connectorsOf(runtime, audience).map((app) =>
    list(app, { project, signal: AbortSignal.any([signal, AbortSignal.timeout(LIST_MS)]) }),
  );
  const answers = await Promise.allSettled(requests);
  signal.throwIfAborted();
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
}

export const listResources = (
  runtime: DesktopRuntime,
  audience: Audience,
  signal: AbortSignal,
): Promise<Resource[]> =>
  listFromAll(runtime, audience, signal, async ({ appId }, where) => {
    const { resources } = await runtime.resources.list(appId, where);
    // A page is for the client that shows it (MCP Apps), which is the desktop.
    const readable = resources.entries.filter(({ uri }) => !uri.startsWith('ui:'));
    return readable.map(({ uri, name, description, type, bytes, given }) => ({
      name,
      ...(description !== '' && { description }),
      ...(type !== null && { mimeType: type }),
      ...(bytes !== null && { size: bytes }),
      ...given,
      uri: uriFor(appId, uri),
    }));
  });

export const listTemplates = (
  runtime: DesktopRuntime,
  audience: Audience,
  signal: AbortSignal,
): Promise<ResourceTemplateType[]> =>
  listFromAll(runtime, audience, signal, async ({ appId }, where) => {
    const { templates } = await runtime.resources.list(appId, where);
    return templates.entries.map(({ uriTemplate, name, description, type, given }) => ({
      name,
      ...(description !== '' && { description }),
      ...(type !== null && { mimeType: type }),
      ...given,
      uriTemplate: uriFor(appId, uriTemplate),
    }));
  });

export const listPrompts = (
  runtime: DesktopRuntime,
  audience: Audience,
  signal: AbortSignal,
): Promise<Prompt[]> =>
  listFromAll(runtime, audience, signal, async (app, where) => {
    const { entries } = await runtime.prompts.list(app.appId, where);
    return entries.map(({ id, name, description, arguments: args, given }) => ({
      title: name,
      description,
      ...given,
      name: modelName(app, id),
      arguments: args.map((arg) => ({
        name: arg.name,
        description: arg.description,
        required: arg.isRequired,
      })),
    }));
  });

/** Resolves the URI of a resource. @throws ProtocolError if it belongs to no connector that the session can use */
export function resourceOf(
  runtime: DesktopRuntime,
  audience: Audience,
  address: string,
): { appId: string; uri: string } {
  const at = address.indexOf(SEPARATOR);
  const appId = address.slice(0, Math.max(at, 0));
  if (!connectorsOf(runtime, audience).some((app) => app.appId === appId)) throw notFound('resource');
  return { appId, uri: address.slice(at + 1) };
}

/** Resolves the name of a prompt. @throws ProtocolError if the session cannot use such a prompt */
export async function promptOf(
  runtime: DesktopRuntime,
  audience: Audience,
  name: string,
  signal: AbortSignal,
): Promise<{ appId: string; id: string }> {
  const { project } = audience;
  for (const app of connectorsOf(runtime, audience).filter((one) => mayBeModelNameOf(name, one))) {
    const { entries } = await runtime.prompts.list(app.appId, { project, signal });
    const found = entries.find(({ id }) => modelName(app, id) === name);
    if (found) return { appId: app.appId, id: found.id };
  }
  throw notFound('prompt');
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

/** Types that say nothing of the content: the bytes tell no other one. */
const UNTOLD = ['application/octet-stream', 'text/plain'];

/** The type of a file: as its server gives it, unless its bytes tell another one. */
const typeOf = (found: string, given: unknown): string =>
  typeof given === 'string' && UNTOLD.includes(found) ? given : found;

/** Formats a resource for an agent: as its server gives it, under the address that agents know. */
export const presentResource = (
  appId: string,
  asked: string,
  parts: readonly ContentPart[],
): ReadResourceResult => ({
  contents: parts.map((part) => {
    const { given = {} } = part;
    const uri = typeof given.uri === 'string' ? uriFor(appId, given.uri) : asked;
    if (part.type === 'file')
      return { ...given, mimeType: typeOf(part.mediaType, given.mimeType), uri, blob: base64(part.bytes) };
    return { mimeType: 'text/plain', ...given, uri, text: part.type === 'text' ? part.text : part.uri };
  }),
});

/** The form in which a server gave a part, with its text or bytes, and with addresses that agents can read; null if it gave no form. */
export function blockAsGiven(
  appId: string,
  given: Given | undefined,
  part: { text: string } | { bytes: Uint8Array; mediaType: string },
): ContentBlock | null {
  const { resource = {}, ...rest } = (given ?? {}) as { type?: string; uri?: unknown; resource?: object };
  const { uri = '' } = resource as { uri?: unknown };
  const own = { ...rest } as ContentBlock;
  const said = (rest as { mimeType?: unknown }).mimeType ?? (resource as { mimeType?: unknown }).mimeType;
  const mimeType = 'bytes' in part ? typeOf(part.mediaType, said) : '';
  const text = 'text' in part ? part.text : null;
  const data = 'bytes' in part ? base64(part.bytes) : null;
  switch (own.type) {
    case 'text':
      return text === null ? null : { ...own, text };
    case 'image':
    case 'audio':
      return data === null || !mimeType.startsWith(`${own.type}/`) ? null : { ...own, mimeType, data };
    case 'resource_link':
      return { ...own, uri: uriFor(appId, String(own.uri)) };
    case 'resource': {
      const about = { ...resource, uri: uriFor(appId, String(uri)) };
      return {
        ...own,
        resource: data === null ? { ...about, text: text ?? '' } : { ...about, mimeType, blob: data },
      };
    }
    default:
      return null;
  }
}

function blockOf(appId: string, part: ContentPart): ContentBlock {
  const whole = part.type === 'link' ? { text: part.uri } : part;
  const given = blockAsGiven(appId, part.given, whole);
  if (given) return given;
  if (part.type === 'text') return { type: 'text', text: part.text };
  if (part.type === 'link') return { type: 'resource_link', uri: uriFor(appId, part.uri), name: part.name };
  const uri = uriFor(appId, `file:///${encodeURIComponent(part.name)}`);
  return { type: 'resource', resource: { uri, mimeType: part.mediaType, blob: base64(part.bytes) } };
}

/** Formats a filled-in prompt for an agent. @param readable returns a part as the agent can read it */
export const presentPrompt = (
  appId: string,
  { description, messages }: Awaited<ReturnType<Runtime['prompts']['get']>>,
  readable: (block: ContentBlock) => ContentBlock,
): GetPromptResult => ({
  ...(description !== '' && { description }),
  messages: messages.map(({ role, part }) => ({ role, content: readable(blockOf(appId, part)) })),
});
