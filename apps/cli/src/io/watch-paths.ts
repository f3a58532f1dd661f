import { type FSWatcher, watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CommandContext } from '../command-context.ts';
import { failed, usageError } from '../failure.ts';

/** An editor saves in several steps: a check waits until nothing has changed for so long. */
const QUIET_MS = 100;

/**
 * How often the PATH itself is looked at. What watches a folder says nothing reliable of its end, and nothing at all of
 * another one in its place.
 */
const LOOK_MS = 500;

/** No bundle takes it in, and yet it changes what a bundle holds. */
const IGNORE_FILE = '.svcignore';

/** Names that no bundle takes in. */
const isNeverPacked = (name: string): boolean =>
  name.startsWith('.') || name === 'node_modules' || /\.svc-app$/i.test(name);

/** What tells one folder from another in its place, which may well have got the same number; empty when there is none. */
const identityOf = async (full: string): Promise<string> =>
  stat(full, { bigint: true }).then(
    ({ dev, ino, birthtimeNs }) => `${dev}:${ino}:${birthtimeNs}`,
    () => '',
  );

/** Something that waits for a change, and forgets none that comes while nobody waits. */
class Changes {
  #changed = false;
  #wake: (() => void) | undefined;

  readonly note = (): void => {
    this.#changed = true;
    this.#wake?.();
  };

  /** Ends after a change, and after nothing more has changed for a while; or when the signal says so. */
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

/** Watches one PATH; a folder with all in it, a file through the folder it lies in, since editors replace files. */
class Watched {
  /** Paths within the folder that its `.svcignore` leaves out; folders end with a slash. */
  leftOut: readonly string[] = [];

  readonly #full: string;
  readonly #isFolder: boolean;
  readonly #note: () => void;
  #watcher: FSWatcher | undefined;
  #identity: string | undefined;

  constructor(full: string, isFolder: boolean, note: () => void) {
    this.#full = full;
    this.#isFolder = isFolder;
    this.#note = note;
  }

  /** Starts again when the folder is no longer the one it was, or its watcher broke. */
  async look(): Promise<void> {
    const folder = this.#isFolder ? this.#full : path.dirname(this.#full);
    const before = this.#identity;
    this.#identity = await identityOf(folder);
    if (before !== undefined && before !== this.#identity) this.#note();
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
      this.#watcher = watch(folder, { recursive: this.#isFolder }, (_event, name) =>
        onChange.call(this, name),
      );
    } catch (error) {
      throw cannotWatch(folder, error as NodeJS.ErrnoException);
    }
    this.#watcher.on('error', () => {
      this.close();
      this.#note();
    });
  }

  #onFile(name: string | null): void {
    if (name === null || name === path.basename(this.#full)) this.#note();
  }

  #onFolder(name: string | null): void {
    const inside = name?.split(path.sep) ?? [];
    const entry = inside.join('/');
    const isLeftOut =
      inside.some(isNeverPacked) ||
      this.leftOut.some((out) => out === entry || (out.endsWith('/') && `${entry}/`.startsWith(out)));
    if (entry === IGNORE_FILE || !isLeftOut) this.#note();
  }
}

const cannotWatch = (full: string, error: NodeJS.ErrnoException): Error =>
  error.code === undefined
    ? error
    : failed(`${full} cannot be watched (${error.code}): the system may allow no more watches.`, {
        cause: error,
      });

/**
 * Runs a check at once, and again after every change of one of the PATHs, until the user has had enough. A check ends
 * before the next one starts. A PATH that goes away is waited for.
 * @param check answers, for each PATH, what of it stays out of the bundle: a change there is none
 * @throws CommandError of wrong use when a PATH is not there at the start
 */
export async function watchPaths(
  { cwd, interrupted }: Pick<CommandContext, 'cwd' | 'interrupted'>,
  paths: readonly string[],
  check: () => Promise<readonly (readonly string[])[]>,
): Promise<void> {
  const changes = new Changes();
  const watched = await Promise.all(paths.map((shown) => open(cwd, shown, changes.note)));
  const ended = new AbortController();
  const signal = AbortSignal.any([interrupted(), ended.signal]);
  try {
    await lookAll(watched);
    void keepLooking(watched, signal);
    while (!signal.aborted) {
      const leftOut = await check();
      for (const [index, one] of watched.entries()) one.leftOut = leftOut[index] ?? [];
      await changes.next(signal);
    }
  } finally {
    ended.abort();
    for (const one of watched) one.close();
  }
}

async function open(cwd: string, shown: string, note: () => void): Promise<Watched> {
  const full = path.resolve(cwd, shown);
  const stats = await stat(full).catch(() => {
    throw usageError(`${shown} does not exist.`);
  });
  return new Watched(full, stats.isDirectory(), note);
}

async function lookAll(watched: readonly Watched[]): Promise<void> {
  for (const one of watched) await one.look();
}

/** What cannot be watched just now, for a folder that vanished in between, can be at one of the next looks. */
async function keepLooking(watched: readonly Watched[], signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined);
    if (!signal.aborted) await lookAll(watched).catch(() => undefined);
  }
}
