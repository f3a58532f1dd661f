import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleCli } from './bundle-cli.ts';
import { runProgram } from './run-program.ts';

/** Bundles the command line, and packs it into the tarball that stores serve. @returns the tarball */
export async function packCli(folder?: string): Promise<string> {
  const dist = await bundleCli(folder);
  const [packed] = JSON.parse(runProgram('npm', ['pack', '--json', '--ignore-scripts'], { cwd: dist }));
  const tarball = join(dist, 'cli.tgz');
  await rm(tarball, { force: true });
  await rename(join(dist, packed.filename), tarball);
  return tarball;
}
