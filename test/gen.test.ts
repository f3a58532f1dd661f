import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { staleFiles } from '../scripts/gen.ts';

let root: string;

const GENERATED = new Map([
  ['docs/codes/same.md', Buffer.from('same')],
  ['docs/codes/changed.md', Buffer.from('new')],
  ['interop/keys/missing.json', Buffer.from('{}')],
]);

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'svc-gen-'));
  const files = {
    'docs/codes/same.md': 'same',
    'docs/codes/changed.md': 'old',
    'docs/codes/removed.md': 'of a code that is gone',
    'interop/keys/README.md': 'written by hand',
    'interop/keys/removed.zip': 'of a vector that is gone',
    'README.md': 'written by hand',
  };
  for (const folder of ['docs/codes', 'interop/keys']) await mkdir(join(root, folder), { recursive: true });
  for (const [path, text] of Object.entries(files)) await writeFile(join(root, path), text);
});

afterAll(() => rm(root, { recursive: true }));

it('finds generated files that differ, are missing, or have no generator any more', async () => {
  const { changed, left } = await staleFiles(root, GENERATED);
  expect(changed).toEqual(['docs/codes/changed.md', 'interop/keys/missing.json']);
  expect(left.toSorted()).toEqual(['docs/codes/removed.md', 'interop/keys/removed.zip']);
});
