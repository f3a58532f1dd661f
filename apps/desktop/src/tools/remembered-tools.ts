import { join } from 'node:path';
import type { Runtime, ToolsNow } from '@svc/runtime';
import { openPrivateDatabase } from '@svc/runtime/parts';
import { z } from 'zod';
import type { ToolView } from '../wire/views.ts';

/** Longest stored JSON of one app's tools, in characters, and most stored apps. */
const MAX_JSON = 1024 * 1024;
const MAX_APPS = 500;

/** The last `tools/list` responses of apps' servers, across restarts. */
export type RememberedTools = {
  /** The currently known tools. It also stores new listings. */
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

/** What a listing belongs to: a bundle hash, a connector URL or a folder path. */
const editionOf = ({ app: { source, version } }: ToolsNow): string => {
  if (source.kind === 'store') return source.sha256;
  return JSON.stringify([version, source]);
};

const isConnector = ({ app }: ToolsNow): boolean => app.source.kind === 'connector';

/** Parses a stored listing; empty if invalid. */
function parsed(json: unknown): ToolView[] {
  try {
    const { success, data } = Kept.safeParse(JSON.parse(String(json)));
    return success ? data.map((tool) => ({ ...tool, schema: 'last' }) as ToolView) : [];
  } catch {
    return [];
  }
}

/**
 * The tools in the manifest, with the schemas of an earlier listing. Name, description, files, account and card always come from the
 * manifest. A connector declares no tools, so its tools are those of the listing.
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
 * Opens the stored listings of a folder. Listings contain no arguments, results or tokens. They are deleted with the app.
 * @param folder an existing folder that only its owner can read
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

  // The runtime returns the same array until the server lists its tools again.
  const seen = new WeakSet<ToolsNow['tools']>();

  function store(now: ToolsNow): void {
    if (seen.has(now.tools)) return;
    seen.add(now.tools);
    const { appId } = now.app;
    const [edition, json] = [editionOf(now), JSON.stringify(now.tools)];
    const stored = select.get(appId);
    if (json.length > MAX_JSON || (stored?.edition === edition && stored.json === json)) return;
    insert.run(appId, edition, json);
    prune.run();
  }

  return {
    view(now) {
      if (now.listed) {
        store(now);
        return now.tools.map((tool) => ({ ...tool, schema: 'now' }));
      }
      const stored = select.get(now.app.appId);
      return combined(now, stored?.edition === editionOf(now) ? parsed(stored.json) : []);
    },
    close() {
      stop();
      database.close();
    },
  };
}
