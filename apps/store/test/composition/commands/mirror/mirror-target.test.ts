import { mkdir, readdir, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bucketTarget, folderTarget } from '../../../../src/composition/commands/mirror/mirror-target.ts';
import { tempFolder } from '../../../support/backup.ts';
import { type Answer, fakeS3, fault } from '../../../support/fake-s3.ts';

const OBJECT = 'objects/ab/abcd.json';
const yes: Answer = (_asked, response) => response.end();
const listOf =
  (...keys: string[]): Answer =>
  (_asked, response) =>
    response.end(
      `<ListBucketResult><IsTruncated>false</IsTruncated>${keys.map((key) => `<Key>${key}</Key>`).join('')}</ListBucketResult>`,
    );
const writtenAt =
  (at: string): Answer =>
  (_asked, response) =>
    response.writeHead(200, { 'last-modified': new Date(at).toUTCString() }).end();

describe('a mirror in a folder', () => {
  it('has files that a web server may read, each whole', async () => {
    const folder = join(await tempFolder(), 'mirror');
    const target = folderTarget(folder);
    expect([await target.read('mirror.json'), await target.has(OBJECT), await target.isForeign()]).toEqual([
      null,
      false,
      false,
    ]);
    await target.write(OBJECT, Buffer.from('{}'));
    await target.write('mirror.json', Buffer.from('one'));
    await target.write('mirror.json', Buffer.from('two'));
    expect([await target.read('mirror.json'), await target.has(OBJECT)]).toEqual(['two', true]);
    expect((await stat(join(folder, OBJECT))).mode & 0o444).toBe(0o444);
    expect((await readdir(folder)).sort()).toEqual(['mirror.json', 'objects']);
  });

  it('finds old objects, and what an ended run left', async () => {
    const folder = await tempFolder();
    const target = folderTarget(folder);
    await target.write(OBJECT, Buffer.from('{}'));
    await target.write('objects/cd/cdef.zip', Buffer.from('zip'));
    await writeFile(join(folder, '.draft-1'), 'half');
    for (const path of [OBJECT, '.draft-1']) await utimes(join(folder, path), new Date(0), new Date(0));
    const old = await Array.fromAsync(target.olderThan(new Date(1_000)));
    expect(old.sort()).toEqual(['.draft-1', OBJECT]);
    for (const path of old) await target.remove(path);
    expect(await target.has(OBJECT)).toBe(false);
    expect(await target.isForeign()).toBe(false);
    for (const path of ['v0.1/servers/', 'v0.1/servers/com.example/notes/versions/1.0.0', 'feeds/new.atom'])
      await target.write(path, Buffer.from('{}'));
    expect(await readdir(join(folder, 'v0.1/servers'))).toEqual(['com.example', 'index.json']);
    expect((await Array.fromAsync(target.plain())).sort()).toEqual([
      'feeds/new.atom',
      'v0.1/servers/',
      'v0.1/servers/com.example/notes/versions/1.0.0',
    ]);
    await target.remove('v0.1/servers/');
    expect(await target.has('v0.1/servers/')).toBe(false);
    expect(await target.isForeign()).toBe(true);
    await mkdir(join(folder, 'www'));
    expect(await target.isForeign()).toBe(true);
  });
});

describe('a mirror in a bucket', () => {
  it('has objects with their types, and how long caches keep them', async () => {
    const { settings, asked } = await fakeS3(yes);
    const target = bucketTarget({ ...settings, prefix: 'svc/' });
    const plain = ['v0.1/servers/', 'feeds/new.json', 'feeds/new.atom'];
    for (const path of [OBJECT, 'objects/cd/cdef.zip', 'mirror.json', ...plain])
      await target.write(path, Buffer.from('{}'));
    expect(
      asked.map(({ method, url, headers }) => [
        method,
        url,
        headers['content-type'],
        headers['cache-control'],
      ]),
    ).toEqual([
      ['PUT', `/apps/svc/${OBJECT}`, 'application/json', 'public, max-age=31536000, immutable'],
      ['PUT', '/apps/svc/objects/cd/cdef.zip', 'application/zip', 'public, max-age=31536000, immutable'],
      ['PUT', '/apps/svc/mirror.json', 'application/json', 'public, max-age=10'],
      ['PUT', '/apps/svc/v0.1/servers', 'application/json', 'public, max-age=60'],
      ['PUT', '/apps/svc/feeds/new.json', 'application/feed+json', 'public, max-age=60'],
      ['PUT', '/apps/svc/feeds/new.atom', 'application/atom+xml', 'public, max-age=60'],
    ]);
  });

  it('is read, listed and swept', async () => {
    const none = fault(404, 'NoSuchKey');
    const { settings } = await fakeS3(
      none,
      none,
      listOf('objects/ab/old.json', 'objects/ab/new.json'),
      writtenAt('2026-01-01'),
      writtenAt('2026-02-01'),
      listOf('mirror.json', 'objects/ab/new.json', 'index.html'),
      yes,
    );
    const target = bucketTarget(settings);
    expect([await target.read('mirror.json'), await target.has(OBJECT)]).toEqual([null, false]);
    expect(await Array.fromAsync(target.olderThan(new Date('2026-01-15')))).toEqual(['objects/ab/old.json']);
    expect(await target.isForeign()).toBe(true);
    await target.remove('objects/ab/old.json');
  });
});
