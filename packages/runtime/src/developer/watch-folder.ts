import { type FSWatcher, watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { guarded, inBackground } from '@svc/contracts/guarded';
import type { System } from '../platform/system.ts';

/** Editors save in several steps: a change is reported after this time without further changes, in milliseconds. */
const DEBOUNCE_MS = 100;

/**
 * How often the folder itself is checked, in milliseconds. File watchers do not reliably report that the watched folder was removed,
 * and never that it was replaced.
 */
const POLL_MS = 500;

/** Names that bundles never include. */
const isNeverRead = (name: string): boolean =>
  name !== '.svcignore' && (name.startsWith('.') || name === 'node_modules' || /\.svc-app$/i.test(name));

/** Distinguishes a folder from a replacement, even one that reuses the inode number; empty when the folder does not exist. */
const identityOf = (folder: string): Promise<string> =>
  stat(folder, { bigint: true }).then(
    ({ dev, ino, birthtimeNs }) => `${dev}:${ino}:${birthtimeNs}`,
    () => '',
  );

/**
 * Reports changes in a folder, debounced, until the signal is aborted. If the folder is removed, it waits until the folder exists
 * again.
 * @param onChange not called again before the previous call has finished
 */
export function watchFolder(
  system: Pick<System, 'sleep'>,
  folder: string,
  onChange: () => Promise<void>,
  signal: AbortSignal,
): void {
  let watcher: FSWatcher | null = null;
  let identity: string | null = null;
  let changed = false;
  let settling = false;

  const pause = (ms: number) => system.sleep(ms, signal).catch(() => undefined);

  async function settle(): Promise<void> {
    if (settling) return;
    settling = true;
    try {
      while (changed && !signal.aborted) {
        changed = false;
        await pause(DEBOUNCE_MS);
        if (!changed && !signal.aborted) await onChange();
      }
    } finally {
      settling = false;
    }
  }

  function scheduleSettle(): void {
    changed = true;
    inBackground(settle());
  }

  function close(): void {
    watcher?.close();
    watcher = null;
  }

  function open(): void {
    const onEvent = (_event: string, name: string | null) => {
      if (!name?.split(path.sep).some(isNeverRead)) scheduleSettle();
    };
    try {
      watcher = watch(folder, { recursive: true }, guarded(onEvent));
      watcher.on('error', guarded(close));
    } catch {
      // The folder was removed meanwhile, or the system allows no more watchers: the next poll tries again.
      close();
    }
  }

  /** Watches again when the folder was replaced, or its watcher failed. */
  async function checkFolder(): Promise<void> {
    const before = identity;
    identity = await identityOf(folder);
    if (signal.aborted || (before === identity && watcher)) return;
    close();
    if (identity !== '') open();
    if (before !== null && before !== identity) scheduleSettle();
  }

  async function pollFolder(): Promise<void> {
    while (!signal.aborted) {
      await checkFolder();
      await pause(POLL_MS);
    }
    close();
  }

  inBackground(pollFolder());
}
