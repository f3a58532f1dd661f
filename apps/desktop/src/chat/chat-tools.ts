import type { AppTool, InstalledApp } from '@svc/runtime';
import { describedBy, refusalsFor, toolSchema } from '@svc/runtime/parts';
import type { DesktopRuntime } from '../desktop.ts';
import { SEARCH } from '../gateway/meta-tools.ts';
import {
  type Audience,
  createFinder,
  type FindTool,
  findListed,
  type Offered,
  offeredTools,
  toolDefinition,
  usableApps,
} from '../gateway/offered-tools.ts';
import type { ToolRefresh } from '../gateway/tool-refresh.ts';
import { MAX_LISTED_TOOLS } from '../wire/limits.ts';
import type { ModelTool } from './model-server.ts';

/** How long the first message waits for lists of tools, in milliseconds. */
const READY_MS = 2_000;

/** The apps of a conversation: those of its project, except the ones switched off in it. */
export type ChatScope = { project: string; off: readonly string[] };

/** The definition of a tool, with files given by id. */
const define = (app: InstalledApp, tool: AppTool) => ({
  ...toolDefinition(app, tool),
  inputSchema: toolSchema(tool),
});

const modelTool = ({ app, definition }: Offered): ModelTool => ({
  name: definition.name,
  description: describedBy(app.manifest.name, definition.description ?? ''),
  inputSchema: definition.inputSchema,
});

const [FIND, CALL] = SEARCH;
const CALL_SCHEMA = {
  type: 'object',
  properties: {
    name: { type: 'string', description: 'Name of the tool, as find_tools gives it.' },
    arguments: {
      type: 'object',
      description: 'Arguments that match the schema of the tool. Files are given by their ids.',
    },
  },
  required: ['name'],
  additionalProperties: false,
};

/** The search tools of the gateway, with files given by id. */
const SEARCHED: readonly ModelTool[] = [FIND, CALL].flatMap((tool) =>
  tool === undefined
    ? []
    : [
        {
          name: tool.name,
          description: tool.description ?? '',
          inputSchema: tool === CALL ? CALL_SCHEMA : tool.inputSchema,
        },
      ],
);

/** The tools of apps as conversations use them. */
export function createChatTools(runtime: DesktopRuntime, refresh: ToolRefresh) {
  const finders = new Map<string, FindTool>();
  const audience = (project: string): Audience => ({ as: 'model', project, provider: 'svc-chat' });
  const callerOf = ({ project, off }: ChatScope): Audience => ({ ...audience(project), appsOff: off });
  const appsOf = (scope: ChatScope) => usableApps(runtime, callerOf(scope));
  function finder(project: string): FindTool {
    const found = finders.get(project) ?? createFinder(runtime, audience(project));
    finders.set(project, found);
    return found;
  }
  /** The servers that were asked once: one that is away must not delay each message. */
  const asked = new Set<string>();
  const unlisted = (scope: ChatScope) =>
    appsOf(scope)
      .filter(({ listed }) => !listed)
      .map(({ app }) => app.appId);
  return {
    /** Waits for the servers that have not listed their tools yet, up to two seconds. @param waiting called if there are any */
    async ready(scope: ChatScope, waiting: () => void) {
      const first = unlisted(scope).filter((appId) => !asked.has(`${scope.project} ${appId}`));
      if (first.length === 0) return;
      for (const appId of first) asked.add(`${scope.project} ${appId}`);
      waiting();
      await refresh.wait(first, scope.project, READY_MS);
    },
    /** The tools to offer to the model now, without network requests. */
    offered(scope: ChatScope) {
      const tools = offeredTools(appsOf(scope), callerOf(scope), define);
      refresh.request(unlisted(scope), scope.project);
      return tools.length > MAX_LISTED_TOOLS ? [...SEARCHED] : tools.map(modelTool);
    },
    /** Searches tools by what they do. @returns JSON with their schemas */
    async search(scope: ChatScope, query: string, app?: string): Promise<string> {
      const all = () => offeredTools(appsOf(scope), callerOf(scope), define);
      const found = await findListed(all, { query, app, project: scope.project }, refresh);
      return JSON.stringify({ tools: found.map(modelTool) });
    },
    /** @throws RuntimeError `unknown-tool`, and if the tool may not be used */
    async find(scope: ChatScope, name: string, signal: AbortSignal) {
      const found = await finder(scope.project)(name, signal);
      const caller = callerOf(scope);
      const refusal = refusalsFor(caller, found.app)(found.tool);
      if (refusal) throw refusal;
      return { ...found, caller };
    },
  };
}

export type ChatTools = ReturnType<typeof createChatTools>;
