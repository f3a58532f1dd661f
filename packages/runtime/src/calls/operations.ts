import {
  type CallToolResult,
  type Client,
  type CompleteRequest,
  type CompleteResult,
  type GetPromptResult,
  type Progress,
  type Prompt,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type RequestOptions,
  type Resource,
  type ResourceTemplateType,
  type StandardSchemaV1,
  specTypeSchemas,
  type Tool,
} from '@modelcontextprotocol/client';
import { inBackground } from '@svc/contracts/guarded';
import { z } from 'zod';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';

/** Disables the timeouts of the MCP client: calls are aborted by their signal, which uses the runtime's clock. */
export const NEVER_MS = 2 ** 31 - 1;

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

/** The list of a server that does not have its method, as many have none for resource templates, is empty. */
export function orNone<T>(none: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof ProtocolError && error.code === ProtocolErrorCode.MethodNotFound) return none;
    throw error;
  };
}

/**
 * Reads a list page by page, truncating an endless one, and up to the first cursor that repeats. An empty cursor, by which many servers
 * mean the end, brings a page that is refused or the same again.
 */
async function pagesOf<T>(
  page: (params: { cursor: string | undefined }) => Promise<{ items: T[]; next: string | undefined }>,
): Promise<Listed<T>> {
  const items: T[] = [];
  const cursors = new Set<string>();
  let cursor: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const none = { items: [], next: undefined };
    const { items: more, next } = await page({ cursor }).catch(cursor === '' ? () => none : orNone(none));
    if (cursor !== '' || JSON.stringify(more) !== JSON.stringify(items)) items.push(...more);
    if (next === undefined || cursors.has(next)) return { items, isComplete: true };
    cursors.add(next);
    cursor = next;
  }
  return { items, isComplete: false };
}

/**
 * Resources and prompts of a server. Uses plain requests: the list methods of the MCP client fail for long lists, and its cache is
 * unbounded.
 */
function serverContent(mcp: Client, optionsOf: (signal: AbortSignal) => RequestOptions) {
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

/** How often a task is asked for, in milliseconds, where its server says nothing, and the bounds of what it says. */
const POLL_MS = 1_000;
const MIN_POLL_MS = 250;
const MAX_POLL_MS = 15_000;
/** Time limit for cancelling a task, in milliseconds. */
const CANCEL_MS = 2_000;

const Task = z.looseObject({
  taskId: z.string().min(1).max(1_000),
  status: z.string(),
  statusMessage: z.string().nullish(),
  pollInterval: z.number().nullish(),
});
const Created = z.looseObject({ task: Task });

type Call = { name: string; arguments: Record<string, unknown>; _meta?: Record<string, unknown> };
type Options = {
  /** Options of each request. */
  of(signal: AbortSignal): { signal: AbortSignal; timeout: number };
  signal: AbortSignal;
  onProgress?: ((progress: { progress: number; message?: string }) => void) | undefined;
};

/** Whether a server runs calls of tools as tasks. In MCP 2026-07-28 it does so only for clients that declare an extension. */
function offersTasks(mcp: Client): boolean {
  const { tasks } = (mcp.getServerCapabilities() ?? {}) as {
    tasks?: { requests?: { tools?: { call?: unknown } } };
  };
  return mcp.getProtocolEra() !== 'modern' && tasks?.requests?.tools?.call !== undefined;
}

/** The tools that can only be called as tasks (MCP 2025-11-25, "Tool-Level Negotiation"). */
const toolsThatNeedTasks = (tools: readonly Tool[]): ReadonlySet<string> =>
  new Set(
    tools.flatMap(({ name, ...tool }) => {
      const { execution } = tool as { execution?: { taskSupport?: unknown } };
      return execution?.taskSupport === 'required' ? [name] : [];
    }),
  );

/**
 * Calls a tool as a task (MCP 2025-11-25, "Tasks"): asks for its status until it needs input or has ended, and then for its result, during
 * which its server asks what it needs. An aborted call cancels the task.
 */
async function callAsTask(
  mcp: Client,
  { sleep }: Pick<System, 'sleep'>,
  call: Call,
  { of, signal, onProgress }: Options,
): Promise<CallToolResult> {
  const request = <T extends StandardSchemaV1>(method: string, params: object, schema: T, during = signal) =>
    mcp.request({ method, params: { ...params } }, schema, of(during));
  let { task } = await request('tools/call', { ...call, task: {} }, Created);
  const { taskId } = task;
  try {
    for (let polls = 1; task.status === 'working'; polls += 1) {
      const { statusMessage, pollInterval } = task;
      onProgress?.({ progress: polls, ...(statusMessage && { message: statusMessage }) });
      await sleep(Math.min(Math.max(pollInterval ?? POLL_MS, MIN_POLL_MS), MAX_POLL_MS), signal);
      task = await request('tasks/get', { taskId }, Task);
    }
    if (task.status === 'cancelled')
      throw new ProtocolError(-1, task.statusMessage ?? 'The server cancelled it.');
    return await request('tasks/result', { taskId }, specTypeSchemas.CallToolResult);
  } finally {
    if (signal.aborted) {
      const cancelled = request('tasks/cancel', { taskId }, z.unknown(), AbortSignal.timeout(CANCEL_MS));
      inBackground(cancelled, () => undefined);
    }
  }
}

/** What a server is asked for, over any transport. */
export type Operations = {
  listTools(signal: AbortSignal): Promise<Tool[]>;
  callTool(
    name: string,
    args: Record<string, unknown>,
    options: {
      signal: AbortSignal;
      onProgress?: ((progress: Progress) => void) | undefined;
      /** Sent beside the arguments. */
      meta?: Record<string, unknown> | undefined;
    },
  ): Promise<CallToolResult>;
  /** Resources and prompts. */
  content: ServerContent;
};

/** The operations of a connection. */
export function operationsOf(mcp: Client, system: Pick<System, 'sleep'>): Operations {
  const requestOptions = (signal: AbortSignal) => ({ signal, timeout: NEVER_MS });
  const listTools = async (signal: AbortSignal): Promise<Tool[]> => {
    if (!mcp.getServerCapabilities()?.tools) return [];
    return (await mcp.listTools(undefined, requestOptions(signal)).catch(orNone({ tools: [] }))).tools;
  };
  // Only servers with tasks are asked for their list before a call.
  let asTasks: Promise<ReadonlySet<string>> | null = null;
  const needsTask = async (name: string, signal: AbortSignal): Promise<boolean> => {
    if (!offersTasks(mcp)) return false;
    asTasks ??= listTools(signal).then(toolsThatNeedTasks);
    asTasks.catch(() => {
      asTasks = null;
    });
    return (await asTasks).has(name);
  };
  return {
    listTools,
    async callTool(name, args, { signal, onProgress, meta }) {
      const call: Call = { name, arguments: args, ...(meta && { _meta: meta }) };
      if (await needsTask(name, signal))
        return callAsTask(mcp, system, call, { of: requestOptions, signal, onProgress });
      return mcp.callTool(call, {
        ...requestOptions(signal),
        ...(onProgress && { onprogress: onProgress }),
      });
    },
    content: serverContent(mcp, requestOptions),
  };
}
