import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { generateNotice, noticeOf } from '../tools/gen/notice.ts';

it('lists the packages of the lock file with native code, with the LGPL of libvips', async () => {
  const notice = (await generateNotice()).get('NOTICE.md') ?? '';
  expect(notice).toMatch(/@img\/sharp-libvips-\*` \| [\d.]+ \| LGPL-3.0-or-later/);
  for (const part of ['@napi-rs/keyring-', '@node-rs/argon2-']) expect(notice).toContain(part);
  expect(await readFile(join(import.meta.dirname, '..', 'NOTICE.md'), 'utf8')).toBe(notice);
});

it('fails on native code that was not reviewed, except in development dependencies', () => {
  const native = { version: '1.0.0', license: 'GPL-3.0', os: ['linux'] };
  const lock = (extra: object) => ({
    packages: { 'node_modules/a/node_modules/new-linux': { ...native, ...extra } },
  });
  expect(() => noticeOf(lock({}))).toThrow('new-linux contains native code');
  expect(noticeOf(lock({ dev: true }))).not.toContain('new-linux');
});
