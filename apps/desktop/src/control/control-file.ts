import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeDurable } from '@svc/runtime/parts';
import { z } from 'zod';

/** How to connect to the running desktop of a folder. Only the owner can read the file. */
const Control = z.strictObject({
  socket: z.string().min(1).max(4_096),
  port: z.number().int().min(1).max(65_535),
  pid: z.number().int().positive(),
  /** Bearer for programs of the same user; pages have their own bearers. */
  bearer: z.string().regex(/^[\w-]{43}$/),
});
export type Control = z.infer<typeof Control>;

const fileIn = (folder: string): string => join(folder, 'desktop.json');

/** Reads the file; null if it is missing or invalid. */
export async function readControl(folder: string): Promise<Control | null> {
  try {
    return Control.parse(JSON.parse(await readFile(fileIn(folder), 'utf8')));
  } catch {
    return null;
  }
}

export const writeControl = (folder: string, control: Control): Promise<void> =>
  writeDurable(fileIn(folder), Buffer.from(`${JSON.stringify(control)}\n`));

/** Deletes the file, unless another desktop has replaced it. */
export async function removeControl(folder: string, { bearer }: Control): Promise<void> {
  if ((await readControl(folder))?.bearer === bearer) await rm(fileIn(folder), { force: true });
}
