import type { Tool } from '@svc/contracts';
import { enforcedFootprint, type InstalledApp } from '../library/installed-app.ts';
import { RuntimeError } from '../platform/runtime-error.ts';

/** The tools that an app declares. */
export const declaredTools = (app: InstalledApp): readonly Tool[] => app.manifest.contributes.tools ?? [];

/**
 * A tool that the app declares, and a person agreed to.
 * @throws RuntimeError `unknown-tool`
 */
function declaredTool(app: InstalledApp, id: string): Tool {
  const tool = declaredTools(app).find((declared) => declared.id === id);
  if (!tool || !enforcedFootprint(app).tools.some((one) => one.id === id))
    throw new RuntimeError('unknown-tool');
  return tool;
}

/** Whether an app was added by the address of its server, and brought no manifest of its own. */
export const isConnector = (app: InstalledApp): boolean => app.source.kind === 'connector';

/** Names that a server may give its tools (MCP, "Tool Names"). */
const TOOL_NAME = /^[\w.\-/]{1,128}$/;

/** Whether a server's name for a tool may be used. */
export const isToolName = (name: string): boolean => TOOL_NAME.test(name);

/**
 * The tool that is called: a declared one, or for a connector whatever its server has.
 * @throws RuntimeError `unknown-tool`
 */
export function toolOf(app: InstalledApp, id: string): Tool {
  if (!isConnector(app)) return declaredTool(app, id);
  if (!isToolName(id)) throw new RuntimeError('unknown-tool');
  return { id, name: id, description: id };
}

/**
 * The account whose token a tool needs; null when it needs none. A server whose account is found by asking it wants its token
 * on every request, so that account counts for every tool.
 */
export function accountOf(app: InstalledApp, tool: Pick<Tool, 'account'>): string | null {
  const { accounts = [] } = app.manifest;
  return tool.account ?? accounts.find(({ auth }) => auth === 'mcp')?.id ?? null;
}

/**
 * An app that may run now.
 * @throws RuntimeError `withdrawn`, `switched-off`
 */
export function requireEnabled(app: InstalledApp): void {
  if (app.withdrawn) {
    throw new RuntimeError('withdrawn', undefined, { detail: { reason: app.withdrawn.reason } });
  }
  if (!app.on) throw new RuntimeError('switched-off');
}
