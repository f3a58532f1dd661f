import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packBundle } from '@svc/bundle';
import { LIMITS } from '@svc/contracts';
import { BOTH_DATABASES, sampleBundle, sampleFiles, sampleManifest } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { requireVersion } from '../../../src/core/domain/versions/version-status.ts';
import { overrunRefusal } from '../../../src/core/publishing/publish.ts';
import { OverrunError } from '../../../src/platform/overrun-error.ts';
import { docsOf } from '../../support/extensions.ts';
import { fakeSites } from '../../support/people.ts';
import { ADMIN_TOKEN, bodyOf, openTestStore, type TestStore } from '../../support/test-store.ts';

/** Everything that an upload could leave behind. */
async function traces(store: TestStore) {
  const { total } = await bodyOf(store.admin('GET', '/api/moderation/queue'));
  const status = await store.call('GET', '/api/apps/com.example.notes/versions/1.0.0/status');
  const files = [...(await store.filesUnder('blobs')), ...(await store.filesUnder('incoming'))];
  return { total, status: status.status, files };
}

const NO_TRACE = { total: 0, status: 404, files: [] };

const zipOf = (
  bytes: Uint8Array | string,
  headers: Record<string, string> = { 'content-type': 'application/zip' },
) => ({
  body: bytes as string,
  headers,
});

it.each([
  ['pictures', '/branding', 'make the pictures simpler.'],
  ['structure', '', 'make it smaller, especially its scripts.'],
])('a bundle that takes too long because of its %s is told so', (what, path, advice) => {
  const { issues } = overrunRefusal(new OverrunError(what, 1_000)).extras;
  const subject = path === '' ? 'the bundle' : 'the manifest and the pictures it names';
  const message = `Checking ${subject} took longer than 1 second: ${advice}`;
  expect(issues).toEqual([{ code: 'check.timeout', level: 'error', path, message }]);
});

describe('a refused upload', () => {
  const refusals: [string, (store: TestStore, token: string) => Promise<Response>, object][] = [
    [
      'without a token',
      (store) => store.upload(null, sampleBundle()),
      { httpStatus: 401, code: 'unauthorized' },
    ],
    [
      'with an invented token',
      (store) => store.upload('svcp_made-up', sampleBundle()),
      { httpStatus: 401, code: 'unauthorized' },
    ],
    [
      'without a body',
      (store, token) => store.call('POST', '/api/apps/publish', { token }),
      { httpStatus: 400, code: 'empty_body' },
    ],
    [
      'with an empty body',
      (store, token) => store.upload(token, new Uint8Array()),
      { httpStatus: 400, code: 'empty_body' },
    ],
    [
      'with a length of 0, of any type',
      (store, token) =>
        store.call('POST', '/api/apps/publish', {
          token,
          headers: { 'content-type': 'text/plain', 'content-length': '0' },
        }),
      { httpStatus: 400, code: 'empty_body' },
    ],
    [
      'that is not a zip file',
      (store, token) => store.upload(token, Buffer.from('hello')),
      { httpStatus: 400, code: 'invalid_bundle', issues: [{ code: 'invalid_bundle', level: 'error' }] },
    ],
    [
      'with bytes after the zip file',
      (store, token) => store.upload(token, Buffer.concat([sampleBundle(), Buffer.from('x')])),
      {
        httpStatus: 400,
        code: 'invalid_bundle',
        message: 'The body is not a valid bundle: see issues, and pack it again.',
      },
    ],
    [
      'of another type',
      (store, token) =>
        store.call('POST', '/api/apps/publish', {
          token,
          ...zipOf('{}', { 'content-type': 'application/json' }),
        }),
      { httpStatus: 415, code: 'unsupported_media_type' },
    ],
    [
      'with a content length that is too large',
      (store, token) =>
        store.call('POST', '/api/apps/publish', {
          token,
          ...zipOf('x', {
            'content-type': 'application/zip',
            'content-length': String(LIMITS.bundle.bytes + 1),
          }),
        }),
      { httpStatus: 413, code: 'bundle_too_large' },
    ],
    [
      'that is a byte too large',
      (store, token) => store.upload(token, new Uint8Array(LIMITS.bundle.bytes + 1)),
      { httpStatus: 413, code: 'bundle_too_large' },
    ],
    [
      'whose manifest has errors',
      (store, token) => store.publish(token, { name: '', version: 'one' }),
      {
        httpStatus: 422,
        code: 'validation_failed',
        message: 'The store checks found 2 errors: see issues.',
      },
    ],
    [
      'without a manifest',
      (store, token) => store.upload(token, packBundle(new Map([['README.md', new Uint8Array(1)]]))),
      {
        httpStatus: 422,
        code: 'validation_failed',
        message: 'The store checks found 1 error: see issues.',
      },
    ],
    [
      'whose manifest is not valid JSON',
      (store, token) => store.upload(token, packBundle(sampleFiles('x', { 'plugin.json': '{"a":1,"a":2}' }))),
      { httpStatus: 422, code: 'validation_failed' },
    ],
    [
      'for an unknown publisher',
      (store, token) => store.publish(token, { publisher: 'nobody' }),
      { httpStatus: 404, code: 'unknown_publisher' },
    ],
  ];

  it.each(refusals)('%s leaves no trace', async (_name, act, answer) => {
    const store = await openTestStore();
    const token = await store.publisherToken();
    expect(await bodyOf(act(store, token))).toMatchObject(answer);
    expect(await traces(store)).toEqual(NO_TRACE);
    expect((await store.publish(token)).status).toBe(201);
  });

  it('with the token of another publisher leaves no trace', async () => {
    const store = await openTestStore();
    await store.publisherToken('example');
    const stranger = await store.publisherToken('stranger');
    expect(await bodyOf(store.publish(stranger))).toMatchObject({ httpStatus: 403, code: 'not_a_member' });
    expect(await traces(store)).toEqual(NO_TRACE);
  });

  it('with a token without the scope leaves no trace', async () => {
    const store = await openTestStore();
    const token = await store.publisherToken('example', true, ['publish:update']);
    expect(await bodyOf(store.publish(token))).toMatchObject({ httpStatus: 403, code: 'forbidden' });
    expect(await traces(store)).toEqual(NO_TRACE);
  });

  it('with a token for other apps, or for new apps or updates only, leaves no trace', async () => {
    const store = await openTestStore();
    await store.publisherToken();
    const session = await store.signedIn('carl', { membership: { example: 'owner' } });
    const tokenFor = async (scopes: string[], appId?: string) => {
      const json = { name: 'CI', scopes, ...(appId && { appId }) };
      return (await bodyOf(store.call('POST', '/api/people/me/tokens', { session, json }))).token as string;
    };
    const [create, update] = [await tokenFor(['publish:new']), await tokenFor(['publish:update'])];
    const both = ['publish:new', 'publish:update'];
    const statusOf = async (token: string, version: string) =>
      (await store.publish(token, { version })).status;
    expect(await statusOf(update, '1.0.0')).toBe(403);
    expect(await statusOf(await tokenFor(both, 'com.example.other'), '1.0.0')).toBe(403);
    expect(await traces(store)).toEqual(NO_TRACE);
    expect(await statusOf(create, '1.0.0')).toBe(201);
    expect(await statusOf(create, '1.1.0')).toBe(403);
    expect(await statusOf(update, '1.1.0')).toBe(201);
    expect(await statusOf(await tokenFor(both, 'com.example.notes'), '1.2.0')).toBe(201);
  });

  it('reports all errors together', async () => {
    const store = await openTestStore();
    const faulty = { name: '', version: 'one', permissions: [] };
    const { issues, message } = await bodyOf(
      store.upload(await store.publisherToken(), sampleBundle(faulty, { 'README.md': null })),
    );
    const levels = issues.map(({ level }: { level: string }) => level);
    expect(levels).toContain('warning');
    const errors = levels.filter((level: string) => level === 'error').length;
    expect(message).toBe(`The store checks found ${errors} errors: see issues.`);
    const codes = issues.map(({ code }: { code: string }) => code);
    expect(codes).toEqual(expect.arrayContaining(['name.missing', 'version.format', 'permissions.empty']));
    for (const { code, docs } of issues) expect(docs).toBe(docsOf(code));
  });

  it('has the code id_taken when the id belongs to another publisher', async () => {
    const store = await openTestStore();
    await store.publish(await store.publisherToken('example'));
    const other = await store.publisherToken('other');
    const taken = await bodyOf(store.publish(other, { publisher: 'other', version: '9.0.0' }));
    expect(taken).toMatchObject({ httpStatus: 409, code: 'id_taken' });
  });

  it('has a code for a suspended publisher or app, and is accepted after the suspension', async () => {
    const store = await openTestStore();
    const token = await store.publisherToken();
    await store.publish(token);
    const next = () => bodyOf(store.publish(token, { version: '2.0.0' }));
    await store.admin('PATCH', '/api/admin/publishers/example', { suspended: true });
    expect(await next()).toMatchObject({ httpStatus: 403, code: 'publisher_suspended' });
    // Before anything of the bundle is checked.
    expect(await bodyOf(store.publish(ADMIN_TOKEN, { id: 'No id' }))).toMatchObject({
      code: 'publisher_suspended',
    });
    await store.admin('PATCH', '/api/admin/publishers/example', { suspended: false });
    await store.admin('PATCH', '/api/admin/apps/com.example.notes', { suspended: true });
    expect(await next()).toMatchObject({ httpStatus: 403, code: 'app_suspended' });
    await store.admin('PATCH', '/api/admin/apps/com.example.notes', { suspended: false });
    expect(await next()).toMatchObject({ httpStatus: 201 });
  });
});

describe('version numbers', () => {
  it.each([
    ['1.0.0', '1.0.0'],
    ['1.0.0', '0.9.9'],
    ['1.0.0', '1.0.0-rc.1'],
    ['1.0.0+b', '1.0.0+a'],
    ['1.0.0+a', '1.0.0+b'],
    ['1.10.0', '1.9.0'],
  ])('after %s, %s is refused as not greater', async (first, second) => {
    const store = await openTestStore();
    const token = await store.publisherToken();
    expect((await store.publish(token, { version: first })).status).toBe(201);
    const refused = await bodyOf(store.publish(token, { version: second }));
    expect(refused).toMatchObject({ httpStatus: 409, code: 'version_not_greater', latest: first });
  });

  it('of rejected uploads remain used', async () => {
    const store = await openTestStore();
    const token = await store.publisherToken();
    await store.publish(token);
    await store.decide('reject', '1.0.0', { note: 'No.' });
    expect(await bodyOf(store.publish(token))).toMatchObject({
      code: 'version_not_greater',
      latest: '1.0.0',
    });
  });

  it('are accepted once, of 20 concurrent uploads of the same bundle', BOTH_DATABASES, async () => {
    const store = await openTestStore();
    const token = await store.publisherToken();
    const answers = await Promise.all(Array.from({ length: 20 }, () => store.publish(token)));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, ...Array(19).fill(409)]);
    expect(await store.filesUnder('incoming')).toEqual([]);
  });

  it('are accepted once, of 8 concurrent uploads of different bundles', BOTH_DATABASES, async () => {
    const store = await openTestStore();
    const token = await store.publisherToken();
    const bundles = Array.from({ length: 8 }, (_, n) =>
      sampleBundle({}, { 'README.md': `# Variant ${n}\n` }),
    );
    const answers = await Promise.all(bundles.map((bytes) => store.upload(token, bytes)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  });
});

describe('an accepted upload', () => {
  it('is told that its server has a private address, which clients elsewhere refuse', async () => {
    const asked: string[] = [];
    const isPrivate = async (host: string) => asked.push(host) > 0;
    const store = await openTestStore({ sites: { ...fakeSites().sites, isPrivate } });
    const token = await store.publisherToken();
    const withoutReadme = sampleBundle({}, { 'README.md': null });
    const { status, issues } = await bodyOf(store.upload(token, withoutReadme));
    expect(status).toBe('in_review');
    expect(issues).toContainEqual(
      expect.objectContaining({ code: 'remote.private', level: 'warning', path: '/remote/mcpUrl' }),
    );
    // Each warning once.
    const codes = issues.map(({ code }: { code: string }) => code);
    expect(codes).toEqual([...new Set(codes)]);
    expect(asked).toEqual([expect.stringContaining('example.com')]);
  });

  it('returns its warnings', BOTH_DATABASES, async () => {
    const store = await openTestStore();
    const token = await store.publisherToken('example', true);
    await store.publish(token);
    await store.decide('approve', '1.0.0');
    const withoutReadme = sampleBundle({ version: '1.1.0' }, { 'README.md': null });
    const answer = await bodyOf(store.upload(token, withoutReadme));
    expect(answer).toMatchObject({
      status: 'published',
      issues: [{ code: 'bundle.readme', level: 'warning' }],
    });
  });

  it('is possible when its spooled file cannot be deleted', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-store-'));
    const incoming = join(folder, 'incoming');
    let spooled: string | undefined;
    // Once the blob has been kept, a folder with the name of the spooled file makes its deletion fail.
    const look = () => {
      spooled ??= readdirSync(incoming)[0];
      if (spooled !== undefined && !existsSync(join(incoming, spooled))) mkdirSync(join(incoming, spooled));
    };
    let isPublishing = false;
    const store = await openTestStore({
      folder,
      ambient: {
        newId() {
          if (isPublishing) look();
          return randomUUID();
        },
        clock() {
          if (isPublishing) look();
          return new Date('2026-03-01T12:00:00.000Z');
        },
      },
    });
    const token = await store.publisherToken();
    isPublishing = true;
    expect(await bodyOf(store.publish(token))).toMatchObject({ httpStatus: 201 });
    expect(store.lines.join('\n')).toContain('could not be deleted');
  });

  it('has the look of its icon, by which others are compared with it, and of no other picture', async () => {
    const store = await openTestStore();
    const icon =
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512"><path fill="#c02020" d="M0 0h512v512z"/></svg>';
    const branding = { ...sampleManifest().branding, icon: 'assets/icon.svg' };
    const bundle = sampleBundle({ branding }, { 'assets/icon.svg': icon });
    expect(await bodyOf(store.upload(await store.publisherToken(), bundle))).toMatchObject({
      httpStatus: 201,
    });
    const { files } = await requireVersion(store.stores.versions, {
      appId: 'com.example.notes',
      version: '1.0.0',
    });
    expect(files.length).toBeGreaterThan(1);
    expect(files.flatMap(({ path, look }) => (look === undefined ? [] : [path]))).toEqual([
      'assets/icon.svg',
    ]);
  });

  it('can be sent by automation for any publisher', async () => {
    const store = await openTestStore();
    await store.publisherToken();
    expect((await store.publish(ADMIN_TOKEN)).status).toBe(201);
  });
});
