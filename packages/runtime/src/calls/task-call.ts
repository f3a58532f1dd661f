import {
  type CallToolResult,
  type Client,
  ProtocolError,
  type StandardSchemaV1,
  specTypeSchemas,
  type Tool,
} from '@modelcontextprotocol/client';
import { inBackground } from '@svc/contracts/guarded';
import { z } from 'zod';
import type { System } from '../platform/system.ts';

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

type Call = { name: string; arguments: Record<string, unknown> };
type Options = {
  /** Options of each request. */
  of(signal: AbortSignal): { signal: AbortSignal; timeout: number };
  signal: AbortSignal;
  onProgress?: ((progress: { progress: number; message?: string }) => void) | undefined;
};

/** Whether a server runs calls of tools as tasks. In MCP 2026-07-28 it does so only for clients that declare an extension. */
export function offersTasks(mcp: Client): boolean {
  const { tasks } = (mcp.getServerCapabilities() ?? {}) as {
    tasks?: { requests?: { tools?: { call?: unknown } } };
  };
  return mcp.getProtocolEra() !== 'modern' && tasks?.requests?.tools?.call !== undefined;
}

/** The tools that can only be called as tasks (MCP 2025-11-25, "Tool-Level Negotiation"). */
export const toolsThatNeedTasks = (tools: readonly Tool[]): ReadonlySet<string> =>
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
export async function callAsTask(
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
