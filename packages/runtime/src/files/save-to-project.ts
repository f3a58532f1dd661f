import { link, lstat, open, realpath, rename, rm } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { LIMITS } from '@svc/contracts';
import { cardAppOf } from '../cards/ask-to-connect.ts';
import type { Ask, SaveCard } from '../cards/card.ts';
import { enforcedFootprint, type InstalledApp } from '../library/installed-app.ts';
import { hashOf, hashOfJson } from '../platform/json-hash.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';
import { typeOfFile } from './file-type.ts';
import { safeName } from './safe-name.ts';

/** Maximum folder depth of a file in a project. */
const MAX_FOLDERS = 8;

const refusal = (message: string): RuntimeError => new RuntimeError('file-refused', message);

/**
 * Splits a path within a project. Invalid paths are refused, never corrected: the user reads the path on a card, and exactly that
 * path is used. Hidden files and folders are refused: developer tools run them, or read their configuration from them.
 */
function projectParts(path: string): string[] {
  const parts = path.split('/');
  if (parts.length > MAX_FOLDERS + 1) throw refusal('The path is too deep.');
  if (parts.some((part) => part === '' || safeName(part) !== part))
    throw refusal('The path is not a valid file path.');
  return parts;
}

/** The stats of a path, without following links; null if it does not exist. */
async function statOf(path: string) {
  try {
    return await lstat(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Where a file of a project will be saved, and whether it exists. */
type SaveTarget = { folder: string; name: string; exists: boolean };

/**
 * Resolves a path in an existing project folder. Every parent must be a real folder and no link, so that the file is where its
 * path says.
 * @throws RuntimeError `file-refused` for a missing or linked folder, and for anything that is not a regular file
 */
async function saveTargetIn(project: string, path: string): Promise<SaveTarget> {
  const parts = projectParts(path);
  const name = parts.at(-1) ?? '';
  let folder = await realpath(project);
  for (const part of parts.slice(0, -1)) {
    folder = join(folder, part);
    const stats = await statOf(folder);
    if (!stats) throw refusal('There is no such folder in the project.');
    if (!stats.isDirectory()) throw refusal('A part of the path is not a folder.');
  }
  // On case-insensitive or Unicode-normalizing file systems the path could name a different folder.
  const real = await realpath(folder);
  if (real !== folder && !real.startsWith((await realpath(project)) + sep))
    throw refusal('The path leads out of the project.');
  const stats = await statOf(join(folder, name));
  if (stats && !stats.isFile()) throw refusal('The path exists and is not a file.');
  return { folder, name, exists: stats !== null };
}

/** A file that an app asks to save. */
export type Save = {
  app: InstalledApp;
  project: string;
  /** Within the project, with `/` as separator; the folders must exist. */
  path: string;
  bytes: Uint8Array;
};

async function saveCard({ app, path, bytes }: Save, place: SaveTarget): Promise<SaveCard> {
  const file = {
    name: place.name,
    type: await typeOfFile(bytes, place.name),
    bytes: bytes.byteLength,
    sha256: hashOf(bytes),
  };
  const bound = {
    app: app.appId,
    version: app.version,
    path,
    folder: place.folder,
    replaces: place.exists,
    file,
  };
  return {
    kind: 'save',
    app: cardAppOf(app),
    path,
    replaces: place.exists,
    file,
    binding: hashOfJson(bound),
  };
}

/** Moves a complete, durable file to its target. A file that was created since the user was asked is not replaced. */
async function moveToTarget({ folder, name, exists }: SaveTarget, making: string): Promise<void> {
  if (exists) return rename(making, join(folder, name));
  try {
    await link(making, join(folder, name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new RuntimeError('file-refused', 'A file with this name was created in the meantime.');
  }
}

/**
 * Saves a file into the project after the user's approval: exactly the file and path shown on the card. The card says when an
 * existing file is replaced.
 * @throws RuntimeError `file-refused`, `too-large`, `declined`
 */
export async function saveToProject(
  { system, ask }: { system: Pick<System, 'randomBytes'>; ask: Ask },
  given: Save,
  signal: AbortSignal,
): Promise<void> {
  const { app, project, path } = given;
  if (!enforcedFootprint(app).grants.includes('project:write')) {
    throw new RuntimeError('file-refused', 'The app may not save into projects.');
  }
  if (given.bytes.byteLength > LIMITS.file.maxBytes) throw new RuntimeError('too-large');
  // A copy: the caller could change the bytes while the user reads the card.
  const save = { ...given, bytes: new Uint8Array(given.bytes) };
  const card = await saveCard(save, await saveTargetIn(project, path));
  const answer = await ask(card, signal, (index) => (index === 0 ? new Uint8Array(save.bytes) : null));
  signal.throwIfAborted();
  if (!answer.accepted || answer.binding !== card.binding) throw new RuntimeError('declined');
  // Checked again: folders may have become links while the card was shown.
  const place = await saveTargetIn(project, path);
  const { binding } = await saveCard(save, place);
  if (binding !== card.binding) {
    throw new RuntimeError('file-refused', 'The project has changed in the meantime.');
  }
  const making = join(place.folder, `.svc-${Buffer.from(system.randomBytes(12)).toString('hex')}.part`);
  const handle = await open(making, 'wx', 0o644);
  try {
    await handle.writeFile(save.bytes);
    await handle.sync();
    await handle.close();
    await moveToTarget(place, making);
  } finally {
    await handle.close().catch(() => undefined);
    await rm(making, { force: true });
  }
}
