import { sampleBundle } from '@svc/testkit';
import { describe, expect, it, vi } from 'vitest';
import { createStores, createUnitOfWork } from '../../../src/adapters/database/stores.ts';
import { requireVersion } from '../../../src/domain/versions/version-status.ts';
import { type CheckDeps, failClosed } from '../../../src/features/publishing/check-version.ts';
import type { SubmitStores } from '../../../src/features/publishing/submit-version.ts';
import { ApiError } from '../../../src/platform/api-error.ts';
import { UnavailableError } from '../../../src/platform/unavailable-error.ts';
import { openDatabase } from '../../support/database.ts';
import { openModeratedStore } from '../../support/moderated-store.ts';
import { bodyOf } from '../../support/test-store.ts';
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
  await stores.versions.move(VERSION, { from: 'submitted', to: 'checking' }, {}, { by: 'checker', at });
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
    await checked(deps);
    expect(await versions.find(VERSION)).toMatchObject({
      state: 'in_review',
      reasons: ['flagged:check.error'],
    });
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
