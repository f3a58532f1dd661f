import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Target } from './targets.ts';

/** Copies the start file of a program, with the paths of the sources replaced by those of the build. */
export async function copyBin(
  { folder, manifest }: Target,
  dist: string,
  built: Readonly<Record<string, string>>,
): Promise<void> {
  for (const file of Object.values((manifest.bin ?? {}) as Record<string, string>)) {
    let text = await readFile(join(folder, file), 'utf8');
    for (const [source, program] of Object.entries(built)) {
      if (!text.includes(source)) throw new Error(`${file} does not start ${source}.`);
      text = text.replaceAll(source, program);
    }
    await mkdir(join(dist, 'bin'), { recursive: true });
    await writeFile(join(dist, file), text);
  }
}
