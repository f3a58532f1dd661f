import { spawnSync } from 'node:child_process';

/** Whether a program is on this machine. A test that needs one that is not says so and is skipped. */
export const hasProgram = (name: string): boolean => spawnSync(name, ['--version']).error === undefined;
