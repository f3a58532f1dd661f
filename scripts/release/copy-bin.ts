import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Target } from './targets.ts';

/** Copies the file that starts a program, which then starts what was built of its sources. */
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
