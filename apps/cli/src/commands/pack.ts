import { createHash } from 'node:crypto';
import path from 'node:path';
import type { BundleEntries } from '@svc/bundle';
import type { Manifest } from '@svc/contracts';
import { LIMITS } from '@svc/contracts/vocabulary';
import { changesOf, footprintOf } from '@svc/permissions';
import type { CommandContext } from '../command-context.ts';
import { usageError } from '../failure.ts';
import { openApp } from '../io/open-app.ts';
import { writeAtomic } from '../io/write-atomic.ts';
import { allowedLines } from '../present/changes.ts';
import { contentLines, leftOutLines, sizeBar } from '../present/contents.ts';
import { fieldLines, headline, sizeOf } from '../present/fields.ts';
import { requireSound } from '../require-sound.ts';

export type PackOptions = { output?: string };

/** Ids and versions that can become part of a file name as they are, on every system. */
const SANE_ID = /^[a-z0-9][a-z0-9.-]*$/;
const SANE_VERSION = /^\d[0-9A-Za-z.+-]*$/;
const MAX_NAME = 200;

/** A name for the bundle, made from its manifest. */
function defaultName({ id, version }: Manifest): string {
  const name = `${id}-${version}.svc-app`;
  if (!SANE_ID.test(id) || !SANE_VERSION.test(version) || name.length > MAX_NAME) {
    throw usageError('The id and the version make no good file name: name the file with -o.');
  }
  return name;
}

/** Where to write. Never over a file that was just packed: a slip of the hand must not cost a manifest. */
function targetOf(world: CommandContext, dir: string, output: string, entries: BundleEntries): string {
  const target = path.resolve(world.cwd, output);
  const inside = path.relative(path.resolve(world.cwd, dir), target).split(path.sep).join('/');
  if (entries.has(inside)) throw usageError(`${output} is a file of the app: name another file with -o.`);
  return target;
}

async function write(target: string, shown: string, bytes: Uint8Array): Promise<void> {
  await writeAtomic(target, bytes).catch((error: NodeJS.ErrnoException) => {
    throw usageError(`${shown} cannot be written (${error.code ?? error.message}).`, { cause: error });
  });
}

/**
 * `svc pack`: makes a bundle of a folder. The same files give the same bytes, whenever and wherever.
 * @returns 0, or 1 when the checks find errors; nothing is written then
 */
export async function pack(world: CommandContext, dir: string, { output }: PackOptions): Promise<number> {
  const { terminal, cwd } = world;
  const opened = await openApp(cwd, dir, 'keep');
  if (opened.kind !== 'folder' && opened.kind !== 'unpackable') throw usageError(`${dir} is not a folder.`);
  const sound = await requireSound(terminal, dir, opened, null);
  if (sound === null) return 1;
  const { manifest, bytes, entries } = sound;
  const shown = output ?? defaultName(manifest);
  await write(targetOf(world, dir, shown, entries), shown, bytes);
  terminal.out(headline(terminal, 'good', 'packed', `${manifest.id} ${manifest.version}`));
  terminal.out(
    fieldLines(terminal, [
      ['file', shown],
      ['files', String(entries.size)],
      ['size', sizeOf(bytes.length)],
      ['sha256', createHash('sha256').update(bytes).digest('hex')],
    ]),
  );
  terminal.out(allowedLines(terminal, changesOf(null, footprintOf(manifest))));
  terminal.out(contentLines(terminal, entries));
  terminal.out(leftOutLines(sound.leftOut));
  terminal.out(sizeBar(terminal, bytes.length, LIMITS.bundle.bytes));
  return 0;
}
