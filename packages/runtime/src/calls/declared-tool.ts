import type { Tool } from '@svc/contracts';
import { enforcedFootprint, type InstalledApp } from '../library/installed-app.ts';
import { RuntimeError } from '../platform/runtime-error.ts';

/** The tools that the manifest of an app declares. */
export const declaredTools = (app: InstalledApp): readonly Tool[] => app.manifest.contributes.tools ?? [];

/**
 * A tool that the manifest declares and the user agreed to.
 * @throws RuntimeError `unknown-tool`
 */
function declaredTool(app: InstalledApp, id: string): Tool {
  const tool = declaredTools(app).find((declared) => declared.id === id);
  if (!tool || !enforcedFootprint(app).tools.some((one) => one.id === id))
    throw new RuntimeError('unknown-tool');
  return tool;
}

/** Whether an app is a connector: added by URL or command, without a published manifest. */
export const isConnector = (app: InstalledApp): boolean => app.source.kind === 'connector';

/** Names that a server may give its tools (MCP, "Tool Names"). */
const TOOL_NAME = /^[\w.\-/]{1,128}$/;

/** Whether a tool name of a server is valid. */
export const isToolName = (name: string): boolean => TOOL_NAME.test(name);

/**
 * The tool to call: a declared one, or any tool of a connector's server.
 * @throws RuntimeError `unknown-tool`
 */
export function toolOf(app: InstalledApp, id: string): Tool {
  if (!isConnector(app)) return declaredTool(app, id);
  if (!isToolName(id)) throw new RuntimeError('unknown-tool');
  return { id, name: id, description: id };
}

/**
 * The account whose token a tool needs; null when it needs none. A server with a discovered account (`auth: 'mcp'`) requires the token
 * on every request, so that account applies to every tool.
 */
export function accountOf(app: InstalledApp, tool: Pick<Tool, 'account'>): string | null {
  const { accounts = [] } = app.manifest;
  return tool.account ?? accounts.find(({ auth }) => auth === 'mcp')?.id ?? null;
}

/**
 * Requires that an app is on and not yanked.
 * @throws RuntimeError `withdrawn`, `switched-off`
 */
export function requireEnabled(app: InstalledApp): void {
  if (app.withdrawn) {
    throw new RuntimeError('withdrawn', undefined, { detail: { reason: app.withdrawn.reason } });
  }
  if (!app.on) throw new RuntimeError('switched-off');
}
