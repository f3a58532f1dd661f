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
import type { ContentPart, Runtime } from '@svc/runtime';
import { mayBeModelNameOf, modelName } from '@svc/runtime/parts';
import { type Audience, usableApps } from './offered-tools.ts';

/** How long one connector may take for a list, in milliseconds: those of the others are not kept waiting. */
const LIST_MS = 20_000;

/** What separates the id of a connector from an address of its own. No id has it. */
const BETWEEN = '+';

/**
 * An address as agents know it: that of the server behind the id of its connector, which makes it one of a scheme of its own (RFC
 * 3986 section 3.1). So addresses of two connectors never meet, and a template stays one.
 */
const uriFor = (appId: string, uri: string): string => `${appId}${BETWEEN}${uri}`;

const notFound = (what: string): ProtocolError =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no such ${what} here.`);

/** The connectors that a session may use, by id. */
const connectorsOf = (runtime: Runtime, audience: Audience): string[] =>
  usableApps(runtime, audience).flatMap(({ app }) => (app.source.kind === 'connector' ? [app.appId] : []));

/** Asks all connectors at once. One that cannot be asked has nothing: its tools say why. */
async function ofEach<T>(
  runtime: Runtime,
  audience: Audience,
  signal: AbortSignal,
  list: (appId: string, where: { project: string; signal: AbortSignal }) => Promise<T[]>,
): Promise<T[]> {
  const { project } = audience;
  const asked = connectorsOf(runtime, audience).map((appId) =>
    list(appId, { project, signal: AbortSignal.any([signal, AbortSignal.timeout(LIST_MS)]) }),
  );
  const answers = await Promise.allSettled(asked);
  signal.throwIfAborted();
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
}

export const listResources = (
  runtime: Runtime,
  audience: Audience,
  signal: AbortSignal,
): Promise<Resource[]> =>
  ofEach(runtime, audience, signal, async (appId, where) => {
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
  ofEach(runtime, audience, signal, async (appId, where) => {
    const { templates } = await runtime.resources.list(appId, where);
    return templates.entries.map(({ uriTemplate, name, description, type }) => ({
      uriTemplate: uriFor(appId, uriTemplate),
      name,
      ...(description !== '' && { description }),
      ...(type !== null && { mimeType: type }),
    }));
  });

export const listPrompts = (runtime: Runtime, audience: Audience, signal: AbortSignal): Promise<Prompt[]> =>
  ofEach(runtime, audience, signal, async (appId, where) => {
    const { entries } = await runtime.prompts.list(appId, where);
    return entries.map(({ id, name, description, arguments: args }) => ({
      name: modelName(appId, id),
      title: name,
      description,
      arguments: args.map((one) => ({
        name: one.name,
        description: one.description,
        required: one.isRequired,
      })),
    }));
  });

/** Whose resource an address is. @throws ProtocolError when it is of no connector that the session may use */
export function resourceOf(
  runtime: Runtime,
  audience: Audience,
  address: string,
): { appId: string; uri: string } {
  const at = address.indexOf(BETWEEN);
  const appId = address.slice(0, Math.max(at, 0));
  if (!connectorsOf(runtime, audience).includes(appId)) throw notFound('resource');
  return { appId, uri: address.slice(at + 1) };
}

/** Whose prompt a name is. @throws ProtocolError when there is none that the session may use */
export async function promptOf(
  runtime: Runtime,
  audience: Audience,
  name: string,
  signal: AbortSignal,
): Promise<{ appId: string; id: string }> {
  const { project } = audience;
  for (const appId of connectorsOf(runtime, audience).filter((one) => mayBeModelNameOf(name, one))) {
    const { entries } = await runtime.prompts.list(appId, { project, signal });
    const found = entries.find(({ id }) => modelName(appId, id) === name);
    if (found) return { appId, id: found.id };
  }
  throw notFound('prompt');
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

/** What a resource holds, as an agent gets it. */
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

/** A prompt that was filled in, as an agent gets it. */
export const presentPrompt = (
  appId: string,
  { description, messages }: Awaited<ReturnType<Runtime['prompts']['get']>>,
): GetPromptResult => ({
  ...(description !== '' && { description }),
  messages: messages.map(({ role, part }) => ({ role, content: blockOf(appId, part) })),
});
