import { type Change, compareVersions } from '@svc/contracts';
import parse from 'semver/functions/parse.js';
import type { Ask } from '../cards/card.ts';
import type { InstalledApp } from '../library/installed-app.ts';
import type { Library } from '../library/library.ts';
import { asRefusal, type RefusalCode, RuntimeError } from '../platform/runtime-error.ts';
import type { RevocationWatch } from '../revocations/revocation-watch.ts';
import type { StoreReader } from '../store/store-reader.ts';
import { consentCard, type InstallSheet } from './consent-preview.ts';
import type { Installer } from './installer.ts';

/** The outcome of an update check of an app. */
export type UpdateOutcome = { appId: string; version: string } & (
  | { outcome: 'current' }
  | {
      outcome: 'updated';
      to: string;
      /** The app was off because its version was yanked, and the update switched it on again. */
      switchedOn?: true;
      /** What the update changes of what steers agents. */
      instructions: readonly Change[];
    }
  | { outcome: 'declined'; to: string }
  | { outcome: 'refused'; reason: RefusalCode; message: string }
);

export type UpdateDeps = {
  library: Pick<Library, 'list'>;
  reader: Pick<StoreReader, 'store'>;
  installer: Installer;
  /** Checked when the store no longer has an installed app. */
  revocations?: Pick<RevocationWatch, 'check'>;
  /** Asks the user about an update with new permissions. */
  ask: Ask;
};

async function update(
  deps: UpdateDeps,
  { appId, version, withdrawn }: InstalledApp,
  signal: AbortSignal,
): Promise<UpdateOutcome> {
  const updated = (
    { app: { version: to }, instructions }: InstallSheet,
    { on }: InstalledApp,
  ): UpdateOutcome => ({
    ...{ appId, version, outcome: 'updated', to, instructions },
    ...(withdrawn && on && { switchedOn: true }),
  });
  const latest = await deps.installer.latest(appId, signal);
  if (!parse(latest)) throw new RuntimeError('store-unreachable', 'The store names a version that is none.');
  if (compareVersions(latest, version) <= 0) return { appId, version, outcome: 'current' };
  const sheet = await deps.installer.prepareInstall(appId, latest, signal);
  if (!sheet.needsConsent) {
    return updated(sheet, await deps.installer.install(sheet));
  }
  const answer = await deps.ask(consentCard(sheet), signal);
  if (!answer.accepted) return { appId, version, outcome: 'declined', to: latest };
  return updated(sheet, await deps.installer.install(sheet, answer));
}

/** Whether the store no longer has an app, or not the version that it named: it may have been yanked. */
const isGone = (of: UpdateOutcome): boolean =>
  of.outcome === 'refused' && (of.reason === 'withdrawn' || of.reason === 'store-refused');

/**
 * Installs newer versions of the apps of a store: without asking if they need no new consent, otherwise after a card. A refused update
 * does not affect the others. When the store no longer has one, the revocation list is fetched at once, as the app may be yanked.
 * @throws the reason of the signal when it is aborted
 */
export async function checkUpdates(deps: UpdateDeps, signal: AbortSignal): Promise<UpdateOutcome[]> {
  const outcomes: UpdateOutcome[] = [];
  for (const app of deps.library.list()) {
    if (app.source.kind !== 'store' || app.source.store !== deps.reader.store) continue;
    try {
      outcomes.push(await update(deps, app, signal));
    } catch (error) {
      signal.throwIfAborted();
      const refusal = asRefusal(error);
      if (!refusal) throw error;
      const { appId, version } = app;
      outcomes.push({ appId, version, outcome: 'refused', reason: refusal.code, message: refusal.message });
    }
  }
  if (outcomes.some(isGone)) await deps.revocations?.check(signal);
  return outcomes;
}
