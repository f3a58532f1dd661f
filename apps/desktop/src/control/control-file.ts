import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeDurable } from '@svc/runtime/parts';
import { z } from 'zod';

/** What the desktop that runs in a folder says of itself, for its owner's eyes only. */
const Control = z.strictObject({
  port: z.number().int().min(1).max(65_535),
  pid: z.number().int().positive(),
  /** What programs of the same person ask with; pages have bearers of their own. */
  bearer: z.string().regex(/^[\w-]{43}$/),
});
export type Control = z.infer<typeof Control>;

const fileIn = (folder: string): string => join(folder, 'desktop.json');

/** What stands there; null when nothing does, or nothing that can be read as what it should be. */
export async function readControl(folder: string): Promise<Control | null> {
  try {
    return Control.parse(JSON.parse(await readFile(fileIn(folder), 'utf8')));
  } catch {
    return null;
  }
}

/** Writes it whole or not at all. */
export const writeControl = (folder: string, control: Control): Promise<void> =>
  writeDurable(fileIn(folder), Buffer.from(`${JSON.stringify(control)}\n`));

/** Takes it away, unless another desktop has put its own there. */
export async function removeControl(folder: string, { bearer }: Control): Promise<void> {
  if ((await readControl(folder))?.bearer === bearer) await rm(fileIn(folder), { force: true });
}
