import { realpath, stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import type { CloseReason, DeveloperFolder, Runtime } from '@svc/runtime';
import type { PageEvents } from '../events/page-events.ts';
import { invalid, notFound } from '../http/exchange.ts';
import type { Settings } from '../settings/open-settings.ts';
import type { FolderView } from '../wire/views.ts';

type Deps = {
  runtime: Pick<Runtime, 'openFolder' | 'events' | 'library' | 'accounts'>;
  settings: Settings;
  events: PageEvents;
  closePanels(appId: string, reason: CloseReason): void;
};

type Opened = { folder: DeveloperFolder; appId: string | null };

async function folderAt(given: string): Promise<string> {
  if (!isAbsolute(given)) throw invalid('Enter the full path of the folder.');
  const stats = await stat(given).catch(() => null);
  if (!stats?.isDirectory()) throw invalid('This folder does not exist on this computer.');
  return realpath(given);
}

const viewOf = (folder: string, { state: { issues, appId, fault } }: DeveloperFolder): FolderView => ({
  folder,
  appId,
  issues,
  fault: fault?.message ?? null,
});

/** Disconnects the accounts of an app whose folder is closed. Failed revocations are ignored. */
async function disconnectAll({ library, accounts }: Deps['runtime'], appId: string): Promise<void> {
  const app = library.get(appId);
  for (const { id } of app?.manifest.accounts ?? []) {
    if (app) await accounts.disconnect(app, id).catch(() => undefined);
  }
}

/** Opens the folders that were open last, if they still exist, and emits their state on each change. */
export async function openFolders({ runtime, settings, events, closePanels }: Deps) {
  const open = new Map<string, Opened>();
  let turn: Promise<unknown> = Promise.resolve();

  /** Runs work in sequence, so that no folder is opened twice. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = turn.then(work);
    turn = next.catch(() => undefined);
    return next;
  }

  runtime.events.subscribe((event) => {
    if (event.type !== 'developer-app-changed') return;
    const opened = open.get(event.folder);
    if (!opened) return;
    // Panels show the old version; pages reopen them.
    if (opened.appId !== null) closePanels(opened.appId, 'updated');
    opened.appId = event.appId;
    events.emit({ type: 'folder', folder: viewOf(event.folder, opened.folder) });
  });

  async function load(folder: string): Promise<FolderView> {
    const present = open.get(folder);
    if (present) await present.folder.reload();
    else {
      const opened = await runtime.openFolder(folder);
      open.set(folder, { folder: opened, appId: opened.state.appId });
    }
    const { folder: opened } = open.get(folder) as Opened;
    const view = viewOf(folder, opened);
    events.emit({ type: 'folder', folder: view });
    return view;
  }

  for (const folder of settings.developerFolders()) {
    const existing = await folderAt(folder).catch(() => null);
    if (existing !== null) await load(existing);
  }
  return {
    list: () => Array.from(open, ([folder, opened]) => viewOf(folder, opened.folder)),
    /** Opens a folder, also after the next start. An open folder is reloaded. @throws HttpError */
    open: (given: string): Promise<FolderView> =>
      inTurn(async () => {
        const folder = await folderAt(given);
        const view = await load(folder);
        await settings.addDeveloperFolder(folder);
        return view;
      }),
    /** @throws HttpError if the folder is not open */
    close: (given: string) =>
      inTurn(async () => {
        const opened = open.get(given);
        if (!opened) throw notFound('This folder is not open.');
        open.delete(given);
        if (opened.appId !== null) await disconnectAll(runtime, opened.appId);
        opened.folder.close();
        if (opened.appId !== null) closePanels(opened.appId, 'removed');
        await settings.removeDeveloperFolder(given);
      }),
  };
}

/** The open folders of apps under development. */
export type OpenFolders = Awaited<ReturnType<typeof openFolders>>;
