import { type Change, compareVersions } from '@svc/contracts';
import parse from 'semver/functions/parse.js';
import type { Answer, Ask } from '../cards/card.ts';
import type { InstalledApp } from '../library/installed-app.ts';
import type { Library } from '../library/library.ts';
import { asRefusal, type RefusalCode, RuntimeError } from '../platform/runtime-error.ts';
import type { RevocationWatch } from '../revocations/revocation-watch.ts';
import type { StoreReader } from '../store/store-reader.ts';
import { consentCard } from './consent-preview.ts';
import type { Installer } from './installer.ts';

/** Why an update that was found is not installed by itself. */
export type UpdateWait = 'asks' | 'in-use' | 'metered' | 'off';

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
  /** Found by a check that installs by itself: `asks`, the user has to agree; `in-use`, a call, sign-in or panel of the app is open. */
  | { outcome: 'waiting'; to: string; why: UpdateWait }
  | {
      outcome: 'refused';
      reason: RefusalCode;
      message: string;
      /** Seconds that the store asked to wait. */
      retryAfter?: number;
    }
);

/** An update that waits. */
export type WaitingUpdate = Extract<UpdateOutcome, { outcome: 'waiting' }>;

type RefusedUpdate = Extract<UpdateOutcome, { outcome: 'refused' }>;

/** What an update that was found has to pass before it is downloaded, and before it is installed; null when it may. */
export type Alone = {
  beforeDownload(found: { appId: string; version: string; to: string }): Promise<UpdateWait | null>;
  /** Called in the same turn as the install, so that no call begins in between. */
  beforeInstall(appId: string): UpdateWait | null;
};

export type UpdateDeps = {
  library: Pick<Library, 'list'>;
  reader: Pick<StoreReader, 'store'>;
  installer: Installer;
  /** Checked when the store no longer has an installed app. */
  revocations?: Pick<RevocationWatch, 'check'>;
  /** Asks the user about an update with new permissions; or, without a user, what keeps an update waiting. */
  decide: { ask: Ask } | { alone: Alone };
};

async function update(
  { installer, decide }: UpdateDeps,
  { appId, version, yanked }: InstalledApp,
  signal: AbortSignal,
): Promise<UpdateOutcome> {
  const to = await installer.latest(appId, signal);
  if (!parse(to)) throw new RuntimeError('store-unreachable', 'The store names a version that is none.');
  if (compareVersions(to, version) <= 0) return { appId, version, outcome: 'current' };
  const waiting = (why: UpdateWait): UpdateOutcome => ({ appId, version, outcome: 'waiting', to, why });
  const early = 'alone' in decide && (await decide.alone.beforeDownload({ appId, version, to }));
  if (early) return waiting(early);
  const sheet = await installer.prepareInstall(appId, to, signal);
  let answer: Answer | undefined;
  if ('alone' in decide) {
    const why = sheet.needsConsent ? 'asks' : decide.alone.beforeInstall(appId);
    if (why) return waiting(why);
  } else if (sheet.needsConsent) {
    answer = await decide.ask(consentCard(sheet), signal);
    if (!answer.accepted) return { appId, version, outcome: 'declined', to };
  }
  const { on } = await installer.install(sheet, answer);
  const { instructions } = sheet;
  return {
    appId,
    version,
    outcome: 'updated',
    to,
    instructions,
    ...(yanked && on && { switchedOn: true }),
  };
}

/** Whether the store no longer has an app, or not the version that it named: it may have been yanked. */
const isGone = (of: UpdateOutcome): boolean =>
  of.outcome === 'refused' && (of.reason === 'yanked' || of.reason === 'store-refused');

/** Whether the store did not answer, or asked to wait: without a user who waits, it is not asked for the next app at once. */
export const isAway = (of: UpdateOutcome): of is RefusedUpdate =>
  of.outcome === 'refused' && (of.reason === 'store-unreachable' || of.retryAfter !== undefined);

/**
 * Installs newer versions of the apps of a store: without asking if they need no new consent, otherwise after a card, or not. A refused
 * update does not affect the others. When the store no longer has one, the revocation list is fetched at once, as the app may be yanked.
 * @throws the reason of the signal when it is aborted
 */
export async function checkUpdates(deps: UpdateDeps, signal: AbortSignal): Promise<UpdateOutcome[]> {
  const outcomes: UpdateOutcome[] = [];
  for (const app of deps.library.list()) {
    if (app.source.kind !== 'store' || app.source.store !== deps.reader.store) continue;
    if ('alone' in deps.decide && outcomes.some(isAway)) break;
    try {
      outcomes.push(await update(deps, app, signal));
    } catch (error) {
      signal.throwIfAborted();
      const refusal = asRefusal(error);
      if (!refusal) throw error;
      const { appId, version } = app;
      const { retryAfter } = refusal.detail;
      outcomes.push({
        ...{ appId, version, outcome: 'refused', reason: refusal.code, message: refusal.message },
        ...(typeof retryAfter === 'number' && { retryAfter }),
      });
    }
  }
  if (outcomes.some(isGone)) await deps.revocations?.check(signal);
  return outcomes;
}
