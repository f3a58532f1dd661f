import { setTimeout as sleep } from 'node:timers/promises';
import type { PublicKey, RevocationList } from '@svc/contracts';
import {
  type AcceptedList,
  entriesHashOf,
  keyRing,
  mayReplace,
  revocationsHold,
  verifyKeyChain,
} from '@svc/signing';
import { bundleOf, type Client, type Ref } from './client.ts';
import { faultsOfPublished, faultsOfReviewed } from './promises.ts';

/** How long a store may take to be well again once what was taken away is back, in milliseconds. */
const WELL_MS = 60_000;

const nameOf = ({ appId, version }: Ref): string => `${appId} ${version}`;

/**
 * An outside observer that remembers all that it acknowledged, and takes its revocation lists as a client does: with a
 * pinned key, and never an older one.
 */
export type Witness = {
  publish(client: Client, ref: Ref): Promise<number>;
  /** Approves what waits for a person; what was not answered may have happened, and is remembered no more. */
  approve(client: Client, ref: Ref): Promise<number>;
  yank(client: Client, ref: Ref): Promise<number>;
  /** Takes the revocation list. What is wrong with it, in sentences. */
  look(client: Client): Promise<string[]>;
  /** What of all that was acknowledged does not hold now. */
  faults(client: Client): Promise<string[]>;
  /** Pins the key that the store has now, as clients do that were told of a loss. */
  pin(client: Client): Promise<void>;
  count(): string;
};

function remove(refs: Ref[], ref: Ref): void {
  const at = refs.findIndex((one) => nameOf(one) === nameOf(ref));
  if (at !== -1) refs.splice(at, 1);
}

/** A witness who pins the key that a store has now. */
export async function createWitness(client: Client): Promise<Witness> {
  const newestOf = async (on: Client) => (await on.keys()).at(-1) as PublicKey;
  let pinned = await newestOf(client);
  const published: Ref[] = [];
  const reviewed: Ref[] = [];
  const yanked: Ref[] = [];
  let last: AcceptedList | null = null;

  async function look(on: Client): Promise<string[]> {
    // What is yanked while the list is on its way need not be on it.
    const expected = [...yanked];
    const { status, body } = await on.get<RevocationList>('/api/apps/revocations');
    if (status !== 200) return [];
    const chain = verifyKeyChain(pinned, await on.keys());
    const newest = chain.ok ? chain.keys.at(-1) : pinned;
    if (!newest || !revocationsHold(body, keyRing([newest])))
      return ['the revocation list does not verify by the pinned key'];
    const next = { signedAt: body.signedAt, entriesHash: entriesHashOf(body), keyId: newest.keyId };
    if (!mayReplace(next, last))
      return [`clients refuse the list of ${next.signedAt} after ${last?.signedAt}`];
    last = next;
    const listed = new Set(body.entries.map(nameOf));
    return expected
      .filter((ref) => !listed.has(nameOf(ref)))
      .map((ref) => `${nameOf(ref)} is yanked and not on a list that clients take`);
  }

  return {
    look,
    async publish(on, ref) {
      const { status, body } = await on.upload(bundleOf(ref));
      if (status === 201) (body.status === 'in_review' ? reviewed : published).push(ref);
      return status;
    },
    async approve(on, ref) {
      remove(reviewed, ref);
      const { status } = await on.approve(ref);
      if (status === 200) published.push(ref);
      else if (status !== 0) reviewed.push(ref);
      return status;
    },
    async yank(on, ref) {
      remove(published, ref);
      const { status } = await on.yank(ref);
      if (status === 200) yanked.push(ref);
      else if (status !== 0) published.push(ref);
      return status;
    },
    async faults(on) {
      const found = await look(on);
      for (const ref of published) found.push(...(await faultsOfPublished(on, ref, bundleOf(ref))));
      for (const ref of reviewed) found.push(...(await faultsOfReviewed(on, ref, bundleOf(ref))));
      return found;
    },
    async pin(on) {
      pinned = await newestOf(on);
      last = null;
    },
    count: () => `${published.length + reviewed.length} × 201, ${yanked.length} yanked`,
  };
}

/** Tries something until it works. Returns how long that took in milliseconds; null when it did not. */
export async function wellAfter(work: () => Promise<boolean>): Promise<number | null> {
  const began = performance.now();
  while (performance.now() - began < WELL_MS) {
    if (await work()) return Math.round(performance.now() - began);
    await sleep(50);
  }
  return null;
}
