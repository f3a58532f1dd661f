import type { InstalledApp } from '../library/installed-app.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import { type AppTool, isVisibleTo } from './known-tools.ts';

/** Who uses a tool, and what the user switched off for them. */
export type ToolCaller = {
  /** The user, a model of a conversation or an agent, or a page of the app. */
  as: 'user' | 'model' | 'page';
  /** The chat provider of a model, or of the agent that shows a page. An app that names providers offers its tools to no other. */
  provider?: string | null;
  /** All that is offered to the caller, by app: some of its tools alone, or, with null, the whole app. Everything, if omitted. */
  only?(): ReadonlyMap<string, readonly string[] | null>;
  /** The apps that are switched off for the caller, as in a conversation. */
  appsOff?: readonly string[];
  /** The tools that are switched off for the caller. @returns whether a tool is one */
  switchedOff?(): (appId: string, tool: string) => boolean;
};

/** A caller of which a client says nothing may use what models may. */
export const ANY_MODEL: ToolCaller = { as: 'model' };

const unknownTool = (): RuntimeError => new RuntimeError('unknown-tool');

const isForProvider = ({ manifest: { requires } }: InstalledApp, { provider }: ToolCaller): boolean =>
  provider === undefined ||
  requires?.providers === undefined ||
  requires.providers.some((name) => name === provider);

/** Why a caller may not use an app; null if it may. */
export function refusalOfApp(caller: ToolCaller, app: InstalledApp): RuntimeError | null {
  if (!isForProvider(app, caller)) return unknownTool();
  if (caller.only?.().has(app.appId) === false) return unknownTool();
  if (!caller.appsOff?.includes(app.appId)) return null;
  return new RuntimeError('switched-off', 'The app is switched off in this conversation.');
}

/** Whether a caller may use what an app has beside its tools: prompts, resources and panels. */
export const mayUseAll = (caller: ToolCaller, app: InstalledApp): boolean =>
  refusalOfApp(caller, app) === null && !caller.only?.().get(app.appId);

/**
 * Answers which of the accepted tools of an app a caller may use, for lists and for calls alike. Every call asks it (`callTool`).
 * @returns for one tool: why the caller may not use it, or null
 */
export function refusalsFor(
  caller: ToolCaller,
  app: InstalledApp,
): (tool: Pick<AppTool, 'id' | 'given'>) => RuntimeError | null {
  const ofApp = refusalOfApp(caller, app);
  const isOff = caller.switchedOff?.();
  const only = caller.only?.().get(app.appId);
  return (tool) => {
    if (ofApp) return ofApp;
    if (caller.as !== 'user' && !isVisibleTo(tool, caller.as === 'page' ? 'app' : 'model'))
      return unknownTool();
    if (only?.includes(tool.id) === false) return unknownTool();
    if (!isOff?.(app.appId, tool.id)) return null;
    return new RuntimeError('switched-off', 'The user switched this tool off for this agent.');
  };
}

/** The tools of an app that a caller may use. */
export function usableTools(caller: ToolCaller, app: InstalledApp, tools: readonly AppTool[]): AppTool[] {
  const refusalOf = refusalsFor(caller, app);
  return tools.filter((tool) => refusalOf(tool) === null);
}
