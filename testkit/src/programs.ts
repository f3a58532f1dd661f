import { spawnSync } from 'node:child_process';

/** Whether a program is on this machine. A test that needs one that is not says so and is skipped. */
export const hasProgram = (name: string): boolean => spawnSync(name, ['--version']).error === undefined;

/** The headless build comes first: without the windows of a browser it takes two thirds of the processor time. */
const CHROMIUMS = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

/** The browser on this machine that tests may drive, by its name or path; undefined when there is none. */
export const findChromium = (): string | undefined =>
  [process.env.CHROMIUM, ...CHROMIUMS].find((name) => name !== undefined && name !== '' && hasProgram(name));

/** The same of Firefox. */
export const findFirefox = (): string | undefined =>
  [process.env.FIREFOX, 'firefox-esr', 'firefox'].find(
    (name) => name !== undefined && name !== '' && hasProgram(name),
  );

/** Where a program is, whose name is one of the above. */
export const pathOfProgram = (name: string): string =>
  spawnSync('sh', ['-c', 'command -v "$0"', name], { encoding: 'utf8' }).stdout.trim();

/**
 * What a program knows of this process that a test starts: where programs are, and where Node keeps what it has compiled, which
 * halves the time to start. None of the settings of this process reach it.
 */
export const bareEnvironment = (): NodeJS.ProcessEnv => {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  return { PATH, ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }) };
};
