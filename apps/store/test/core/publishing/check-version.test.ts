import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sampleBundle } from '@svc/testkit';
import { describe, expect, it, vi } from 'vitest';
import { createStores, createUnitOfWork } from '../../../src/adapters/database/stores.ts';
import { jobMover } from '../../../src/core/domain/versions/changes.ts';
import { requireVersion } from '../../../src/core/domain/versions/version-status.ts';
import { type CheckDeps, failClosed } from '../../../src/core/publishing/check-version.ts';
import type { SubmitStores } from '../../../src/core/publishing/submit-version.ts';
import { ApiError } from '../../../src/platform/api-error.ts';
import { UnavailableError } from '../../../src/platform/unavailable-error.ts';
import { openDatabase, tamper } from '../../support/database.ts';
import { openModeratedStore } from '../../support/moderated-store.ts';
import { bodyOf, openTestStore, type TestStore } from '../../support/test-store.ts';
import { addPublisher, submitRow, VERSION } from '../../support/version-row.ts';

const at = '2026-01-01T00:00:00.000Z';

/** The dependencies of a check that fails in the given way. */
async function opened(fault: (stores: SubmitStores) => Promise<never>) {
  const db = await openDatabase();
  const unitOfWork = createUnitOfWork(db);
  const deps: CheckDeps = {
    unitOfWork: (work) =>
      unitOfWork((stores) =>
        work({ ...stores, versions: { ...stores.versions, latestPublished: () => fault(stores) } }),
      ),
    policy: {
      flaggedCodes: new Set(),
      skipReview: new Set(['example']),
      twoPersons: { apps: [], publishers: [], permissions: [] },
      toolChanges: 'always',
      confirmUploads: 'asked',
    },
    clock: () => new Date(at),
    processName: 'this one',
    log: { info: vi.fn(), warn: vi.fn(), error: vi.fn() },
  };
  await addPublisher(db);
  return { deps, versions: createStores(db).versions };
}

const submit = async (stores: SubmitStores) => {
  await submitRow(stores);
  await stores.versions.move(VERSION, { from: 'submitted', to: 'checking' }, {}, jobMover('checker', at));
  return requireVersion(stores.versions, VERSION);
};

/** Submits and checks a version, like an upload does. */
const checked = (deps: CheckDeps, begin = submit) =>
  failClosed(deps, VERSION, (check) =>
    deps.unitOfWork(async (stores) => check(deps, stores, await begin(stores))),
  );

describe('failClosed', () => {
  it.each([
    ['an exception', async () => Promise.reject(new TypeError('x is not a function'))],
    // Inserting the same version again: on PostgreSQL this aborts the whole transaction.
    ['an error of the database', (stores) => submitRow(stores) as Promise<never>],
  ] as [string, Parameters<typeof opened>[0]][])('sends a version to review after %s', async (_, fault) => {
    const { deps, versions } = await opened(fault);
    const inReview = { state: 'in_review', reasons: ['flagged:check.error'] };
    expect(await checked(deps)).toMatchObject(inReview);
    expect(await versions.find(VERSION)).toMatchObject(inReview);
    expect(deps.log.error).toHaveBeenCalledOnce();
  });

  it('accepts no version while the database is unavailable', async () => {
    const { deps, versions } = await opened(() => Promise.reject(new UnavailableError('away')));
    await expect(checked(deps)).rejects.toThrow('away');
    expect(await versions.find(VERSION)).toBeNull();
  });

  it('does not store a rejected version', async () => {
    const { deps, versions } = await opened(() => Promise.reject(new Error('never asked')));
    const refuse = async (stores: SubmitStores) => {
      await submit(stores);
      throw new ApiError('version_not_greater', 'There is a greater one.');
    };
    await expect(checked(deps, refuse)).rejects.toThrow('There is a greater one.');
    expect(await versions.find(VERSION)).toBeNull();
    expect(deps.log.error).not.toHaveBeenCalled();
  });

  it('publishes at once for a publisher in skipReview, except for flagged versions', async () => {
    const policy = { skipReview: ['example'], flaggedCodes: ['bundle.readme'] };
    const store = await openModeratedStore({ policy });
    const token = await store.publisherToken();
    expect(await bodyOf(store.publish(token))).toMatchObject({ status: 'published', reasons: [] });
    const flagged = sampleBundle({ version: '1.1.0' }, { 'README.md': null });
    expect(await bodyOf(store.upload(token, flagged))).toMatchObject({
      status: 'in_review',
      reasons: ['flagged:bundle.readme'],
    });
    const other = await store.publisherToken('other');
    const stranger = { id: 'com.other.app', publisher: 'other' };
    expect(await bodyOf(store.publish(other, stranger))).toMatchObject({ status: 'in_review' });
  });
});

it('publishes an update without reasons for a review at once', async () => {
  const store = await openTestStore();
  const token = await store.publisherToken('example', true);
  await store.publish(token);
  await store.decide('approve', '1.0.0');
  const answer = await store.publish(token, { version: '1.1.0' });
  expect(await bodyOf(Promise.resolve(answer))).toMatchObject({ status: 'published', reasons: [] });
  const moves = (await bodyOf(store.admin('GET', '/api/moderation/apps/com.example.notes/versions/1.1.0')))
    .moves;
  expect(moves.map(({ from, to }: { from: string; to: string }) => `${from} ${to}`)).toEqual([
    'submitted checking',
    'checking approved',
    'approved published',
  ]);
});

it('keeps a version approved when signing fails, and signs it later', async () => {
  const store = await openTestStore();
  const token = await store.publisherToken('example', true);
  await store.publish(token);
  await store.decide('approve', '1.0.0');
  await tamper(store.folder, 'alter table listings rename column updated_at to updated_away');
  const answer = await bodyOf(Promise.resolve(await store.publish(token, { version: '1.1.0' })));
  await tamper(store.folder, 'alter table listings rename column updated_away to updated_at');
  expect(answer).toMatchObject({ httpStatus: 201, status: 'approved', reasons: [] });
  expect(store.lines.join('\n')).toContain('Signing failed; the version stays approved');
  await store.close();
  // The lease of a process that has ended.
  await tamper(store.folder, "update versions set lease_until = '2000-01-01T00:00:00.000Z'");
  const second = await openTestStore({ folder: store.folder });
  expect(await bodyOf(second.call('GET', '/api/apps/com.example.notes'))).toMatchObject({ version: '1.1.0' });
});

/** The file of the only bundle of a store, and its bytes. */
async function storedBundle({ folder, filesUnder }: TestStore): Promise<[string, Buffer]> {
  for (const name of await filesUnder('blobs')) {
    const file = join(folder, 'blobs', name.slice(0, 2), name);
    const bytes = await readFile(file);
    if (bytes.subarray(0, 2).toString() === 'PK') return [file, bytes];
  }
  throw new Error('There is no bundle.');
}

it('does not sign bytes that were replaced in the storage, and signs the version once they are back', async () => {
  const store = await openTestStore();
  const token = await store.publisherToken('example', true);
  await store.publish(token);
  const [file, own] = await storedBundle(store);
  await writeFile(file, Buffer.from(own).fill(0, 40, 41));
  const decided = await bodyOf(Promise.resolve(await store.decide('approve', '1.0.0')));
  expect(decided).toMatchObject({ status: 'approved' });
  expect(store.lines.join('\n')).toContain('has other bytes: restore it from a backup.');
  expect((await store.call('GET', '/api/apps/com.example.notes')).status).toBe(404);
  await writeFile(file, own);
  await store.close();
  await tamper(store.folder, "update versions set lease_until = '2000-01-01T00:00:00.000Z'");
  const second = await openTestStore({ folder: store.folder });
  expect(await bodyOf(second.call('GET', '/api/apps/com.example.notes'))).toMatchObject({ version: '1.0.0' });
});

it('serves no bytes that were replaced in the storage, whole or in part, until they are back', async () => {
  const store = await openTestStore();
  const token = await store.publisherToken('example', true);
  await store.publish(token);
  await store.decide('approve', '1.0.0');
  const path = '/api/apps/com.example.notes/versions/1.0.0/bundle';
  const headers = { range: 'bytes=0-9' };
  const [file, own] = await storedBundle(store);
  await writeFile(file, Buffer.from(own).fill(0, 40, 41));
  expect((await store.call('GET', path)).status).toBe(503);
  expect((await store.call('GET', path, { headers })).status).toBe(503);
  await writeFile(file, own);
  expect((await store.call('GET', path, { headers })).status).toBe(206);
  expect(Buffer.from(await (await store.call('GET', path)).arrayBuffer()).equals(own)).toBe(true);
});
