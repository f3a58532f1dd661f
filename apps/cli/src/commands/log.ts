import { createPublicKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { LogEntry } from '@svc/contracts';
import {
  appendEntries,
  base64Of,
  createReplay,
  decodeEntries,
  type Edge,
  EMPTY_EDGE,
  EMPTY_ROOT,
  ENTRY_BYTES,
  formatVerifierKey,
  noteKey,
  type OpenedCheckpoint,
  openCheckpoint,
  type Replay,
  readCheckpoint,
  readEntry,
  readNote,
  rootOfEdge,
  TILE_WIDTH,
  tileOf,
  tilePath,
} from '@svc/log';
import { count } from '@svc/text/quantity';
import { type CommandContext, defineCommand, JSON_OPTION, STORE_OPTION } from '../command-record.ts';
import { connect, type StoreOption } from '../connect.ts';
import { failed, usageError } from '../failure.ts';
import { readBounded } from '../io/read-bounded.ts';
import { keysOf, trustedKeys } from '../io/trusted-key.ts';
import { writeAtomic } from '../io/write-atomic.ts';
import { escapeText, jsonLine } from '../present/text.ts';
import type { StoreClient } from '../store-client.ts';

type LogOptions = StoreOption & {
  about?: string;
  exitCode?: boolean;
  follow?: boolean;
  checkpoint?: string;
  key?: string;
  json?: boolean;
};

/** Bytes of a checkpoint, and of a bundle of entries. */
const CHECKPOINT_BYTES = 32 * 1024;
const BUNDLE_BYTES = TILE_WIDTH * (ENTRY_BYTES + 2);

/** Milliseconds between two looks with `--follow`. */
const LOOK_MS = 60_000;

/** Milliseconds after which the log has what the catalogue already lists: it is published within a second, and cached for two. */
const SETTLED_MS = 4_000;

/** The exit code of `--exit-code` when there is something new. */
const EXIT_NEWS = 3;

type Source = { baseUrl: string; client: StoreClient };

/** Reads a resource of the log. @throws CommandError */
async function read({ fetch }: CommandContext, address: string, limit: number): Promise<Uint8Array> {
  const answer = await fetch(address, { redirect: 'error' }).catch((error: unknown) => {
    throw failed(`${address} cannot be read.`, { cause: error });
  });
  if (!answer.ok)
    throw failed(`${address} answers HTTP ${answer.status}: the log of the store is incomplete.`);
  const bytes = await readBounded(answer, limit);
  if (!bytes) throw failed(`${address} is too large.`);
  return bytes;
}

/** The checkpoint of a store, signed by a trusted key, and the ids of the trusted keys. */
async function checkpointOf(context: CommandContext, store: Source, keyFile: string | undefined) {
  const note = Buffer.from(await read(context, `${store.baseUrl}/checkpoint`, CHECKPOINT_BYTES)).toString();
  // A store that is reached by another address has its own in the log.
  const [origin = ''] = note.split('\n', 1);
  const { keyId } = await store.client.call('GET /api/apps/public-key');
  const trusted = keysOf(await trustedKeys(context, keyFile, store, keyId));
  const keys = trusted.map(({ publicKeyPem }) => noteKey(origin, createPublicKey(publicKeyPem)));
  const checkpoint = openCheckpoint(note, origin, keys);
  const current = keys.at(-1);
  if (!checkpoint || !current)
    throw failed('The checkpoint of the store is not signed by a key that you trust.');
  return { checkpoint, key: formatVerifierKey(current), trusted: trusted.map(({ keyId: id }) => id) };
}

/** What was read of a log so far. */
type Progress = { edge: Edge; replay: Replay };

/** A checkpoint of an earlier run, from its file. */
type Saved = { size: number; root: string };

const rootText = (edge: Edge): string => base64Of(rootOfEdge(edge) ?? EMPTY_ROOT);

/** @throws CommandError when entries that were just read do not lead to the saved checkpoint, whose size is among them */
function requireSaved(edge: Edge, fresh: readonly Uint8Array[], { size, root }: Saved): void {
  if (size <= edge.size || size > edge.size + fresh.length) return;
  if (rootText(appendEntries(edge, fresh.slice(0, size - edge.size)).edge) === root) return;
  throw failed(
    `The log does not contain the tree of ${size} entries that was saved: the store shows another history than before. Keep the saved checkpoint: it is evidence.`,
  );
}

const EMPTY: Saved = { size: 0, root: base64Of(EMPTY_ROOT) };

/**
 * Reads the entries that a log has more than before, a bundle at a time, and verifies that they lead to its checkpoint.
 * @param saved a checkpoint that the log must contain
 * @param onEntry called with each new entry
 * @throws CommandError
 */
async function readEntries(
  context: CommandContext,
  { baseUrl }: Source,
  { edge: start, replay }: Progress,
  { size, root }: OpenedCheckpoint,
  saved: Saved,
  onEntry: (entry: LogEntry | null, index: number) => void,
): Promise<Progress> {
  const known = Math.max(start.size, saved.size);
  if (size < known)
    throw failed(`The log has ${size} entries, and had ${known}: the store hides entries, or lost them.`);
  let edge = start;
  for (let index = Math.floor(edge.size / TILE_WIDTH); index * TILE_WIDTH < size; index += 1) {
    const tile = tileOf('entries', index, size);
    if (!tile) break;
    const bytes = await read(context, `${baseUrl}/${tilePath(tile)}`, BUNDLE_BYTES);
    const decoded = decodeEntries(bytes, tile.width);
    if (!decoded) throw failed(`${tilePath(tile)} is cut, or has another width.`);
    const fresh = decoded.slice(edge.size - index * TILE_WIDTH);
    requireSaved(edge, fresh, saved);
    for (const [at, entry] of fresh.entries()) {
      const parsed = readEntry(entry);
      replay.add(parsed);
      onEntry(parsed, edge.size + at);
    }
    edge = appendEntries(edge, fresh).edge;
  }
  if (rootText(edge) !== base64Of(root))
    throw failed(
      `The entries of the log do not lead to its checkpoint of ${size} entries: the store shows two histories, or its files are damaged.`,
    );
  return { edge, replay };
}

/** What the catalogue lists, and the log does not have as published. */
async function listedWrongly(client: StoreClient, replay: Replay): Promise<string[]> {
  const wrong: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await client.call('GET /api/apps/catalog', { query: { ...(cursor && { cursor }) } });
    for (const { appId, version } of page.apps) {
      const state = replay.stateOf({ appId, version });
      if (state !== 'published')
        wrong.push(`${appId} ${version} is listed, and ${state ?? 'not published'} in the log.`);
    }
    cursor = page.nextCursor;
  }
  return wrong;
}

/** What an entry is about. */
function subjectOf(entry: LogEntry): string {
  if ('appId' in entry) return `${entry.appId} ${entry.version}`;
  if ('publisher' in entry) return entry.publisher;
  if (entry.kind === 'restored') return `${entry.from}-${entry.to - 1}`;
  return entry.kind === 'key-added' ? entry.key.keyId : entry.keyId;
}

/** An entry in a line. */
function lineOf(entry: LogEntry, index: number): string {
  const by = 'by' in entry && entry.by.length > 0 ? `  by ${entry.by.join(', ')}` : '';
  return `${index}  ${entry.kind}  ${escapeText(subjectOf(entry))}${by}\n`;
}

/** Whether an entry is about an app or a publisher; one that changes all of them is about each. */
const isAbout = (entry: LogEntry, about: string): boolean =>
  ('appId' in entry && entry.appId === about) ||
  ('publisher' in entry && entry.publisher === about) ||
  entry.kind === 'restored' ||
  entry.kind === 'key-added';

/** Reads a saved checkpoint; the empty one when there is none. @throws CommandError for another file */
async function savedIn({ cwd }: CommandContext, file: string | undefined): Promise<Saved> {
  if (file === undefined) return EMPTY;
  const text = await readFile(path.resolve(cwd, file), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw usageError(`Cannot read ${file} (${error.code}).`, { cause: error });
  });
  if (text === null) return EMPTY;
  const checkpoint = readCheckpoint(readNote(text)?.text ?? '');
  if (!checkpoint) throw usageError(`${file} is not a checkpoint.`);
  return { size: checkpoint.size, root: base64Of(checkpoint.root) };
}

/** What a look at a log found. */
type Look = { progress: Progress; wrong: string[]; note: string; key: string };

/** Verifies what a log has more than before, and that the catalogue lists nothing else. */
async function look(
  context: CommandContext,
  store: Source,
  keyFile: string | undefined,
  saved: Saved,
  before: Progress,
  onEntry: (entry: LogEntry | null, index: number) => void,
): Promise<Look> {
  const { checkpoint, key, trusted } = await checkpointOf(context, store, keyFile);
  const progress = await readEntries(context, store, before, checkpoint, saved, onEntry);
  const { first, total } = progress.replay.findings();
  const wrong = first.map(({ index, message }) => `entry ${index}: ${message}`);
  if (total > first.length) wrong.push(`${total - first.length} more`);
  for (const keyId of trusted)
    if (!progress.replay.hasKey(keyId)) wrong.push(`The log has not added ${keyId}, a key that you trust.`);
  return { progress, note: checkpoint.note, key, wrong };
}

/** Looks, and once more where the catalogue was ahead of the log. */
async function lookAtAll(...[context, store, key, saved, before, onEntry]: Parameters<typeof look>) {
  const seen = await look(context, store, key, saved, before, onEntry);
  if ((await listedWrongly(store.client, seen.progress.replay)).length === 0) return seen;
  await context.wait(SETTLED_MS, new AbortController().signal);
  const again = await look(context, store, key, EMPTY, seen.progress, onEntry);
  return { ...again, wrong: [...again.wrong, ...(await listedWrongly(store.client, again.progress.replay))] };
}

/** @throws CommandError when something is wrong, after it is printed */
function requireRight({ terminal }: CommandContext, { baseUrl }: Source, wrong: readonly string[]): void {
  if (wrong.length === 0) return;
  for (const message of wrong) terminal.err(`svc: ${escapeText(message)}\n`);
  throw failed(`The log of ${baseUrl} is not consistent: ${count(wrong.length, 'finding')}.`);
}

/** `svc log`: verifies the log of a store from its tiles alone, and shows entries. */
export const command = defineCommand<[], LogOptions>({
  options: [
    { flags: '--about <app-or-publisher>', help: 'show each entry about an app or a publisher' },
    {
      flags: '--checkpoint <file>',
      help: 'compare with the checkpoint in this file, and save the new one there',
    },
    { flags: '--exit-code', help: `exit with ${EXIT_NEWS} if --about shows an entry` },
    { flags: '--follow', help: 'look again every minute, until Ctrl-C' },
    { flags: '--key <pem-file>', help: 'public key to trust instead of the pinned one' },
    STORE_OPTION,
    JSON_OPTION,
  ],
  details:
    'Reads all entries from the tiles of the store and verifies the root, the signature of each version and key, that each act was possible after those before it, and that nothing is listed which the log does not have as published. With --checkpoint, --about shows only entries that are newer than the saved checkpoint.',
  examples: ['log', 'log --about com.example.notes --checkpoint store.checkpoint --exit-code'],
  async run(context, _args, { about, exitCode, follow, checkpoint: file, key, json = false, ...options }) {
    const { terminal } = context;
    const store = connect(context, options);
    const signal = follow ? context.interrupted() : AbortSignal.abort();
    let saved = await savedIn(context, file);
    let isNews = false;
    const onEntry = (entry: LogEntry | null, index: number): void => {
      if (!entry || about === undefined || index < saved.size || !isAbout(entry, about)) return;
      isNews = true;
      terminal.out(json ? jsonLine({ index, entry }) : lineOf(entry, index));
    };
    let progress: Progress = { edge: EMPTY_EDGE, replay: createReplay() };
    let logKey = '';
    for (;;) {
      const seen = await lookAtAll(context, store, key, saved, progress, onEntry);
      requireRight(context, store, seen.wrong);
      progress = seen.progress;
      logKey = seen.key;
      if (file !== undefined) await writeAtomic(path.resolve(context.cwd, file), seen.note);
      saved = { size: progress.edge.size, root: rootText(progress.edge) };
      if (!signal.aborted) await context.wait(LOOK_MS, signal);
      if (signal.aborted) break;
    }
    for (const { index, message } of progress.replay.notes())
      terminal.err(`note: entry ${index}: ${escapeText(message)}\n`);
    const { size } = progress.edge;
    terminal.out(
      json
        ? jsonLine({ size, verified: true, key: logKey })
        : `verified  ${store.baseUrl}: a log of size ${size}\nkey  ${escapeText(logKey)}\n`,
    );
    return exitCode && isNews ? EXIT_NEWS : 0;
  },
});
