import type { RouteName, Suspension } from '@svc/contracts';
import { ApiError, invalidField } from '../../../platform/api-error.ts';
import { type Caller, personId } from './caller.ts';

/**
 * What a suspension stops: each route, and whose suspension refuses it. Routes that are not in the table stay open: members of a suspended
 * publisher may read, leave, and revoke tokens and invitations. Moderators yank whatever is suspended. The developer tokens of a suspended
 * publisher or user are refused by `recognise`, on every route.
 */
export const STOPPED_BY: Readonly<
  Partial<Record<RouteName, readonly ('publisher' | 'app' | 'submitter')[]>>
> = {
  publish: ['publisher', 'app'],
  recordTools: ['publisher', 'app'],
  approve: ['publisher', 'app', 'submitter'],
  reject: ['publisher', 'app', 'submitter'],
  confirmVersion: ['publisher', 'app', 'submitter'],
  yank: ['publisher'],
  retractVersion: ['publisher'],
  writeMessage: ['publisher'],
  makePublisherToken: ['publisher'],
  addTrustedPublisher: ['publisher'],
  setPublishingRules: ['publisher'],
  setAppState: ['publisher'],
  deprecateVersion: ['publisher'],
  depositReviewerAccount: ['publisher'],
  offerApp: ['publisher'],
  answerOffer: ['publisher'],
  deleteApp: ['publisher'],
  deletePublisher: ['publisher'],
  addWebhook: ['publisher'],
  editPublisher: ['publisher'],
  verifyPublisher: ['publisher'],
  changeMember: ['publisher'],
  transferPublisher: ['publisher'],
  invite: ['publisher'],
  acceptInvitation: ['publisher'],
};

type Suspendable = { suspended: boolean } | null;

/** The stores that know what is suspended. */
export type SuspensionStores = {
  publishers: { find(slug: string): Promise<Suspendable> };
  apps: { find(appId: string): Promise<Suspendable> };
  people: { find(id: string): Promise<Suspendable> };
};

/** What a route acts on. `submittedBy` is the recorded name of the submitter of a version. */
export type ActedOn = { publisher: string; appId?: string; submittedBy?: string };

/**
 * Refuses a route that a suspension of what it acts on stops. Call it in the transaction of the act.
 * @throws ApiError publisher_suspended, app_suspended, forbidden
 */
export async function requireUnsuspended(
  { publishers, apps, people }: SuspensionStores,
  route: RouteName,
  { publisher, appId, submittedBy }: ActedOn,
): Promise<void> {
  const by = STOPPED_BY[route] ?? [];
  if (by.includes('publisher') && (await publishers.find(publisher))?.suspended)
    throw new ApiError('publisher_suspended', `The publisher ${publisher} is suspended.`);
  if (by.includes('app') && appId !== undefined && (await apps.find(appId))?.suspended)
    throw new ApiError('app_suspended', `The app ${appId} is suspended.`);
  const submitter = submittedBy === undefined ? null : personId(submittedBy);
  if (by.includes('submitter') && submitter !== null && (await people.find(submitter))?.suspended)
    throw new ApiError('forbidden', 'The user who submitted this version is suspended.');
}

/** Whether a version waits outside of the review queue: what it is of, or who submitted it, is suspended. */
export async function isWithheld(
  { publishers, apps, people }: SuspensionStores,
  { publisher, appId, submittedBy }: Required<ActedOn>,
): Promise<boolean> {
  const submitter = personId(submittedBy);
  const all = [
    await publishers.find(publisher),
    await apps.find(appId),
    submitter === null ? null : await people.find(submitter),
  ];
  return all.some((one) => one?.suspended);
}

/**
 * The record of a suspension; null when it ends.
 * @throws ApiError invalid_request when a user gives no reason; automation may leave it out
 */
export function suspensionBy(
  caller: Caller,
  at: string,
  { suspended, reason }: { suspended: boolean; reason?: string | undefined },
): Suspension | null {
  if (!suspended) return null;
  if (reason !== undefined) return { reason, by: caller.name, at };
  if (caller.kind === 'automation') return { reason: 'No reason was given.', by: caller.name, at };
  throw invalidField('reason', 'must say why: the reason is recorded, and sent to those who are suspended');
}
