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
import { requireValidApp } from '../require-valid-app.ts';

type PackOptions = { output?: string; json?: boolean };

/** Ids and versions that are safe in a file name on every system. */
const SAFE_ID = /^[a-z0-9][a-z0-9.-]*$/;
const SAFE_VERSION = /^\d[0-9A-Za-z.+-]*$/;
const MAX_NAME = 200;

/** The default file name of a bundle. */
function defaultName({ id, version }: Manifest): string {
  const name = `${id}-${version}.svc-app`;
  if (!SAFE_ID.test(id) || !SAFE_VERSION.test(version) || name.length > MAX_NAME) {
    throw usageError('The id and the version cannot be used as a file name: name the file with -o.');
  }
  return name;
}

/** The path to write to. It must not be a packed file: a typo must not overwrite a manifest. */
function targetOf(context: CommandContext, dir: string, output: string, entries: BundleEntries): string {
  const target = path.resolve(context.cwd, output);
  const inside = path.relative(path.resolve(context.cwd, dir), target).split(path.sep).join('/');
  if (entries.has(inside))
    throw usageError(`${output} is part of the app and would be overwritten: name another file with -o.`);
  return target;
}

async function write(target: string, shown: string, bytes: Uint8Array): Promise<void> {
  await writeAtomic(target, bytes).catch((error: NodeJS.ErrnoException) => {
    throw usageError(`Cannot write ${shown} (${error.code ?? error.message}).`, { cause: error });
  });
}

/**
 * `svc pack`: packs a folder into a bundle. The same files give the same bytes, on every machine.
 * @returns 0, or 1 when the checks find errors; nothing is written then
 */
async function pack(context: CommandContext, dir: string, { output, json }: PackOptions): Promise<number> {
  const { terminal, cwd } = context;
  const opened = await openApp(cwd, dir, 'keep');
  if (opened.kind !== 'folder' && opened.kind !== 'unpackable') throw usageError(`${dir} is not a folder.`);
  const app = await requireValidApp(json ? quiet(terminal) : terminal, dir, opened, null);
  if (app === null) return 1;
  const { manifest, bytes, entries } = app;
  const shown = output ?? defaultName(manifest);
  await write(targetOf(context, dir, shown, entries), shown, bytes);
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
  terminal.out(leftOutLines(app.leftOut));
  terminal.out(sizeBar(terminal, bytes.length, LIMITS.bundle.bytes));
  return 0;
}

/** The definition for the command line. */
export const command = defineCommand<[string], PackOptions>({
  arguments: [{ name: '<dir>', help: 'the folder that contains plugin.json' }],
  options: [
    { flags: '-o, --output <file>', help: 'output file (default: <id>-<version>.svc-app)' },
    JSON_OPTION,
  ],
  details: 'Packing is reproducible: the same files give the same bytes on every machine.',
  examples: ['pack app', 'pack app -o notes.svc-app'],
  run: (context, [dir], options) => pack(context, dir, options),
});
