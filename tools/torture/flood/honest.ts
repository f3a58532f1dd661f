import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** Files of a legitimate app: a photo, and 150 kB of real source, like the libraries of a panel. */
export const PHOTO_AND_SOURCE = {
  'assets/photo.jpg': randomBytes(200_000),
  'ui/panel.js': readFileSync(createRequire(import.meta.url).resolve('typescript')).subarray(0, 150_000),
};
