import type { Tool as ServerTool } from '@modelcontextprotocol/client';
import type { RuntimeEvent } from '../events/events.ts';
import type { InstalledApp } from '../library/installed-app.ts';
import { type AppTool, offeredTools } from './list-tools.ts';
import type { Secrets } from './secrets.ts';

type Known = Pick<InstalledApp, 'manifest' | 'source'> & { tools: AppTool[]; listed: boolean };

/** The last known tools of each app, for callers that cannot wait for a request. */
export type KnownTools = {
  /** Stores the `tools/list` response of an app's server. */
  record(app: InstalledApp, listed: readonly ServerTool[], secrets: Secrets): AppTool[];
  /** The known tools of an app; those of the manifest before the first `tools/list` response. */
  of(app: InstalledApp, secrets: Secrets): AppTool[];
  /** Whether there is a `tools/list` response for this version of the app. */
  isListed(app: InstalledApp): boolean;
  /** Discards tools that an event may have changed: another account may have other tools, and a folder other code. */
  handleEvent(event: RuntimeEvent): void;
};

/** Whether two records are of the same bundle, URL or folder state. Compares identities only, as lists compare many. */
function isSame(a: Pick<InstalledApp, 'manifest' | 'source'>, b: typeof a): boolean {
  if (a.source.kind === 'store' && b.source.kind === 'store') return a.source.sha256 === b.source.sha256;
  if (a.source.kind === 'connector' && b.source.kind === 'connector') return a.source.url === b.source.url;
  return a.manifest === b.manifest;
}

/** Creates the cache, in memory, for the installed version of each app. */
export function createKnownTools(): KnownTools {
  const known = new Map<string, Known>();

  /** The entry of this version of the app. */
  function find(app: InstalledApp): Known | undefined {
    const entry = known.get(app.appId);
    return entry && isSame(entry, app) ? entry : undefined;
  }

  function record(app: InstalledApp, listed: readonly ServerTool[] | null, secrets: Secrets): AppTool[] {
    const tools = offeredTools(app, listed, secrets);
    known.set(app.appId, { manifest: app.manifest, source: app.source, tools, listed: listed !== null });
    return tools;
  }

  return {
    record,
    of: (app, secrets) => find(app)?.tools ?? record(app, null, secrets),
    isListed: (app) => find(app)?.listed === true,
    handleEvent(event) {
      const { appId } = 'appId' in event ? event : { appId: null };
      const harmless = [
        'call-started',
        'call-ended',
        'token-used',
        'server-repaired',
        'panel-opened',
        'panel-closed',
      ];
      if (appId !== null && !harmless.includes(event.type)) known.delete(appId);
    },
  };
}
