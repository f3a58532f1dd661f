import { spawnSync } from 'node:child_process';

/** Whether a program is on this machine. A test that needs one that is not says so and is skipped. */
export const hasProgram = (name: string): boolean => spawnSync(name, ['--version']).error === undefined;

/** The browser on this machine that tests may drive, by its name or path; undefined when there is none. */
export const findChromium = (): string | undefined =>
  [process.env.CHROMIUM, 'chromium', 'chromium-browser', 'google-chrome'].find(
    (name) => name !== undefined && name !== '' && hasProgram(name),
  );
