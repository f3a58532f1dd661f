import { spawnSync } from 'node:child_process';

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

/**
 * Environment of a program that a test starts: the paths of programs, and the compile cache of Node, which
 * halves the start time. No other variable of this process is passed on.
 */
export const bareEnvironment = (): NodeJS.ProcessEnv => {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  return { PATH, ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }) };
};
