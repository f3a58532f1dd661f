import { setTimeout as sleep } from 'node:timers/promises';
import type { RevocationList } from '@svc/contracts';
import { keyRing, verifyRevocationList } from '@svc/signing';
import { newApp, publishFirst, uploadForReview, versionsOf } from './arena.ts';
import { type Answer, bundleOf, type Client, nameOf, type Ref } from './client.ts';
import { faultsOfPublished, settledState } from './promises.ts';

/** A state change of a version, into which faults are injected, and the invariants after it. */
export type Action = {
  name: string;
  /** Prepares a version for the action. */
  prepare(client: Client): Promise<Ref>;
  act(client: Client, ref: Ref): Promise<Answer>;
  /** Returns the faults afterwards. Completes an unfinished action, so that the next one can follow. */
  settle(client: Client, ref: Ref, isAcknowledged: boolean): Promise<string[]>;
};

/** Publishes an update that needs no review. */
async function publishing(client: Client): Promise<Action> {
  const appId = newApp();
  await publishFirst(client, appId);
  const next = versionsOf(appId);
  return {
    name: 'publish',
    prepare: async () => next(),
    act: (on, ref) => on.upload(bundleOf(ref)),
    async settle(on, ref, isAcknowledged) {
      const { status, body } = isAcknowledged ? await on.status(ref) : await on.upload(bundleOf(ref));
      if (isAcknowledged && status !== 200)
        return [`${nameOf(ref)} was acknowledged but is lost (${status})`];
      const exists = status === 409 && (body as { code?: string }).code === 'version_not_greater';
      if (!isAcknowledged && status !== 201 && !exists)
        return [`${nameOf(ref)} cannot be uploaded again: ${status} ${(body as { code?: string }).code}`];
      // A failed check sends the version to review, where it is approved.
      if ((await settledState(on, ref)) === 'in_review') await on.approve(ref);
      return faultsOfPublished(on, ref, bundleOf(ref));
    },
  };
}

const approving: Action = {
  name: 'approve',
  prepare: (client) => uploadForReview(client, newApp()),
  act: (client, ref) => client.approve(ref),
  async settle(client, ref, isAcknowledged) {
    const state = await settledState(client, ref);
    if (isAcknowledged && state === 'in_review') return [`the approval of ${nameOf(ref)} is lost`];
    if (state === 'in_review') await client.approve(ref);
    return faultsOfPublished(client, ref, bundleOf(ref));
  },
};

const rejecting: Action = {
  name: 'reject',
  prepare: (client) => uploadForReview(client, newApp()),
  act: (client, ref) => client.reject(ref),
  async settle(client, ref, isAcknowledged) {
    const state = await settledState(client, ref);
    if (state === 'rejected') return [];
    if (state !== 'in_review') return [`${nameOf(ref)} is ${state ?? 'lost'} after a rejection`];
    if (isAcknowledged) return [`the rejection of ${nameOf(ref)} is lost`];
    const { status } = await client.reject(ref);
    return status === 200 ? [] : [`${nameOf(ref)} cannot be rejected: ${status}`];
  },
};

/** A list whose signing failed is signed again within this time, in milliseconds. */
const LIST_MS = 35_000;
const POLL_MS = 50;

const lists = ({ entries }: Partial<RevocationList>, ref: Ref): boolean =>
  entries?.some(({ appId, version }) => appId === ref.appId && version === ref.version) ?? false;

/** Waits until the revocation list contains a version; returns the list as it is on a timeout. */
async function listWith(client: Client, ref: Ref): Promise<Partial<RevocationList>> {
  const deadline = performance.now() + LIST_MS;
  for (;;) {
    const { body } = await client.get<Partial<RevocationList>>('/api/apps/revocations');
    if (lists(body, ref) || performance.now() > deadline) return body;
    await sleep(POLL_MS);
  }
}

/** The faults of a yanked version: it must be on a valid revocation list, not in the catalogue, and not downloadable. */
async function faultsOfYanked(client: Client, ref: Ref): Promise<string[]> {
  const list = await listWith(client, ref);
  const { status } = await client.get(`${client.address(ref)}/bundle`);
  const { status: listed } = await client.get(`/api/apps/${ref.appId}`);
  return [
    ...(verifyRevocationList(list, keyRing(await client.keys()))
      ? []
      : ['the revocation list does not verify']),
    ...(lists(list, ref) ? [] : [`${nameOf(ref)} is yanked but not on the revocation list`]),
    ...(status === 410 ? [] : [`${nameOf(ref)} is yanked but downloads with ${status}`]),
    // The page of an app whose versions are all yanked says so (410).
    ...(listed === 404 || listed === 410 ? [] : [`${nameOf(ref)} is yanked but in the catalogue`]),
  ];
}

const yanking: Action = {
  name: 'yank',
  prepare: (client) => publishFirst(client, newApp()),
  act: (client, ref) => client.yank(ref),
  async settle(client, ref, isAcknowledged) {
    const state = await settledState(client, ref);
    if (state === 'yanked') return faultsOfYanked(client, ref);
    if (isAcknowledged) return [`the yank of ${nameOf(ref)} is lost: it is ${state}`];
    const half = await faultsOfPublished(client, ref, bundleOf(ref));
    const { status } = await client.yank(ref);
    return [...half, ...(status === 200 ? [] : [`${nameOf(ref)} cannot be yanked: ${status}`])];
  },
};

/** All actions; created per store, as publishing starts with a new app. */
export const actionsOn = async (client: Client): Promise<Action[]> => [
  await publishing(client),
  approving,
  rejecting,
  yanking,
];
