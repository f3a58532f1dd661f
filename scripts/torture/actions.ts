import { setTimeout as sleep } from 'node:timers/promises';
import type { RevocationList } from '@svc/contracts';
import { keyRing, revocationsHold } from '@svc/signing';
import { newApp, publishFirst, uploadForReview, versionsOf } from './arena.ts';
import { type Answer, bundleOf, type Client, nameOf, type Ref } from './client.ts';
import { faultsOfPublished, settledState } from './promises.ts';

/** Something that moves a version, which may be struck anywhere within, and what must hold of the version after that. */
export type Action = {
  name: string;
  /** Brings a version to where it is to be moved from. */
  prepare(client: Client): Promise<Ref>;
  act(client: Client, ref: Ref): Promise<Answer>;
  /** What is wrong afterwards. Whatever was not done is done here, so that the next may follow. */
  settle(client: Client, ref: Ref, isAcknowledged: boolean): Promise<string[]>;
};

/** Publishing an update of an app, which nobody has to look at. */
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
        return [`${nameOf(ref)} was acknowledged and is lost (${status})`];
      const isThere = status === 409 && (body as { code?: string }).code === 'version_not_greater';
      if (!isAcknowledged && status !== 201 && !isThere)
        return [`${nameOf(ref)} can be uploaded no more: ${status} ${(body as { code?: string }).code}`];
      // A check that failed leaves the version to a person, who has nothing against it.
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
const LOOK_EVERY_MS = 50;

const lists = ({ entries }: Partial<RevocationList>, ref: Ref): boolean =>
  entries?.some(({ appId, version }) => appId === ref.appId && version === ref.version) ?? false;

/** The revocation list, once it has a version on it; as it is when that takes too long. */
async function listWith(client: Client, ref: Ref): Promise<Partial<RevocationList>> {
  const deadline = performance.now() + LIST_MS;
  for (;;) {
    const { body } = await client.get<Partial<RevocationList>>('/api/apps/revocations');
    if (lists(body, ref) || performance.now() > deadline) return body;
    await sleep(LOOK_EVERY_MS);
  }
}

/** A withdrawn version is on a list that verifies, out of the catalogue, and downloads no more. */
async function faultsOfYanked(client: Client, ref: Ref): Promise<string[]> {
  const list = await listWith(client, ref);
  const { status } = await client.get(`${client.address(ref)}/bundle`);
  const { status: listed } = await client.get(`/api/apps/${ref.appId}`);
  return [
    ...(revocationsHold(list, keyRing(await client.keys())) ? [] : ['the revocation list does not verify']),
    ...(lists(list, ref) ? [] : [`${nameOf(ref)} is yanked and not on the revocation list`]),
    ...(status === 410 ? [] : [`${nameOf(ref)} is yanked and answered with ${status}`]),
    ...(listed === 404 ? [] : [`${nameOf(ref)} is yanked and in the catalogue`]),
  ];
}

const yanking: Action = {
  name: 'yank',
  prepare: (client) => publishFirst(client, newApp()),
  act: (client, ref) => client.yank(ref),
  async settle(client, ref, isAcknowledged) {
    const state = await settledState(client, ref);
    if (state === 'yanked') return faultsOfYanked(client, ref);
    if (isAcknowledged) return [`the withdrawal of ${nameOf(ref)} is lost: it is ${state}`];
    const half = await faultsOfPublished(client, ref, bundleOf(ref));
    const { status } = await client.yank(ref);
    return [...half, ...(status === 200 ? [] : [`${nameOf(ref)} cannot be yanked: ${status}`])];
  },
};

/** All that is struck; made again for each store, as publishing begins with an app of its own. */
export const actionsOn = async (client: Client): Promise<Action[]> => [
  await publishing(client),
  approving,
  rejecting,
  yanking,
];
