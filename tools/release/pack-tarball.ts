import { basename, join } from 'node:path';
import { runProgram } from './run-program.ts';
import type { Target } from './targets.ts';

/** Packs the build output of a package. @returns the tarball */
export function packTarball({ folder }: Target, out: string): string {
  const [packed] = JSON.parse(
    runProgram('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', out], {
      cwd: join(folder, 'dist'),
    }),
  ) as { filename: string }[];
  if (!packed) throw new Error(`npm pack produced no tarball for ${folder}.`);
  return join(out, basename(packed.filename));
}
