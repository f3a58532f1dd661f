import { type FSWatcher, watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { guarded, inBackground } from '@svc/contracts/guarded';
import type { CommandContext } from '../command-record.ts';
import { failed, usageError } from '../failure.ts';

/** Debounce in milliseconds: editors save in several steps. */
const QUIET_MS = 100;

/** Interval of polling the PATH itself, in milliseconds: a watcher does not reliably report that its folder was replaced. */
const REFRESH_MS = 500;

/** Not part of the bundle, but it decides what is. */
const IGNORE_FILE = '.svcignore';

/** Names that are never packed. */
const isNeverPacked = (name: string): boolean =>
  name.startsWith('.') || name === 'node_modules' || /\.svc-app$/i.test(name);

/** Identifies a folder on disk: inode numbers are reused, so the birth time is included. Empty when the folder does not exist. */
const identityOf = async (full: string): Promise<string> =>
  stat(full, { bigint: true }).then(
    ({ dev, ino, birthtimeNs }) => `${dev}:${ino}:${birthtimeNs}`,
    () => '',
  );

/** Waits for changes; a change during a check is not lost. */
class Changes {
  #changed = false;
  #wake: (() => void) | undefined;

  readonly notify = (): void => {
    this.#changed = true;
    this.#wake?.();
  };

  /** Resolves after a change and a quiet period, or when the signal is aborted. */
  async next(signal: AbortSignal): Promise<void> {
    if (!this.#changed && !signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    }
    this.#wake = undefined;
    while (this.#changed && !signal.aborted) {
      this.#changed = false;
      await sleep(QUIET_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** Watches one PATH: a folder recursively, a file through its folder, since editors replace files. */
class Watched {
  /** Paths in the folder that its `.svcignore` excludes; folders end with a slash. */
  leftOut: readonly string[] = [];

  readonly #full: string;
  readonly #isFolder: boolean;
  readonly #notify: () => void;
  #watcher: FSWatcher | undefined;
  #identity: string | undefined;

  constructor(full: string, isFolder: boolean, notify: () => void) {
    this.#full = full;
    this.#isFolder = isFolder;
    this.#notify = notify;
  }

  /** Restarts the watcher when the folder was replaced, or the watcher failed. */
  async refresh(): Promise<void> {
    const folder = this.#isFolder ? this.#full : path.dirname(this.#full);
    const before = this.#identity;
    this.#identity = await identityOf(folder);
    if (before !== undefined && before !== this.#identity) this.#notify();
    if (before === this.#identity && this.#watcher) return;
    this.close();
    if (this.#identity !== '') this.#start(folder);
  }

  close(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
  }

  #start(folder: string): void {
    const onChange = this.#isFolder ? this.#onFolder : this.#onFile;
    try {
      const onEvent = (_event: string, name: string | null) => onChange.call(this, name);
      this.#watcher = watch(folder, { recursive: this.#isFolder }, guarded(onEvent));
    } catch (error) {
      throw cannotWatch(folder, error as NodeJS.ErrnoException);
    }
    const onError = () => {
      this.close();
      this.#notify();
    };
    this.#watcher.on('error', guarded(onError));
  }

  #onFile(name: string | null): void {
    if (name === null || name === path.basename(this.#full)) this.#notify();
  }

  #onFolder(name: string | null): void {
    const inside = name?.split(path.sep) ?? [];
    const entry = inside.join('/');
    const isLeftOut =
      inside.some(isNeverPacked) ||
      this.leftOut.some((out) => out === entry || (out.endsWith('/') && `${entry}/`.startsWith(out)));
    if (entry === IGNORE_FILE || !isLeftOut) this.#notify();
  }
}

const cannotWatch = (full: string, error: NodeJS.ErrnoException): Error =>
  error.code === undefined
    ? error
    : failed(`Cannot watch ${full} (${error.code}). The system limit of file watches may be reached.`, {
        cause: error,
      });

/**
 * Runs a check immediately, and again after every change of a PATH, until Ctrl-C. Checks do not overlap. A PATH that is deleted is
 * checked again when it reappears.
 * @param check returns, for each PATH, the files left out of its bundle; changes to them are ignored
 * @throws CommandError with exit code 2 when a PATH does not exist at the start
 */
export async function watchPaths(
  { cwd, interrupted }: Pick<CommandContext, 'cwd' | 'interrupted'>,
  paths: readonly string[],
  check: () => Promise<readonly (readonly string[])[]>,
): Promise<void> {
  const changes = new Changes();
  const watched = await Promise.all(paths.map((shown) => open(cwd, shown, changes.notify)));
  const ended = new AbortController();
  const signal = AbortSignal.any([interrupted(), ended.signal]);
  let fault: unknown;
  try {
    await refreshAll(watched);
    inBackground(refreshUntilAborted(watched, signal), (error) => {
      fault = error;
      ended.abort();
    });
    while (!signal.aborted) {
      const leftOut = await check();
      for (const [index, item] of watched.entries()) item.leftOut = leftOut[index] ?? [];
      await changes.next(signal);
    }
    if (fault !== undefined) throw fault;
  } finally {
    ended.abort();
    for (const item of watched) item.close();
  }
}

async function open(cwd: string, shown: string, notify: () => void): Promise<Watched> {
  const full = path.resolve(cwd, shown);
  const stats = await stat(full).catch(() => {
    throw usageError(`${shown} does not exist.`);
  });
  return new Watched(full, stats.isDirectory(), notify);
}

async function refreshAll(watched: readonly Watched[]): Promise<void> {
  for (const item of watched) await item.refresh();
}

/** Refreshes periodically. A folder that cannot be watched now, because it vanished, is tried again. */
async function refreshUntilAborted(watched: readonly Watched[], signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await sleep(REFRESH_MS, undefined, { signal }).catch(() => undefined);
    if (!signal.aborted) await refreshAll(watched).catch(() => undefined);
  }
}
