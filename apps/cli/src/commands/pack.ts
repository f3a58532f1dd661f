import { createHash } from 'node:crypto';
import path from 'node:path';
import type { BundleEntries } from '@svc/bundle';
import type { Manifest } from '@svc/contracts';
import { LIMITS } from '@svc/contracts/vocabulary';
import { changesOf, footprintOf } from '@svc/permissions';
import type { CommandContext } from '../command-context.ts';
import { defineCommand, JSON_OPTION } from '../command-record.ts';
import { usageError } from '../failure.ts';
import { openApp } from '../io/open-app.ts';
import { quiet } from '../io/terminal.ts';
import { writeAtomic } from '../io/write-atomic.ts';
import { allowedLines } from '../present/changes.ts';
import { contentLines, leftOutLines, sizeBar } from '../present/contents.ts';
import { jsonLine } from '../present/escape.ts';
import { fieldLines, headline, sizeOf } from '../present/fields.ts';
import { requireSound } from '../require-sound.ts';

type PackOptions = { output?: string; json?: boolean };

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
async function pack(world: CommandContext, dir: string, { output, json }: PackOptions): Promise<number> {
  const { terminal, cwd } = world;
  const opened = await openApp(cwd, dir, 'keep');
  if (opened.kind !== 'folder' && opened.kind !== 'unpackable') throw usageError(`${dir} is not a folder.`);
  const sound = await requireSound(json ? quiet(terminal) : terminal, dir, opened, null);
  if (sound === null) return 1;
  const { manifest, bytes, entries } = sound;
  const shown = output ?? defaultName(manifest);
  await write(targetOf(world, dir, shown, entries), shown, bytes);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  if (json) {
    const { id: appId, version } = manifest;
    terminal.out(jsonLine({ appId, version, file: shown, files: entries.size, size: bytes.length, sha256 }));
    return 0;
  }
  terminal.out(headline(terminal, 'good', 'packed', `${manifest.id} ${manifest.version}`));
  terminal.out(
    fieldLines(terminal, [
      ['file', shown],
      ['files', String(entries.size)],
      ['size', sizeOf(bytes.length)],
      ['sha256', sha256],
    ]),
  );
  terminal.out(allowedLines(terminal, changesOf(null, footprintOf(manifest))));
  terminal.out(contentLines(terminal, entries));
  terminal.out(leftOutLines(sound.leftOut));
  terminal.out(sizeBar(terminal, bytes.length, LIMITS.bundle.bytes));
  return 0;
}

/** How the command line reads it. */
export const command = defineCommand<[string], PackOptions>({
  arguments: [{ name: '<dir>', help: 'the folder with plugin.json at its top' }],
  options: [
    { flags: '-o, --output <file>', help: 'where to write (default: <id>-<version>.svc-app here)' },
    JSON_OPTION,
  ],
  details: 'The same files give the same bytes, whenever and wherever you pack them.',
  examples: ['pack app', 'pack app -o notes.svc-app'],
  run: (context, [dir], options) => pack(context, dir, options),
});
