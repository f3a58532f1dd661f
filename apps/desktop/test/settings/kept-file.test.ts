import { rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defaultSystem } from '@svc/runtime';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { keptFile } from '../../src/settings/kept-file.ts';
import { tempFolder } from '../support/temp-folder.ts';

const MINUTE = 60_000;

async function opened(later: number) {
  const file = join(await tempFolder(), 'kept.json');
  const system = { ...defaultSystem, now: () => Date.now() + later };
  const schema = z.strictObject({ words: z.array(z.string()) });
  return { file, kept: keptFile(system, file, { schema, first: { words: ['first'] }, words: 'The words' }) };
}

it('reads a settled file once, and again after each change, of any kind', async () => {
  const { file, kept } = await opened(MINUTE);
  expect(kept.read().words).toEqual(['first']);
  await writeFile(file, '{"words":["one"]}');
  expect(kept.read().words).toEqual(['one']);
  expect(kept.read()).toBe(kept.read());
  await writeFile(file, '{"words":["two"]}');
  expect(kept.read().words).toEqual(['two']);
  await writeFile(`${file}.new`, '{"words":["six"]}');
  await rename(`${file}.new`, file);
  expect(kept.read().words).toEqual(['six']);
  await kept.change(({ words }) => ({ words: [...words, 'ten'] }));
  expect(kept.read().words).toEqual(['six', 'ten']);
  await writeFile(file, '{');
  expect(kept.read).toThrow('The words');
  await rm(file);
  expect(kept.read().words).toEqual(['first']);
});

it('reads a file each time that was changed just now, whatever its time says', async () => {
  const { file, kept } = await opened(0);
  await writeFile(file, '{"words":["one"]}');
  await utimes(file, new Date(0), new Date(0));
  expect(kept.read()).not.toBe(kept.read());
  expect(kept.read().words).toEqual(['one']);
});

it('hands out nothing that a caller can change', async () => {
  const { file, kept } = await opened(MINUTE);
  expect(() => kept.read().words.push('more')).toThrow(TypeError);
  await writeFile(file, '{"words":["one"]}');
  expect(() => kept.read().words.push('more')).toThrow(TypeError);
});
