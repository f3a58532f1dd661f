import { isDeepStrictEqual } from 'node:util';
import type { ManagedChange, SignedManagedSettings, StoreManagedSettings } from '@svc/contracts';
import { signManaged } from '@svc/signing';
import type { HandlersOf } from '../../core/access/extension.ts';
import type { Caller } from '../../core/domain/identity/caller.ts';
import type { Parts } from '../../core/domain/parts/parts.ts';
import { ApiError } from '../../platform/api-error.ts';
import type { UnitOfWork } from '../../platform/system.ts';
import { type CheckDeps, checkSettings } from './check-settings.ts';
import type { KeptSettings, ManagedStore } from './managed-store.ts';

type Stores = Pick<Parts, 'audit' | 'listings' | 'versions'> & { managed: ManagedStore };

export type ManagedDeps = Pick<Parts, 'clock' | 'signingKey'> &
  CheckDeps & { managed: Pick<ManagedStore, 'read'>; unitOfWork: UnitOfWork<Stores> };

/** Settings of a store that never set any: every later change is newer. */
const NONE: KeptSettings = { settings: {}, changedAt: new Date(0).toISOString() };

/** The time of a change: later than that of the last one, also by a clock that was set back, as desktops never go back. */
function timeAfter(last: KeptSettings | null, now: Date): string {
  const after = last === null ? 0 : Date.parse(last.changedAt) + 1;
  return new Date(Math.max(now.getTime(), after)).toISOString();
}

/**
 * Replaces the settings of all desktops.
 * @throws ApiError invalid_request for settings that contradict each other or this store; already_handled when they are no longer those of `from`
 */
function change(
  { unitOfWork, clock, accessRules }: ManagedDeps,
  caller: Caller,
  { settings, from, dryRun }: ManagedChange,
): Promise<StoreManagedSettings> {
  return unitOfWork(async ({ managed, audit, ...stores }) => {
    const before = await managed.read();
    if (from !== undefined && from !== (before?.changedAt ?? null))
      throw new ApiError(
        'already_handled',
        'The settings of all desktops have changed: reload them and try again.',
      );
    const { issues, warnings } = await checkSettings({ ...stores, accessRules }, settings);
    const isSame = isDeepStrictEqual(settings, before?.settings ?? null);
    if (issues.length > 0 && !isSame)
      throw new ApiError(
        'invalid_request',
        'These settings contradict each other or this store: see issues.',
        {
          issues,
        },
      );
    const reported = [...warnings, ...issues.map(({ message }) => message)];
    if (isSame || dryRun) return { settings, changedAt: before?.changedAt ?? null, warnings: reported };
    const changedAt = timeAfter(before, clock());
    await managed.write({ settings, changedAt });
    const detail = { settings: JSON.stringify(settings), before: JSON.stringify(before?.settings ?? {}) };
    await audit.add(caller, clock().toISOString(), { action: 'managed.change', detail });
    return { settings, changedAt, warnings: reported };
  });
}

export const managedRoutes = (deps: ManagedDeps) =>
  ({
    async managedSettings() {
      const { settings, changedAt } = (await deps.managed.read()) ?? NONE;
      // As JSON: what is absent is not signed as undefined.
      const plain: SignedManagedSettings['managed'] = JSON.parse(JSON.stringify(settings));
      return signManaged({ managed: plain, changedAt }, deps.clock().toISOString(), deps.signingKey);
    },
    async storeManagedSettings() {
      const kept = await deps.managed.read();
      const settings = kept?.settings ?? {};
      const { issues, warnings } = await checkSettings(deps, settings);
      const reported = [...warnings, ...issues.map(({ message }) => message)];
      return { settings, changedAt: kept?.changedAt ?? null, warnings: reported };
    },
    changeManagedSettings: ({ caller, body }) => change(deps, caller, body),
  }) satisfies HandlersOf<'managed'>;
