import { join } from 'node:path';
import type { Runtime, ToolsNow } from '@svc/runtime';
import { openPrivateDatabase } from '@svc/runtime/parts';
import { z } from 'zod';
import type { ToolView } from '../wire/views.ts';

/** Longest JSON that is kept of the tools of one app, in characters, and the most apps. */
const MAX_JSON = 1024 * 1024;
const MAX_APPS = 500;

/** The schemas that the server of an app listed last, kept from one start to the next. */
export type RememberedTools = {
  /** The tools as they are known now. What a server listed in this run is kept on the way. */
  view(now: ToolsNow): ToolView[];
  close(): void;
};

const Kept = z.array(
  z.looseObject({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    inputSchema: z.record(z.string(), z.unknown()),
    files: z.record(z.string(), z.record(z.string(), z.unknown())),
    confirms: z.boolean(),
    account: z.string().nullable(),
  }),
);

/** What a listing belongs to: a bundle by its hash, a connector by its address, a folder by its path. */
const editionOf = ({ app: { source, version } }: ToolsNow): string => {
  if (source.kind === 'store') return source.sha256;
  return JSON.stringify([version, source]);
};

const isConnector = ({ app }: ToolsNow): boolean => app.source.kind === 'connector';

/** What was kept, and not changed by another program meanwhile. */
function parsed(json: unknown): ToolView[] {
  try {
    const { success, data } = Kept.safeParse(JSON.parse(String(json)));
    return success ? data.map((tool) => ({ ...tool, schema: 'last' }) as ToolView) : [];
  } catch {
    return [];
  }
}

/**
 * The tools that a manifest declares, with the schemas of an earlier listing. Name, description, files, account and card come from the
 * manifest alone; a connector declares none, so that its tools are those of the listing.
 */
function combined(now: ToolsNow, last: readonly ToolView[]): ToolView[] {
  if (isConnector(now)) return [...last];
  const byId = new Map(last.map((tool) => [tool.id, tool]));
  return now.tools.map((tool) => {
    const earlier = byId.get(tool.id);
    return earlier
      ? { ...tool, inputSchema: earlier.inputSchema, schema: 'last' }
      : { ...tool, schema: 'unknown' };
  });
}

/**
 * Opens what is remembered in a folder. Schemas are what servers send to agents: no argument, result or token is in them. What an app
 * listed is forgotten with the app.
 * @param folder which is there, for its owner alone
 */
export function openRememberedTools(runtime: Pick<Runtime, 'events'>, folder: string): RememberedTools {
  const database = openPrivateDatabase(join(folder, 'tools.sqlite'));
  database.exec('create table if not exists tools (app_id text primary key, edition text, json text) strict');
  const select = database.prepare('select edition, json from tools where app_id = ?');
  const remove = database.prepare('delete from tools where app_id = ?');
  const insert = database.prepare('insert or replace into tools (app_id, edition, json) values (?, ?, ?)');
  const prune = database.prepare(
    `delete from tools where rowid <= (select rowid from tools order by rowid desc limit 1 offset ${MAX_APPS})`,
  );
  const stop = runtime.events.subscribe((event) => {
    if (event.type === 'app-removed') remove.run(event.appId);
  });

  // A listing stays the same list until its server is heard again.
  const seen = new WeakSet<ToolsNow['tools']>();

  function remember(now: ToolsNow): void {
    if (seen.has(now.tools)) return;
    seen.add(now.tools);
    const { appId } = now.app;
    const [edition, json] = [editionOf(now), JSON.stringify(now.tools)];
    const kept = select.get(appId);
    if (json.length > MAX_JSON || (kept?.edition === edition && kept.json === json)) return;
    insert.run(appId, edition, json);
    prune.run();
  }

  return {
    view(now) {
      if (now.listed) {
        remember(now);
        return now.tools.map((tool) => ({ ...tool, schema: 'now' }));
      }
      const kept = select.get(now.app.appId);
      return combined(now, kept?.edition === editionOf(now) ? parsed(kept.json) : []);
    },
    close() {
      stop();
      database.close();
    },
  };
}
