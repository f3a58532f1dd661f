import type {
  Client,
  CompleteRequest,
  CompleteResult,
  GetPromptResult,
  Prompt,
  ReadResourceResult,
  RequestOptions,
  Resource,
  ResourceTemplateType,
} from '@modelcontextprotocol/client';
import { RuntimeError } from '../platform/runtime-error.ts';

/** Time limit for ending a subscription, in milliseconds. */
const UNSUBSCRIBE_MS = 5_000;
/** Maximum number of pages of a list. */
const MAX_PAGES = 8;

/** Entries of a list; `isComplete` is false when it was truncated. */
export type Listed<T> = { items: T[]; isComplete: boolean };

/** A server without resources and prompts. */
export const NO_CONTENT: ServerContent = {
  resources: async () => ({ items: [], isComplete: true }),
  templates: async () => ({ items: [], isComplete: true }),
  prompts: async () => ({ items: [], isComplete: true }),
  read: async () => {
    throw new RuntimeError('not-offered');
  },
  prompt: async () => {
    throw new RuntimeError('not-offered');
  },
  complete: async () => ({ values: [] }),
  subscribe: async () => {
    throw new RuntimeError('not-offered');
  },
};

/** Reads a list page by page, truncating an endless one. */
async function pagesOf<T>(
  page: (params: { cursor?: string }) => Promise<{ items: T[]; next: string | undefined }>,
): Promise<Listed<T>> {
  const items: T[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const { items: more, next } = await page(cursor === undefined ? {} : { cursor });
    items.push(...more);
    if (next === undefined || next === cursor) return { items, isComplete: true };
    cursor = next;
  }
  return { items, isComplete: false };
}

/**
 * Resources and prompts of a server. Uses plain requests: the list methods of the MCP client fail for long lists, and its cache is
 * unbounded.
 */
export function serverContent(mcp: Client, optionsOf: (signal: AbortSignal) => RequestOptions) {
  const empty = { items: [], isComplete: true };
  return {
    async resources(signal: AbortSignal): Promise<Listed<Resource>> {
      if (!mcp.getServerCapabilities()?.resources) return empty;
      return pagesOf(async (params) => {
        const found = await mcp.request({ method: 'resources/list', params }, optionsOf(signal));
        return { items: found.resources, next: found.nextCursor };
      });
    },
    async templates(signal: AbortSignal): Promise<Listed<ResourceTemplateType>> {
      if (!mcp.getServerCapabilities()?.resources) return empty;
      return pagesOf(async (params) => {
        const found = await mcp.request({ method: 'resources/templates/list', params }, optionsOf(signal));
        return { items: found.resourceTemplates, next: found.nextCursor };
      });
    },
    async prompts(signal: AbortSignal): Promise<Listed<Prompt>> {
      if (!mcp.getServerCapabilities()?.prompts) return empty;
      return pagesOf(async (params) => {
        const found = await mcp.request({ method: 'prompts/list', params }, optionsOf(signal));
        return { items: found.prompts, next: found.nextCursor };
      });
    },
    read: (uri: string, signal: AbortSignal): Promise<ReadResourceResult> =>
      mcp.readResource({ uri }, { ...optionsOf(signal), cacheMode: 'bypass' }),
    prompt: (name: string, args: Record<string, string>, signal: AbortSignal): Promise<GetPromptResult> =>
      mcp.getPrompt({ name, arguments: args }, optionsOf(signal)),
    /** Suggests values of an argument of a prompt or a resource template (MCP, "Completion"); none where the server has no suggestions. */
    async complete(
      params: CompleteRequest['params'],
      signal: AbortSignal,
    ): Promise<CompleteResult['completion']> {
      if (!mcp.getServerCapabilities()?.completions) return { values: [] };
      return (await mcp.complete(params, optionsOf(signal))).completion;
    },
    /** Has the server tell when a resource changes. @returns ends that */
    async subscribe(uri: string, signal: AbortSignal): Promise<() => Promise<void>> {
      if (!mcp.getServerCapabilities()?.resources?.subscribe) throw new RuntimeError('not-offered');
      if (mcp.getProtocolEra() === 'modern') {
        const subscription = await mcp.listen({ resourceSubscriptions: [uri] }, optionsOf(signal));
        return () => subscription.close();
      }
      await mcp.subscribeResource({ uri }, optionsOf(signal));
      return async () => {
        await mcp.unsubscribeResource({ uri }, optionsOf(AbortSignal.timeout(UNSUBSCRIBE_MS)));
      };
    },
  };
}

/** Resources and prompts of a server. Errors are those of the MCP client; see `faultOf`. */
export type ServerContent = ReturnType<typeof serverContent>;
