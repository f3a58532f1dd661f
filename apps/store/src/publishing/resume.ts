import { leaseFrom } from '../domain/versions/lease.ts';
import type { PassingState, VersionRef, VersionStore } from '../domain/versions/version-store.ts';
import { type CheckDeps, failClosed } from './check-version.ts';
import { type SignDeps, signVersion } from './sign-version.ts';
import type { SubmitStores } from './submit-version.ts';

export type ResumeDeps = CheckDeps &
  Omit<SignDeps, 'unitOfWork'> & {
    versions: VersionStore;
    unitOfWork: CheckDeps['unitOfWork'] & SignDeps['unitOfWork'];
  };

/** Takes over the versions in a state that nobody works on any more, one after the other. */
async function* takeOver(deps: ResumeDeps, state: PassingState): AsyncGenerator<VersionRef> {
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
 * Finishes what a process that died left behind: checks what was submitted, signs what was approved. Any number of
 * processes may do so at once; each version is taken over by one of them.
 */
export async function resumeVersions(deps: ResumeDeps): Promise<void> {
  for await (const ref of takeOver(deps, 'submitted')) {
    const mover = { by: 'checker', at: deps.clock().toISOString() };
    const change = { lease: leaseFrom(deps) };
    await checkAgain(deps, ref, ({ versions }) =>
      versions.move(ref, { from: 'submitted', to: 'checking' }, change, mover),
    );
  }
  for await (const ref of takeOver(deps, 'checking')) await checkAgain(deps, ref);
  for await (const ref of takeOver(deps, 'approved')) {
    const record = await deps.versions.find(ref);
    if (record) await signVersion(deps, record);
  }
}
