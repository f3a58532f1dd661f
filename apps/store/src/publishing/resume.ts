import type { VersionState } from '@svc/contracts';
import { leaseFrom } from '../domain/versions/lease.ts';
import type { VersionRef, VersionStore } from '../domain/versions/version-store.ts';
import { type CheckDeps, checkVersion } from './check-version.ts';
import { type SignDeps, signVersion } from './sign-version.ts';

export type ResumeDeps = CheckDeps & SignDeps & { versions: VersionStore };

/** Takes over the versions in a state that nobody works on any more, one after the other. */
async function* takeOver(deps: ResumeDeps, state: VersionState): AsyncGenerator<VersionRef> {
  for (const ref of await deps.versions.abandoned(state, deps.clock().toISOString())) {
    if (await deps.versions.claim(ref, state, leaseFrom(deps), deps.clock().toISOString())) yield ref;
  }
}

/**
 * Finishes what a process that died left behind: checks what was submitted, signs what was approved. Any number of
 * processes may do so at once; each version is taken over by one of them.
 */
export async function resumeVersions(deps: ResumeDeps): Promise<void> {
  for await (const ref of takeOver(deps, 'submitted')) {
    const mover = { by: 'checker', at: deps.clock().toISOString() };
    await checkVersion(deps, ref, async ({ versions }) => {
      await versions.move(ref, { from: 'submitted', to: 'checking' }, { lease: leaseFrom(deps) }, mover);
    });
  }
  for await (const ref of takeOver(deps, 'checking')) await checkVersion(deps, ref, async () => {});
  for await (const ref of takeOver(deps, 'approved')) await signVersion(deps, ref);
}
