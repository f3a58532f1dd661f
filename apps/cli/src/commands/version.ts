import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { MANIFEST_FILE } from '@svc/contracts/vocabulary';
import { parseManifest } from '@svc/validator';
import { gt, inc, type ReleaseType, valid } from 'semver';
import { defineCommand, JSON_OPTION } from '../command-record.ts';
import { usageError } from '../failure.ts';
import { writeAtomic } from '../io/write-atomic.ts';
import { editJson } from '../manifest-file/edit-json.ts';
import { fitText } from '../present/cells.ts';
import { jsonLine } from '../present/text.ts';

type VersionOptions = { dir: string; json?: boolean };

const STEPS = ['major', 'minor', 'patch', 'prerelease'] as const satisfies readonly ReleaseType[];

/** Maximum columns of user input quoted in an error. */
const MAX_SHOWN = 40;

/** The new version: a step from the current one, or a greater one. */
function nextVersion(current: string, requested: string): string {
  const step = STEPS.find((name) => name === requested);
  const next = step ? inc(current, step) : valid(requested);
  if (next === null) {
    throw usageError(
      `${fitText(requested, MAX_SHOWN)} is neither ${STEPS.join(', ')} nor a version such as 1.2.0.`,
    );
  }
  if (!gt(next, current)) throw usageError(`${next} is not greater than the current version ${current}.`);
  return next;
}

async function readVersion(file: string, shown: string): Promise<{ text: string; current: string }> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw usageError(`Cannot read ${shown} (${error.code}).`, { cause: error });
  });
  const reading = parseManifest(bytes);
  const current = reading.ok && (reading.value as { version?: unknown } | null)?.version;
  if (typeof current !== 'string' || valid(current) === null) {
    throw usageError(`${shown} has no "version" of the form 1.2.0. Run svc validate for details.`);
  }
  return { text: new TextDecoder().decode(bytes), current };
}

/**
 * `svc version`: shows the version in plugin.json, or increases it and changes nothing else in the file.
 * @throws CommandError with exit code 2 when there is no valid version, or the requested one is not greater
 */
export const command = defineCommand<[string | undefined], VersionOptions>({
  arguments: [{ name: '[step]', help: `${STEPS.join(', ')}, or a version (default: show it)` }],
  options: [
    { flags: '--dir <dir>', help: 'the folder that contains plugin.json', default: '.' },
    JSON_OPTION,
  ],
  examples: ['version', 'version minor', 'version 2.0.0 --dir app'],
  async run({ cwd, terminal }, [requested], { dir, json }) {
    const shown = path.join(dir, MANIFEST_FILE);
    const file = path.resolve(cwd, shown);
    const { text, current } = await readVersion(file, shown);
    if (requested === undefined) {
      terminal.out(json ? jsonLine({ version: current }) : `${current}\n`);
      return 0;
    }
    const next = nextVersion(current, requested);
    const edited = editJson(text, ['version'], { put: next });
    if (edited === undefined) throw usageError(`${shown} has no "version" to change.`);
    await writeAtomic(file, edited);
    terminal.out(json ? jsonLine({ version: next, before: current }) : `${current} -> ${next}\n`);
    return 0;
  },
});
