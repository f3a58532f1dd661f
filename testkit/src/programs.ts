import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** Whether a program is installed. A test that needs a missing program is skipped with a reason. */
export const hasProgram = (name: string): boolean => spawnSync(name, ['--version']).error === undefined;

/** The headless build comes first: without windows it needs two thirds of the processor time. */
const CHROMIUMS = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

/** The installed browser for tests, by its name or path; undefined when there is none. */
export const findChromium = (): string | undefined =>
  [process.env.CHROMIUM, ...CHROMIUMS].find((name) => name !== undefined && name !== '' && hasProgram(name));

/** The installed Firefox, by its name or path; undefined when there is none. */
export const findFirefox = (): string | undefined =>
  [process.env.FIREFOX, 'firefox-esr', 'firefox'].find(
    (name) => name !== undefined && name !== '' && hasProgram(name),
  );

/** The path of one of these programs. */
export const pathOfProgram = (name: string): string =>
  spawnSync('sh', ['-c', 'command -v "$0"', name], { encoding: 'utf8' }).stdout.trim();

const APPS = join(import.meta.dirname, '../../apps');

/** The programs of the project: their sources, and where they are bundled as they are published. */
const OWN_PROGRAMS = {
  store: ['store/src/main.ts', 'store/dist/lib/svc-store.js'],
  desktop: ['desktop/src/main.ts', 'cli/dist/lib/desktop.js'],
  svc: ['cli/bin/svc.js', 'cli/dist/bin/svc.js'],
} as const;

/** The file of a program of the project: bundled where `npm run` has built it, which starts in half of the time, or the sources. */
export const ownProgram = (name: keyof typeof OWN_PROGRAMS): string => {
  const [source, bundled] = OWN_PROGRAMS[name];
  return join(APPS, process.env.SVC_TEST_BUILT === undefined ? source : bundled);
};

/**
 * Environment of a program that a test starts: the paths of programs, and the compile cache of Node, which
 * halves the start time. No other variable of this process is passed on.
 */
export const bareEnvironment = (): NodeJS.ProcessEnv => {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  return { PATH, ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }) };
};
