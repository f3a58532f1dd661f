import type { Parts } from '../domain/parts/parts.ts';
import { jobMover } from '../domain/versions/changes.ts';
import { leaseFrom, type VersionRef } from '../domain/versions/version-record.ts';
import type { PassingState } from '../domain/versions/version-store.ts';
import { failClosed, signVersion } from './check-version.ts';
import type { ConfirmDeps } from './confirm-version.ts';
import type { SubmitStores } from './submit-version.ts';

export type ResumeDeps = ConfirmDeps & Pick<Parts, 'versions'>;

async function* claimAbandoned(deps: ResumeDeps, state: PassingState): AsyncGenerator<VersionRef> {
  for (const ref of await deps.versions.abandoned(state, deps.clock().toISOString())) {
    if (await deps.versions.claim(ref, state, leaseFrom(deps), deps.clock().toISOString())) yield ref;
  }
}

const checkAgain = (
  deps: ResumeDeps,
  ref: VersionRef,
  begin: (stores: SubmitStores) => Promise<unknown> = async () => {},
) =>
  failClosed(deps, ref, (check) =>
    deps.unitOfWork(async (stores) => {
      await begin(stores);
      const record = await stores.versions.find(ref);
      if (record?.state === 'checking') await check(deps, stores, record);
    }),
  );

/**
 * Continues the versions of a process that died: checks the submitted ones, signs the approved ones. Several processes may do so at
 * the same time; each version is claimed by one of them.
 */
export async function resumeVersions(deps: ResumeDeps): Promise<void> {
  for await (const ref of claimAbandoned(deps, 'submitted')) {
    const actor = jobMover('checker', deps.clock().toISOString());
    const change = { lease: leaseFrom(deps) };
    await checkAgain(deps, ref, ({ versions }) =>
      versions.move(ref, { from: 'submitted', to: 'checking' }, change, actor),
    );
  }
  for await (const ref of claimAbandoned(deps, 'checking')) await checkAgain(deps, ref);
  for await (const ref of claimAbandoned(deps, 'approved')) {
    const record = await deps.versions.find(ref);
    if (record) await signVersion(deps, record);
  }
}
