import type { AppHead } from '@svc/contracts';
import { signHead } from '@svc/signing';
import type { Parts } from '../../domain/parts/parts.ts';
import { ApiError } from '../../platform/api-error.ts';

/** The times of statements are multiples of this, in milliseconds, so that all processes of a store sign the same. */
const SLOT_MS = 10 * 60_000;

export type HeadDeps = Pick<Parts, 'listings' | 'versions' | 'signingKey' | 'clock'>;

/** The time of a statement: the beginning of the slot, or the last change when that is later. */
function signingTime(now: number, lastChange: string | null): string {
  const slot = new Date(now - (now % SLOT_MS)).toISOString();
  return lastChange !== null && lastChange > slot ? lastChange : slot;
}

/**
 * Signs the statement of the latest version of an app. Nothing is stored: the same versions have the same statement within ten minutes.
 * @throws ApiError not_found
 */
export async function headOf(
  { listings, versions, signingKey, clock }: HeadDeps,
  appId: string,
  withList: boolean,
): Promise<AppHead> {
  const [app, list, lastChange] = await Promise.all([
    listings.find(appId),
    versions.released(appId),
    versions.lastMoved(appId),
  ]);
  const isListed = list.some(({ version, state }) => version === app?.version && state === 'published');
  if (!app || !isListed) throw new ApiError('not_found', `There is no published app ${appId}.`);
  const at = signingTime(clock().getTime(), lastChange);
  const statement = signHead({ appId, latest: app.version, versions: list }, at, signingKey);
  return withList ? { ...statement, list } : statement;
}
