import { type AppTool, type InstalledApp, type Runtime, RuntimeError } from '@svc/runtime';
import { describedBy, toolSchema } from '@svc/runtime/parts';
import { SEARCH } from '../gateway/meta-tools.ts';
import {
  createFinder,
  type FindTool,
  type Offered,
  offeredTools,
  usableApps,
} from '../gateway/offered-tools.ts';
import { searchTools } from '../gateway/search-tools.ts';
import { toolDefinition } from '../gateway/tool-definition.ts';
import type { ToolRefresh } from '../gateway/tool-refresh.ts';
import type { ModelTool } from './model-server.ts';

/** Tools from this number on are searched and not listed. */
const MAX_LISTED = 40;

/** The apps of a conversation: those of its project, but for the ones that are switched off in it. */
export type ChatScope = { project: string; off: readonly string[] };

/** A tool whose files are given as ids. */
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
      description: 'As the schema of the tool has them. Files are given by their ids.',
    },
  },
  required: ['name'],
  additionalProperties: false,
};

/** Search in place of a list: the gateway's, but files are given as ids. */
const SEARCHED: readonly ModelTool[] = [FIND, CALL].flatMap((one) =>
  one === undefined
    ? []
    : [
        {
          name: one.name,
          description: one.description ?? '',
          inputSchema: one === CALL ? CALL_SCHEMA : one.inputSchema,
        },
      ],
);

export type ChatTools = {
  /** What a model is offered now. Nothing is asked over the network. */
  offered(scope: ChatScope): ModelTool[];
  /** Tools for words of what they do, as JSON with their schemas. */
  search(scope: ChatScope, query: string, app?: string): Promise<string>;
  /** @throws RuntimeError `unknown-tool`, and when the app may not be used */
  find(scope: ChatScope, name: string, signal: AbortSignal): ReturnType<FindTool>;
};

/** The tools of apps as conversations use them. */
export function createChatTools(runtime: Runtime, refresh: ToolRefresh): ChatTools {
  const finders = new Map<string, FindTool>();
  const audience = (project: string) => ({ project, provider: 'svc-chat' });
  const appsOf = ({ project, off }: ChatScope) =>
    usableApps(runtime, audience(project)).filter(({ app }) => !off.includes(app.appId));
  function finder(project: string): FindTool {
    const found = finders.get(project) ?? createFinder(runtime, audience(project));
    finders.set(project, found);
    return found;
  }
  return {
    offered(scope) {
      const apps = appsOf(scope);
      const tools = offeredTools(apps, define);
      refresh.ask(
        apps.filter(({ listed }) => !listed).map(({ app }) => app.appId),
        scope.project,
      );
      return tools.length > MAX_LISTED ? [...SEARCHED] : tools.map(modelTool);
    },
    async search(scope, query, app) {
      const all = () => offeredTools(appsOf(scope), define);
      const found = searchTools(all(), query, app);
      await refresh.wait(
        found.map((one) => one.app.appId),
        scope.project,
      );
      const names = new Set(found.map(({ definition }) => definition.name));
      return JSON.stringify({
        tools: all()
          .filter(({ definition }) => names.has(definition.name))
          .map(modelTool),
      });
    },
    async find(scope, name, signal) {
      const found = await finder(scope.project)(name, signal);
      if (scope.off.includes(found.app.appId))
        throw new RuntimeError('switched-off', 'The app is switched off in this conversation.');
      return found;
    },
  };
}
