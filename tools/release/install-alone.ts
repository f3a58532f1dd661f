import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from './run-program.ts';
import type { Target } from './targets.ts';

/** A package installed alone in a folder outside the repository. */
export type Installed = { folder: string; home: string; target: Target };

/** An environment with only PATH and an empty home. */
export const cleanEnv = (home: string): NodeJS.ProcessEnv => ({ HOME: home, PATH: process.env.PATH ?? '' });

/** Installs one tarball into an empty folder. */
export async function installAlone(target: Target, tarball: string, folder: string): Promise<Installed> {
  const home = join(folder, 'home');
  await mkdir(home, { recursive: true });
  await writeFile(
    join(folder, 'package.json'),
    '{ "name": "outside", "version": "0.0.0", "private": true, "type": "module" }\n',
  );
  runProgram('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--engine-strict', tarball], {
    cwd: folder,
  });
  return { folder, home, target };
}
