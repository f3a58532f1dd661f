import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { CallResult, ResultPart } from '../../calls/read-result.ts';
import { RuntimeError } from '../../platform/runtime-error.ts';
import { type Method, method } from './bridge.ts';
import type { ToolContent, ToolResult } from './messages.ts';
import { type MethodDeps, requireMayRun } from './method-deps.ts';
import type { AskInTurn } from './prompt-limiter.ts';

/** Maximum files of one call. */
const MAX_FILES = 32;

/** The parameters of MCP's `tools/call`, plus files that were passed to the panel, by argument. */
const ToolCall = z.strictObject({
  name: z.string().max(100),
  arguments: z.record(z.string(), z.unknown()).default({}),
  files: z.record(z.string().max(100), z.array(z.string().max(64)).max(MAX_FILES)).default({}),
  _meta: z.unknown().optional(),
});
type ToolCall = z.output<typeof ToolCall>;

/** Whether a call shows a prompt to the user: to approve it, or to connect the account it needs. */
async function needsPrompt({ app, accounts }: MethodDeps, name: string): Promise<boolean> {
  const tool = app.manifest.contributes.tools?.find(({ id }) => id === name);
  if (tool?.confirm) return true;
  if (tool?.account === undefined) return false;
  return !(await accounts.list(app)).some(({ id, connected }) => id === tool.account && connected);
}

/** Adds a file that the tool returned to the panel's files. If the panel's limit is reached, only its name is returned: the call succeeded. */
async function handOver(deps: MethodDeps, { file }: ResultPart & { type: 'file' }): Promise<ToolContent> {
  const { name, type, path } = file;
  try {
    const bytes = await readFile(path);
    const id = deps.files.add({ name, type, bytes });
    return { type: 'resource_link', uri: deps.addressOf(id), name, mimeType: type, size: bytes.length };
  } catch (error) {
    if (!(error instanceof RuntimeError)) throw error;
    return { type: 'text', text: `[The file ${name} was not handed to the panel: ${error.message}]` };
  }
}

async function resultOf(deps: MethodDeps, { parts, structured, isError }: CallResult): Promise<ToolResult> {
  const content: ToolContent[] = [];
  for (const part of parts) content.push(part.type === 'text' ? part : await handOver(deps, part));
  return { content, ...(structured && { structuredContent: structured }), isError };
}

async function call(deps: MethodDeps, given: ToolCall, signal: AbortSignal): Promise<ToolResult> {
  requireMayRun(deps);
  if (!deps.call) throw new RuntimeError('not-offered');
  const files = Object.entries(given.files).map(([param, ids]) => [
    param,
    ids.map((id) => deps.files.get(id)),
  ]);
  const request = {
    tool: given.name,
    arguments: given.arguments,
    files: Object.fromEntries(files),
    signal,
  };
  const result = await deps.call(deps.app, request);
  signal.throwIfAborted();
  return resultOf(deps, result);
}

/** The methods for tools of the app. The runtime makes the calls, so tokens stay in it. */
export const toolMethods = (deps: MethodDeps, inTurn: AskInTurn): [string, Method][] => [
  [
    'tools/call',
    method(ToolCall, async (given, signal) =>
      (await needsPrompt(deps, given.name))
        ? inTurn(() => call(deps, given, signal))
        : call(deps, given, signal),
    ),
  ],
];
