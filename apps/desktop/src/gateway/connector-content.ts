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
import type { ContentPart, InstalledApp, Runtime } from '@svc/runtime';
import { mayBeModelNameOf, modelName } from '@svc/runtime/parts';
import { type Audience, usableApps } from './offered-tools.ts';

/** Timeout of a list from one connector, in milliseconds. */
const LIST_MS = 20_000;

/** Separates the id of a connector from its own URI. Ids do not contain it. */
const SEPARATOR = '+';

/**
 * A URI as agents see it: the connector's id, then the server's URI. The id becomes part of the scheme (RFC 3986 section 3.1), so URIs
 * of two connectors never collide, and URI templates stay templates.
 */
const uriFor = (appId: string, uri: string): string => `${appId}${SEPARATOR}${uri}`;

const notFound = (kind: string): ProtocolError =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown ${kind}.`);

/** The connectors that a session can use. */
const connectorsOf = (runtime: Runtime, audience: Audience): InstalledApp[] =>
  usableApps(runtime, audience).flatMap(({ app }) => (app.source.kind === 'connector' ? [app] : []));

/** Requests a list from all connectors in parallel. A connector that fails contributes nothing; calls of its tools say why. */
async function listFromAll<T>(
  runtime: Runtime,
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
  runtime: Runtime,
  audience: Audience,
  signal: AbortSignal,
): Promise<Resource[]> =>
  listFromAll(runtime, audience, signal, async ({ appId }, where) => {
    const { resources } = await runtime.resources.list(appId, where);
    return resources.entries.map(({ uri, name, description, type, bytes }) => ({
      uri: uriFor(appId, uri),
      name,
      ...(description !== '' && { description }),
      ...(type !== null && { mimeType: type }),
      ...(bytes !== null && { size: bytes }),
    }));
  });

export const listTemplates = (
  runtime: Runtime,
  audience: Audience,
  signal: AbortSignal,
): Promise<ResourceTemplateType[]> =>
  listFromAll(runtime, audience, signal, async ({ appId }, where) => {
    const { templates } = await runtime.resources.list(appId, where);
    return templates.entries.map(({ uriTemplate, name, description, type }) => ({
      uriTemplate: uriFor(appId, uriTemplate),
      name,
      ...(description !== '' && { description }),
      ...(type !== null && { mimeType: type }),
    }));
  });

export const listPrompts = (runtime: Runtime, audience: Audience, signal: AbortSignal): Promise<Prompt[]> =>
  listFromAll(runtime, audience, signal, async (app, where) => {
    const { entries } = await runtime.prompts.list(app.appId, where);
    return entries.map(({ id, name, description, arguments: args }) => ({
      name: modelName(app, id),
      title: name,
      description,
      arguments: args.map((arg) => ({
        name: arg.name,
        description: arg.description,
        required: arg.isRequired,
      })),
    }));
  });

/** Resolves the URI of a resource. @throws ProtocolError if it belongs to no connector that the session can use */
export function resourceOf(
  runtime: Runtime,
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
  runtime: Runtime,
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

/** Formats a resource for an agent. */
export const presentResource = (uri: string, parts: readonly ContentPart[]): ReadResourceResult => ({
  contents: parts.map((part) => {
    if (part.type === 'file') return { uri, mimeType: part.mediaType, blob: base64(part.bytes) };
    return { uri, mimeType: 'text/plain', text: part.type === 'text' ? part.text : part.uri };
  }),
});

function blockOf(appId: string, part: ContentPart): ContentBlock {
  if (part.type === 'text') return part;
  if (part.type === 'link') return { type: 'resource_link', uri: uriFor(appId, part.uri), name: part.name };
  const { name, mediaType, bytes } = part;
  if (mediaType.startsWith('image/')) return { type: 'image', mimeType: mediaType, data: base64(bytes) };
  const uri = uriFor(appId, `file:///${encodeURIComponent(name)}`);
  return { type: 'resource', resource: { uri, mimeType: mediaType, blob: base64(bytes) } };
}

/** Formats a filled-in prompt for an agent. */
export const presentPrompt = (
  appId: string,
  { description, messages }: Awaited<ReturnType<Runtime['prompts']['get']>>,
): GetPromptResult => ({
  ...(description !== '' && { description }),
  messages: messages.map(({ role, part }) => ({ role, content: blockOf(appId, part) })),
});
