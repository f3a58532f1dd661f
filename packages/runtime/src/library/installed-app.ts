import { createHash } from 'node:crypto';
import type { Footprint, Manifest, Tool } from '@svc/contracts';
import { footprintOf } from '@svc/permissions';
import { RuntimeError } from '../platform/runtime-error.ts';

/** The source of an app: a store, a developer folder, an MCP server added by the user, or the client itself. */
export type AppSource =
  | {
      kind: 'store';
      store: string;
      /** The hash of the bundle whose signature was verified, and the id of the key that signed it. */
      sha256: string;
      keyId: string;
      /** From the signed statement. */
      publishedAt: string;
      /** When it was installed here; missing in records of earlier versions. */
      installedAt?: string;
    }
  | { kind: 'developer'; folder: string }
  | {
      kind: 'connector';
      /** Its URL; for a command, a name derived from it. */
      url: string;
      /** Missing for a server on the Internet. */
      local?: LocalConnector;
      /** Names of the headers that the user gave, in lower case. Their values are in the vault. */
      headers?: readonly string[];
    }
  | { kind: 'built-in' };

/** A program that serves MCP over standard input and output. */
export type LocalCommand = {
  program: string;
  args: readonly string[];
  /** The full path of the folder that it starts in. */
  folder: string;
  /** Names of additional environment variables that it gets. Their values are not stored. */
  variables: readonly string[];
};

/** A connector on this machine or the local network, as the user agreed to it. */
type LocalConnector =
  /** The IP addresses that its server may be at. */
  { kind: 'address'; addresses: readonly string[] } | ({ kind: 'command' } & LocalCommand);

/** What is local about an app; null for every app but a local connector. */
export const localPartOf = ({ source }: Pick<InstalledApp, 'source'>): LocalConnector | null =>
  source.kind === 'connector' ? (source.local ?? null) : null;

/** The names of the headers of a connector; none for any other app. */
export const headerNamesOf = ({ source }: Pick<InstalledApp, 'source'>): readonly string[] =>
  source.kind === 'connector' ? (source.headers ?? []) : [];

/** An installed app. */
export type InstalledApp = {
  appId: string;
  version: string;
  /** The verified manifest; for a connector a generated one. */
  manifest: Manifest;
  /**
   * The footprint that the user agreed to, of this version and with the hashes of its pictures. An update can also reduce it: a
   * permission that one update drops needs consent again in the next.
   */
  consent: Footprint;
  source: AppSource;
  on: boolean;
  /** Why the store yanked this version; null if it has not. */
  yanked: AppYank | null;
  /** When it was switched on again because the store had undone a yank; null since the user switched it, or an update replaced it. */
  restoredAt?: string | null;
};

/** The yank of an installed version. */
export type AppYank = {
  reason: string;
  at: string;
  /** Whether the app is on again, in the project asked for, once the store undoes the yank: it was on before, and the user left it so. */
  comesBack: boolean;
};

/** An app of a store. */
export type StoreApp = InstalledApp & { source: { kind: 'store' } };

const footprints = new WeakMap<Manifest, Footprint>();

/** The host of an app's server; empty for an app without one. */
export const serverHostOf = (app: Pick<InstalledApp, 'manifest'>): string =>
  URL.parse(enforcedFootprint(app).mcpUrl)?.host ?? '';

/** The enforced permissions of an app: computed from the verified manifest, not from the stored consent. */
export function enforcedFootprint({ manifest }: Pick<InstalledApp, 'manifest'>): Footprint {
  const footprint = footprints.get(manifest) ?? footprintOf(manifest);
  footprints.set(manifest, footprint);
  return footprint;
}

/**
 * The name of a command, in place of a server's address. It is derived from everything that the user agreed to, so that another
 * command is another connector, with a card of its own.
 */
export const commandUrl = ({ program, args, folder, variables }: LocalCommand): string =>
  `command:${createHash('sha256')
    .update(JSON.stringify([program, args, folder, variables]))
    .digest('hex')}`;

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
const TOOL_NAME = /^[\p{L}\p{M}\p{N}_.\-/]{1,128}$/u;

/** Whether a tool name of a server is valid: of letters and digits of any script, and `_`, `-`, `.` and `/`. Models and agents get a safe name where theirs are others. */
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
 * @throws RuntimeError `yanked`, `switched-off`
 */
export function requireEnabled({ appId, on, yanked }: InstalledApp): void {
  if (yanked) throw new RuntimeError('yanked', undefined, { detail: { appId, ...yanked } });
  if (!on) throw new RuntimeError('switched-off', undefined, { detail: { appId } });
}
