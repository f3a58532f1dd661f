import type { VersionState } from '@svc/contracts';
import { describe, expect, it, vi } from 'vitest';
import { type CheckDeps, checkVersion } from '../../src/publishing/check-version.ts';

/** A version store that holds one version and counts on nothing else. */
function depsWith(publishers: Partial<CheckDeps['publishers']>) {
  let state: VersionState = 'checking';
  const moves: { to: string; reasons?: string[] | undefined }[] = [];
  const deps = {
    versions: {
      move: async (_ref: object, { to }: { to: VersionState }, change: { reasons?: string[] }) => {
        state = to;
        moves.push({ to, reasons: change.reasons });
        return true;
      },
      find: async () => ({ state, appId: 'a.b', version: '1.0.0', publisher: 'example' }),
      publishedNumbers: async () => [],
    },
    publishers,
    policy: { flaggedCodes: new Set() },
    clock: () => new Date(0),
    log: { info: vi.fn(), warn: vi.fn(), error: vi.fn() },
  } as unknown as CheckDeps;
  return { deps, moves };
}

describe('checkVersion', () => {
  it('sends a version to a person when the check itself fails', async () => {
    const { deps, moves } = depsWith({
      find: async () => Promise.reject(new Error('the database went away')),
    });
    await checkVersion(deps, { appId: 'a.b', version: '1.0.0' });
    expect(moves.at(-1)).toEqual({ to: 'in_review', reasons: ['flagged:check.error'] });
    expect(deps.log.error).toHaveBeenCalledOnce();
  });

  it('sends a version to a person when its manifest makes the comparison crash', async () => {
    const { deps, moves } = depsWith({ find: async () => null });
    await checkVersion(deps, { appId: 'a.b', version: '1.0.0' });
    expect(moves.at(-1)).toEqual({ to: 'in_review', reasons: ['flagged:check.error'] });
  });
});
