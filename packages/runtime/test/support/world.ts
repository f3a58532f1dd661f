import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { createEvents, type RuntimeEvent } from '../../src/events/events.ts';
import { createInstaller, type InstallerDeps } from '../../src/install/installer.ts';
import type { InstalledApp } from '../../src/library/installed-app.ts';
import { createLibrary } from '../../src/library/library.ts';
import { installIdOf, openLibraryStorage } from '../../src/library/library-storage.ts';
import { createStorageFetch, storeFetch } from '../../src/store/store-fetch.ts';
import { createStoreKeys } from '../../src/store/store-keys.ts';
import { createStoreReader } from '../../src/store/store-reader.ts';
import { APP } from './signing-store.ts';
import { tempFolder } from './temp-folder.ts';

/** The time of the tests. */
export const NOW = Date.parse('2026-01-01T00:30:00.000Z');

/** A minute of its hour. */
export const at = (minute: number): string => `2026-01-01T00:${String(minute).padStart(2, '0')}:00.000Z`;

/** Takes errors that no test expects. */
export const fail = (error: unknown): never => {
  throw error;
};

/** A clock that stands still, with real timers. */
export const system = {
  now: () => NOW,
  randomBytes: (length: number): Uint8Array => randomBytes(length),
  sleep: (ms: number, signal?: AbortSignal): Promise<void> => sleep(ms, undefined, signal && { signal }),
};

type Given = {
  folder?: string;
  pin?: string;
  platform?: string;
  arch?: string;
  builtInApps?: string[];
  pins?: InstallerDeps['pins'];
};

/** A process of a client: a library in a folder that other processes may use too, and one store. */
export async function openWorld(store: { url: string }, given: Given = {}) {
  const folder = given.folder ?? (await tempFolder());
  const storage = await openLibraryStorage(system, folder);
  onTestFinished(() => storage.close());
  const events = createEvents(fail);
  const heard: RuntimeEvent[] = [];
  events.subscribe((event) => heard.push(event));
  const client = {
    platform: given.platform ?? 'linux',
    arch: given.arch ?? 'x64',
    builtInApps: given.builtInApps ?? ['media'],
  };
  const library = createLibrary({ storage, events, client });
  const installId = installIdOf(system, storage);
  const bundles = createStorageFetch(store.url, { system });
  const reading = { system, fetch: storeFetch, storage: bundles, installId };
  const reader = createStoreReader({ ...reading, store: store.url });
  const keys = createStoreKeys({ storage, reader, ...(given.pin !== undefined && { pin: given.pin }) });
  const { pins } = given;
  const installer = createInstaller({ system, storage, library, events, client, reader, keys, pins });

  /** Prepares and installs an app with consent. */
  async function install(appId = APP, version?: string): Promise<InstalledApp> {
    const sheet = await installer.prepareInstall(appId, version);
    return installer.install(sheet, { accepted: true, binding: sheet.binding });
  }

  return { folder, storage, events, heard, client, library, installId, reader, keys, installer, install };
}
