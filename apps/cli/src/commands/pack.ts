import { createHash } from 'node:crypto';
import path from 'node:path';
import type { BundleEntries } from '@svc/bundle';
import type { Manifest } from '@svc/contracts';
import { LIMITS } from '@svc/contracts/vocabulary';
import { changesOf, footprintOf } from '@svc/permissions';
import { exactSizeText, sizeText } from '@svc/text/quantity';
import { createColors } from 'picocolors';
import { type CommandContext, defineCommand, JSON_OPTION } from '../command-record.ts';
import { usageError } from '../failure.ts';
import { openApp } from '../io/open-app.ts';
import type { LeftOut } from '../io/opened-app.ts';
import { quiet, type Terminal } from '../io/terminal.ts';
import { writeAtomic } from '../io/write-atomic.ts';
import { allowedLines } from '../present/changes.ts';
import { escapeText, fieldLines, headline, jsonLine, sizeOf } from '../present/text.ts';
import { requireValidApp } from '../require-valid-app.ts';

/** Maximum lines of a list of files; the others are counted. */
const MAX_LINES = 15;

/** Width of the bar. */
const BAR = 20;

/** From this share of the limit, the bar is yellow. */
const NEARLY_FULL = 0.8;

/** The first lines, and the number of the others. */
function firstLines(lines: readonly string[]): string {
  const more = lines.length - MAX_LINES;
  const shown = more > 0 ? [...lines.slice(0, MAX_LINES), `and ${more.toLocaleString('en')} more`] : lines;
  return shown.map((line) => `    ${line}\n`).join('');
}

/** The files of a bundle, the largest first, with their unpacked sizes. */
export function contentLines(terminal: Terminal, entries: BundleEntries): string {
  const { dim } = createColors(terminal.colour);
  const files = [...entries]
    .map(([name, bytes]) => ({ name, size: bytes.length }))
    .sort((a, b) => b.size - a.size || (a.name < b.name ? -1 : 1))
    .map(({ name, size }) => ({ name: escapeText(name), size: sizeText(size) }));
  const width = Math.max(...files.slice(0, MAX_LINES).map(({ size }) => size.length));
  return `  files (unpacked size):\n${firstLines(files.map(({ name, size }) => `${dim(size.padStart(width))}  ${name}`))}`;
}

/** The files left out of a bundle, and why; empty when there are none. */
export function leftOutLines(leftOut: readonly LeftOut[]): string {
  if (leftOut.length === 0) return '';
  return `  left out:\n${firstLines(leftOut.map(({ path, why }) => `${escapeText(path)}: ${escapeText(why)}`))}`;
}

/** The size of a bundle compared to the limit: `[████░░░░]  4.2 MiB of 25 MiB`. */
export function sizeBar(terminal: Terminal, bytes: number, limit: number): string {
  const { green, yellow } = createColors(terminal.colour);
  const share = Math.min(1, bytes / limit);
  const [full, empty] = terminal.unicode ? ['█', '░'] : ['#', '.'];
  // At least one box is full, and all boxes only at the limit.
  const boxes = share === 1 ? BAR : Math.min(BAR - 1, Math.max(1, Math.round(share * BAR)));
  const paint = share > NEARLY_FULL ? yellow : green;
  const bar = `${paint(full.repeat(boxes))}${empty.repeat(BAR - boxes)}`;
  return `  [${bar}]  ${sizeText(bytes)} of ${exactSizeText(limit)}\n`;
}

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
export const command = defineCommand<[string], PackOptions>({
  arguments: [{ name: '<dir>', help: 'the folder that contains plugin.json' }],
  options: [
    { flags: '-o, --output <file>', help: 'output file (default: <id>-<version>.svc-app)' },
    JSON_OPTION,
  ],
  details: 'Packing is reproducible: the same files give the same bytes on every machine.',
  examples: ['pack app', 'pack app -o notes.svc-app'],
  async run(context, [dir], { output, json }) {
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
      terminal.out(
        jsonLine({ appId, version, file: shown, files: entries.size, size: bytes.length, sha256 }),
      );
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
  },
});
