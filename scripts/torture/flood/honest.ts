import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** What an honest app brings beside its manifest: a photo, and 150 kB of real source, as the libraries of a panel are. */
export const PHOTO_AND_SOURCE = {
  'assets/photo.jpg': randomBytes(200_000),
  'ui/panel.js': readFileSync(createRequire(import.meta.url).resolve('typescript')).subarray(0, 150_000),
};
