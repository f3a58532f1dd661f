import { CATALOG_SORTS, CATEGORIES } from '@svc/contracts';
import { asRefusal, type InstallSheet, RuntimeError } from '@svc/runtime';
import { UserAnswer } from '@svc/runtime/parts';
import { z } from 'zod';
import { invalid, notFound } from '../http/exchange.ts';
import type { Session } from '../sessions/sessions.ts';
import { viewOf } from './apps.ts';
import { AppId, call, Id, Nothing, OneFolder, type PageParts } from './page-call.ts';

/** Bounds a command. The runtime validates it. */
const Text = z.string().max(10_000);
const Command = z.strictObject({
  command: Text,
  args: z.exactOptional(z.array(Text).max(200)),
  folder: z.exactOptional(Text),
  variables: z.exactOptional(z.array(Text).max(200)),
  name: z.exactOptional(Text),
});

/** An address, and headers to send to it. The runtime validates both. */
const Address = z.strictObject({
  url: Text,
  headers: z.exactOptional(z.record(z.string().max(200), Text)),
});

const Choices = z.strictObject({
  media: z.exactOptional(z.boolean()),
  questions: z.exactOptional(z.boolean()),
  sampling: z.exactOptional(z.boolean()),
  roots: z.exactOptional(z.boolean()),
});

/** Apps that are not from a store: connectors, and folders under development. */
export function sourceCalls({ client, desktop: { runtime, settings }, folders }: PageParts) {
  return {
    'connectors.add': call(Address, async (server, { signal }) => {
      return { app: viewOf(runtime, await runtime.addConnector(server, signal)) };
    }),
    /** Adds a program on this computer, or a server on it or the local network, after a card. */
    'connectors.addLocal': call(z.union([Address, Command]), async (request, { signal }) => {
      return { app: viewOf(runtime, await runtime.addLocalConnector(request, signal)) };
    }),
    /** Allows connectors on this computer and the local network, or ends their programs and hides them. */
    'connectors.allowLocal': call(z.strictObject({ on: z.boolean() }), async ({ on }) => {
      if (client.givenLocalConnectors) throw invalid('svc desktop was started with --local-connectors.');
      await settings.allowLocalConnectors(on);
      runtime.library.localConnectorsChanged();
    }),
    /** What the user lets a connector do. */
    'connectors.choices': call(z.strictObject({ appId: AppId }), ({ appId }) =>
      runtime.connectors.choices(appId),
    ),
    'connectors.choose': call(z.strictObject({ appId: AppId, choices: Choices }), ({ appId, choices }) =>
      runtime.connectors.choose(appId, choices),
    ),
    'folders.list': call(Nothing, () => ({ folders: folders.list() })),
    'folders.open': call(OneFolder, async ({ folder }) => ({ folder: await folders.open(folder) })),
    'folders.close': call(OneFolder, ({ folder }) => folders.close(folder)),
  };
}

/** How long a sheet waits for its answer, in milliseconds, and most waiting sheets: each holds a whole bundle. */
const SHEET_MS = 10 * 60_000;
const MAX_SHEETS = 8;

const Search = z.strictObject({
  q: z.exactOptional(z.string().max(500)),
  category: z.exactOptional(z.enum(CATEGORIES)),
  sort: z.exactOptional(z.enum(CATALOG_SORTS)),
  featured: z.exactOptional(z.literal('1')),
  cursor: z.exactOptional(z.string().max(1_000)),
});

/** Install sheets that wait for the user. */
function createSheets({ system, newId }: Pick<PageParts, 'system' | 'newId'>) {
  const waiting = new Map<string, { sheet: InstallSheet; session: Session; createdAt: number }>();
  const removeOld = () => {
    for (const [id, { createdAt }] of waiting) {
      if (system.now() - createdAt >= SHEET_MS || waiting.size >= MAX_SHEETS) waiting.delete(id);
    }
  };
  return {
    add(session: Session, sheet: InstallSheet): string {
      removeOld();
      const id = newId();
      waiting.set(id, { sheet, session, createdAt: system.now() });
      return id;
    },
    /** Returns and removes a sheet: it can be answered once. */
    take(session: Session, id: string): InstallSheet {
      const entry = waiting.get(id);
      if (entry?.session !== session || system.now() - entry.createdAt >= SHEET_MS)
        throw notFound('The install has expired. Start it again.');
      waiting.delete(id);
      return entry.sheet;
    },
  };
}

/** Logs a download while it lasts: one that a process left behind is interrupted. What came of it is an entry of its own. */
async function logDownload<Sheet>(
  { activity, system }: Pick<PageParts, 'activity' | 'system'>,
  { appId, version = 'newest' }: { appId: string; version?: string },
  work: () => Promise<Sheet>,
): Promise<Sheet> {
  const at = new Date(system.now()).toISOString();
  const entry = activity.begin({ at, appId, kind: 'install', name: version, asker: 'desktop', chat: null });
  return work().finally(() => activity.drop(entry));
}

/** Logs an installation when it begins and ends. */
async function logInstall<App>(
  { activity, system }: Pick<PageParts, 'activity' | 'system'>,
  { app: { appId, version } }: InstallSheet,
  work: () => Promise<App>,
): Promise<App> {
  const begun = system.now();
  const at = new Date(begun).toISOString();
  const entry = activity.begin({ at, appId, kind: 'install', name: version, asker: 'desktop', chat: null });
  const end = (outcome: string) =>
    activity.end(entry, { appId, ms: Math.round(system.now() - begun), outcome, detail: '' });
  try {
    const app = await work();
    end('installed');
    return app;
  } catch (error) {
    end(asRefusal(error)?.code ?? 'failed');
    throw error;
  }
}

export function storeCalls(parts: PageParts) {
  const { runtime } = parts.desktop;
  const { reader, installer, library } = runtime;
  const sheets = createSheets(parts);
  return {
    'store.search': call(Search, (query, { signal }) =>
      reader.search(query as z.infer<typeof Search>, signal),
    ),
    'store.app': call(z.strictObject({ appId: AppId }), async ({ appId }, { signal }) => {
      try {
        return await reader.detail(appId, signal, { html: true });
      } catch (error) {
        // All versions of an installed app that is not in the store any more may have been yanked.
        if (!(error instanceof RuntimeError && error.code === 'store-unreachable') && library.get(appId))
          runtime.revocations.hint();
        throw error;
      }
    }),
    /** What the store says of installed apps that should not be used any more. */
    'store.deprecations': call(Nothing, async (_, { signal }) => {
      const installed = library
        .list()
        .filter(({ source }) => source.kind === 'store' && source.store === reader.store);
      return {
        apps: await reader.deprecations(
          installed.map(({ appId }) => appId),
          signal,
        ),
      };
    }),
    /** Downloads and verifies a version. The sheet can be answered for ten minutes. */
    'store.prepare': call(
      z.strictObject({ appId: AppId, version: z.exactOptional(Id) }),
      async ({ appId, version }, { session, signal }) => {
        const sheet = await logDownload(parts, { appId, ...(version !== undefined && { version }) }, () =>
          installer.prepareInstall(appId, version, signal),
        );
        return { sheetId: sheets.add(session, sheet), sheet };
      },
    ),
    /** The store's page on which the user rates an installed app. */
    'store.ratingPage': call(z.strictObject({ appId: AppId }), ({ appId }) => ({
      url: reader.ratingPage(appId),
    })),
    'store.install': call(
      z.strictObject({ sheetId: Id, answer: UserAnswer }),
      async ({ sheetId, answer }, { session }) => {
        const sheet = sheets.take(session, sheetId);
        const app = await logInstall(parts, sheet, () => installer.install(sheet, answer));
        return { app: viewOf(runtime, app) };
      },
    ),
  };
}
