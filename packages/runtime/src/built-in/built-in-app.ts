import type { CallToolResult, Tool } from '@modelcontextprotocol/client';
import type { Manifest } from '@svc/contracts';
import { footprintOf } from '@svc/permissions';
import type { Prepare } from '../files/ready-files.ts';
import type { InstalledApp } from '../library/installed-app.ts';

/** An app that is part of the client: its tools run in the client, without a server. */
export type BuiltInApp = {
  app: InstalledApp;
  /** Its icon, an SVG. */
  icon: string;
  /** Its tools, as an MCP server would list them. */
  tools: readonly Tool[];
  /**
   * Runs a tool. Files are passed as to a server: name, type and base64.
   * @param host the media operations of the runtime; `openRuntime` passes them
   * @throws RuntimeError
   */
  call(
    tool: string,
    args: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
    host?: { prepare: Prepare },
  ): Promise<CallToolResult>;
};

/** The manifest of a built-in app, which has no publisher, server or pictures. */
type BuiltInManifest = Omit<Manifest, 'pluginApiVersion' | 'publisher' | 'remote' | 'branding'>;

/** A built-in app in the form of the library. Its address has no host, so it has no network access. */
export function builtInApp(given: BuiltInManifest): InstalledApp {
  const manifest: Manifest = {
    ...given,
    pluginApiVersion: 3,
    publisher: 'built-in',
    remote: { mcpUrl: `built-in:${given.id}`, domains: [] },
    branding: { icon: 'assets/icon.svg' },
  };
  return {
    appId: manifest.id,
    version: manifest.version,
    manifest,
    consent: footprintOf(manifest),
    source: { kind: 'built-in' },
    on: true,
    yanked: null,
  };
}
