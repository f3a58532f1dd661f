import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { servingStore } from '../../src/io/serving-store.ts';
import { tempFolder } from '../support/command-context.ts';

it('returns the store that served the program, or undefined', async () => {
  const file = path.join(await tempFolder(), 'store.json');
  expect(servingStore(pathToFileURL(file))).toBeUndefined();
  await writeFile(file, '{"store":"https://apps.example.com"}\n');
  expect(servingStore(pathToFileURL(file))).toBe('https://apps.example.com');
  expect(servingStore()).toBeUndefined();
});
