import type { Tool as ServerTool } from '@modelcontextprotocol/client';
import type { RuntimeEvent } from '../events/events.ts';
import type { InstalledApp } from '../library/installed-app.ts';
import { type AppTool, offeredTools } from './list-tools.ts';
import { NO_PINS, type ToolPins } from './pins/tool-pins.ts';
import type { Secrets } from './secrets.ts';

/** Where the schemas of tools are from: the server in this process, an earlier listing that is kept, or nowhere. */
export type Listing = 'now' | 'last' | 'unknown';

type Known = Pick<InstalledApp, 'manifest' | 'source'> & { tools: AppTool[]; listing: Listing };

/** The last known tools of each app, for callers that cannot wait for a request. */
export type KnownTools = {
  /** Takes a `tools/list` response of an app's server. @returns the tools as they are accepted */
  record(app: InstalledApp, listed: readonly ServerTool[], secrets: Secrets): AppTool[];
  /** The known tools of an app: as accepted, or those of the manifest before the first `tools/list` response. */
  of(app: InstalledApp): { tools: AppTool[]; listing: Listing };
  /** Discards tools that an event may have changed: another account may have other tools, and a folder other code. */
  handleEvent(event: RuntimeEvent): void;
};

/** Whether two records are of the same bundle, URL or folder state. Compares identities only, as lists compare many. */
function isSame(a: Pick<InstalledApp, 'manifest' | 'source'>, b: typeof a): boolean {
  if (a.source.kind === 'store' && b.source.kind === 'store') return a.source.sha256 === b.source.sha256;
  if (a.source.kind === 'connector' && b.source.kind === 'connector') return a.source.url === b.source.url;
  return a.manifest === b.manifest;
}

/** Creates the cache, in memory, for the installed version of each app. What is accepted of each server is in `pins`. */
export function createKnownTools(pins: ToolPins): KnownTools {
  const known = new Map<string, Known>();

  /** The entry of this version of the app. */
  function find(app: InstalledApp): Known | undefined {
    const entry = known.get(app.appId);
    return entry && isSame(entry, app) ? entry : undefined;
  }

  function put({ appId, ...app }: InstalledApp, tools: AppTool[], listing: Listing): Known {
    const entry = { manifest: app.manifest, source: app.source, tools, listing };
    known.set(appId, entry);
    return entry;
  }

  function fromPins(app: InstalledApp): Known {
    const pinned = pins.of(app);
    return put(app, offeredTools(app, pinned?.listed ?? null), pinned ? 'last' : 'unknown');
  }

  return {
    record(app, listed, secrets) {
      const kept = app.source.kind === 'built-in' ? NO_PINS : pins;
      return put(app, offeredTools(app, kept.settle(app, secrets.strip(listed))), 'now').tools;
    },
    of: (app) => find(app) ?? fromPins(app),
    handleEvent(event) {
      const { appId } = 'appId' in event ? event : { appId: null };
      const harmless = [
        'call-started',
        'call-ended',
        'token-used',
        'server-repaired',
        'panel-opened',
        'panel-closed',
        'tools-changed',
      ];
      if (appId !== null && !harmless.includes(event.type)) known.delete(appId);
    },
  };
}
