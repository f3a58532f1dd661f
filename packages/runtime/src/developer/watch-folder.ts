import { type FSWatcher, watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { System } from '../platform/system.ts';

/** An editor saves in several steps: a change counts once nothing has changed for so long, in milliseconds. */
const DEBOUNCE_MS = 100;

/**
 * How often the folder itself is looked at, in milliseconds. What watches a folder says nothing reliable of its end, and
 * nothing at all of another one in its place.
 */
const POLL_MS = 500;

/** Names that no bundle takes in. */
const isNeverRead = (name: string): boolean =>
  name !== '.svcignore' && (name.startsWith('.') || name === 'node_modules' || /\.svc-app$/i.test(name));

/** What tells one folder from another in its place, which may have got the same number; empty when there is none. */
const identityOf = (folder: string): Promise<string> =>
  stat(folder, { bigint: true }).then(
    ({ dev, ino, birthtimeNs }) => `${dev}:${ino}:${birthtimeNs}`,
    () => '',
  );

/**
 * Tells of changes in a folder, once each time things have become quiet, until the signal is aborted. A folder that goes
 * away is waited for.
 * @param onChange not called again before it has ended
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
    while (changed && !signal.aborted) {
      changed = false;
      await pause(DEBOUNCE_MS);
      if (!changed && !signal.aborted) await onChange();
    }
    settling = false;
  }

  function scheduleSettle(): void {
    changed = true;
    void settle();
  }

  function close(): void {
    watcher?.close();
    watcher = null;
  }

  function open(): void {
    try {
      watcher = watch(folder, { recursive: true }, (_event, name) => {
        if (!name?.split(path.sep).some(isNeverRead)) scheduleSettle();
      });
      watcher.on('error', close);
    } catch {
      // It vanished in between, or the system allows no more watches: the next look tries again.
      close();
    }
  }

  /** Watches again when the folder is no longer the one it was, or its watcher broke. */
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

  void pollFolder();
}
