import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { MANIFEST_FILE } from '@svc/contracts/vocabulary';
import { parseManifest } from '@svc/validator';
import { gt, inc, type ReleaseType, valid } from 'semver';
import type { CommandContext } from '../command-context.ts';
import { defineCommand, JSON_OPTION } from '../command-record.ts';
import { usageError } from '../failure.ts';
import { writeAtomic } from '../io/write-atomic.ts';
import { editJson } from '../manifest-file/edit-json.ts';
import { fitText } from '../present/cells.ts';
import { jsonLine } from '../present/escape.ts';

type VersionOptions = { dir: string; json?: boolean };

const STEPS = ['major', 'minor', 'patch', 'prerelease'] as const satisfies readonly ReleaseType[];

/** Columns of what the user wrote that an error repeats. */
const MAX_SHOWN = 40;

/** The version that is wanted: a step from the one that stands there, or one that is greater. */
function nextVersion(current: string, wanted: string): string {
  const step = STEPS.find((one) => one === wanted);
  const next = step ? inc(current, step) : valid(wanted);
  if (next === null) {
    throw usageError(
      `${fitText(wanted, MAX_SHOWN)} is neither ${STEPS.join(', ')} nor a version such as 1.2.0.`,
    );
  }
  if (!gt(next, current)) throw usageError(`${next} is not greater than ${current}, which stores require.`);
  return next;
}

async function readVersion(file: string, shown: string): Promise<{ text: string; current: string }> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw usageError(`${shown} cannot be read (${error.code}).`, { cause: error });
  });
  const reading = parseManifest(bytes);
  const current = reading.ok && (reading.value as { version?: unknown } | null)?.version;
  if (typeof current !== 'string' || valid(current) === null) {
    throw usageError(`${shown} has no "version" of the form 1.2.0: svc validate says more.`);
  }
  return { text: new TextDecoder().decode(bytes), current };
}

/**
 * `svc version`: shows the version in plugin.json, or raises it and leaves every other character of the file as it is.
 * @throws CommandError of wrong use when there is no version to raise, or the wanted one is not greater
 */
async function version(
  { cwd, terminal }: CommandContext,
  wanted: string | undefined,
  { dir, json }: VersionOptions,
): Promise<number> {
  const shown = path.join(dir, MANIFEST_FILE);
  const file = path.resolve(cwd, shown);
  const { text, current } = await readVersion(file, shown);
  if (wanted === undefined) {
    terminal.out(json ? jsonLine({ version: current }) : `${current}\n`);
    return 0;
  }
  const next = nextVersion(current, wanted);
  const edited = editJson(text, ['version'], { put: next });
  if (edited === undefined) throw usageError(`${shown} has no "version" to change.`);
  await writeAtomic(file, edited);
  terminal.out(json ? jsonLine({ version: next, before: current }) : `${current} -> ${next}\n`);
  return 0;
}

/** How the command line reads it. */
export const command = defineCommand<[string | undefined], VersionOptions>({
  arguments: [{ name: '[step]', help: `${STEPS.join(', ')}, or a version (default: show it)` }],
  options: [{ flags: '--dir <dir>', help: 'the folder with plugin.json', default: '.' }, JSON_OPTION],
  examples: ['version', 'version minor', 'version 2.0.0 --dir app'],
  run: (context, [step], options) => version(context, step, options),
});
