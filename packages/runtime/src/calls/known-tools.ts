import type { Tool as ServerTool } from '@modelcontextprotocol/client';
import type { RuntimeEvent } from '../events/events.ts';
import type { InstalledApp } from '../library/installed-app.ts';
import { type AppTool, offeredTools } from './list-tools.ts';
import type { Secrets } from './secrets.ts';

type Known = Pick<InstalledApp, 'manifest' | 'source'> & { tools: AppTool[]; listed: boolean };

/** What servers listed last, for those who cannot wait until one is asked. */
export type KnownTools = {
  /** Takes down what the server of an app listed. */
  record(app: InstalledApp, listed: readonly ServerTool[], secrets: Secrets): AppTool[];
  /** What is known of the tools of an app; without any word of its server, what the manifest says. */
  of(app: InstalledApp, secrets: Secrets): AppTool[];
  /** Whether the server of this very app was heard. */
  isListed(app: InstalledApp): boolean;
  /** Forgets what an event makes doubtful: another account may have other tools, and a folder other code. */
  handleEvent(event: RuntimeEvent): void;
};

/** Whether two records are of the same bytes, address or reading of a folder. Lists compare many, so nothing is looked into. */
function isSame(a: Pick<InstalledApp, 'manifest' | 'source'>, b: typeof a): boolean {
  if (a.source.kind === 'store' && b.source.kind === 'store') return a.source.sha256 === b.source.sha256;
  if (a.source.kind === 'connector' && b.source.kind === 'connector') return a.source.url === b.source.url;
  return a.manifest === b.manifest;
}

/** Remembers for as long as the process lives, and of the app as it is installed alone. */
export function createKnownTools(): KnownTools {
  const known = new Map<string, Known>();

  /** What was noted of this very app: another version, or a folder in its place, is another app. */
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
      const harmless = ['call-started', 'call-ended', 'token-used', 'panel-opened', 'panel-closed'];
      if (appId !== null && !harmless.includes(event.type)) known.delete(appId);
    },
  };
}
