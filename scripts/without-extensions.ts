import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { EXTENSION_NAMES, type ExtensionName } from '@svc/contracts';
import { DEEP_PROJECT, ROOT } from './test-projects.ts';

/**
 * Runs what must pass without extensions: for each one all tests of the store outside its folder, and without any the tests of the
 * core, on both databases. `node scripts/without-extensions.ts storefront ratings` runs these alone, `core` the last.
 */
const TESTS = 'apps/store/test';
const VITEST = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');

/** Runs tests of stores without some extensions. @returns whether all passed */
function passes(without: readonly string[], args: readonly string[]): boolean {
  const env = { ...process.env, SVC_TEST_WITHOUT: without.join(',') };
  const { status } = spawnSync(process.execPath, [VITEST, 'run', '--tags-filter', '!deep', ...args], {
    cwd: ROOT,
    env,
    stdio: 'inherit',
  });
  return status === 0;
}

/** The folders of tests of a store, without that of an extension. */
const foldersBeside = (name: ExtensionName): string[] =>
  globSync([`${TESTS}/*/`, `${TESTS}/extensions/*/`], { cwd: ROOT })
    .map((folder) => `${folder.replaceAll('\\', '/').replace(/\/$/, '')}/`)
    .filter((folder) => folder !== `${TESTS}/extensions/` && folder !== `${TESTS}/extensions/${name}/`);

const projects = (...names: string[]): string[] => names.flatMap((name) => ['--project', name]);

const RUNS = new Map<string, () => boolean>([
  ...EXTENSION_NAMES.map((name): [string, () => boolean] => [
    name,
    () => passes([name], [...projects('sqlite'), ...foldersBeside(name)]),
  ]),
  ['core', () => passes(EXTENSION_NAMES, [...projects('sqlite', 'postgres', DEEP_PROJECT), `${TESTS}/core`])],
]);

const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => !RUNS.has(name));
if (unknown.length > 0) {
  process.stderr.write(`Unknown: ${unknown.join(', ')}. Known: ${[...RUNS.keys()].join(', ')}.\n`);
  process.exit(2);
}
const failed = [...RUNS].filter(([name, run]) => (chosen.length === 0 || chosen.includes(name)) && !run());
for (const [name] of failed)
  process.stdout.write(`FAILED: ${name === 'core' ? 'the core alone' : `without ${name}`}\n`);
process.exit(failed.length > 0 ? 1 : 0);
