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
import { createAcknowledged } from './acknowledged.ts';
import { bundleOf, type Client, nameOf, type Ref } from './client.ts';
import { faultsOfAllPublished, faultsOfReviewed } from './promises.ts';

/** How long a store may take to be well again once what was taken away is back, in milliseconds. */
const WELL_MS = 60_000;

/** A list whose signing failed is signed again within this time, in milliseconds. */
const LIST_MS = 35_000;
const LOOK_EVERY_MS = 100;

/**
 * An outside observer that remembers all that it acknowledged, and takes its revocation lists as a client does: with a
 * pinned key, and never an older one.
 */
export type Witness = {
  /** The same client, of which all that is acknowledged is remembered. */
  watch(client: Client): Client;
  publish(client: Client, ref: Ref): Promise<number>;
  approve(client: Client, ref: Ref): Promise<number>;
  yank(client: Client, ref: Ref): Promise<number>;
  /** Takes the revocation list, if it is to be had. What is wrong with it, in sentences. */
  look(client: Client): Promise<string[]>;
  /** What of all that was acknowledged does not hold now. */
  faults(client: Client): Promise<string[]>;
  /** Pins the key that the store has now, as clients do that were told of a loss. */
  pin(client: Client): Promise<void>;
  count(): string;
};

/** A witness who pins the key that a store has now. */
export async function createWitness(client: Client): Promise<Witness> {
  const newestOf = async (on: Client) => (await on.keys()).at(-1) as PublicKey;
  let pinned = await newestOf(client);
  const acknowledged = createAcknowledged();
  let last: AcceptedList | null = null;

  /** Takes the list. What is wrong with it, and what is missing, which may be on its way; null when it is not to be had. */
  async function takeList(on: Client): Promise<{ faults: string[]; missing: string[] } | null> {
    // What is yanked while the list is on its way need not be on it.
    const expected = acknowledged.of('yanked').map(({ ref }) => nameOf(ref));
    const { status, body } = await on.get<RevocationList>('/api/apps/revocations');
    if (status !== 200) return null;
    const chain = verifyKeyChain(pinned, await on.keys());
    const newest = chain.ok ? chain.keys.at(-1) : pinned;
    if (!newest || !revocationsHold(body, keyRing([newest])))
      return { faults: ['the revocation list does not verify by the pinned key'], missing: [] };
    const next = { signedAt: body.signedAt, entriesHash: entriesHashOf(body), keyId: newest.keyId };
    if (!mayReplace(next, last))
      return { faults: [`clients refuse the list of ${next.signedAt} after ${last?.signedAt}`], missing: [] };
    last = next;
    const listed = new Set(body.entries.map(nameOf));
    const missing = expected.filter((name) => !listed.has(name));
    return {
      faults: [],
      missing: missing.map((name) => `${name} is yanked and not on a list that clients take`),
    };
  }

  /** Takes the list once it has all that it must have; as it is when that takes too long. */
  async function takeWholeList(on: Client): Promise<string[]> {
    const deadline = performance.now() + LIST_MS;
    for (;;) {
      const seen = await takeList(on);
      const isOver = performance.now() > deadline;
      if (seen && (isOver || seen.missing.length === 0)) return [...seen.faults, ...seen.missing];
      if (isOver) return ['there is no revocation list to be had'];
      await sleep(LOOK_EVERY_MS);
    }
  }

  return {
    async look(on) {
      const seen = await takeList(on);
      return seen ? [...seen.faults, ...seen.missing] : [];
    },
    watch: acknowledged.watch,
    publish: async (on, ref) => (await acknowledged.watch(on).upload(bundleOf(ref))).status,
    approve: async (on, ref) => (await acknowledged.watch(on).approve(ref)).status,
    yank: async (on, ref) => (await acknowledged.watch(on).yank(ref)).status,
    async faults(on) {
      const found = await takeWholeList(on);
      found.push(...(await faultsOfAllPublished(on, acknowledged.of('published'))));
      for (const { ref, bytes } of acknowledged.of('in_review'))
        found.push(...(await faultsOfReviewed(on, ref, bytes)));
      return found;
    },
    async pin(on) {
      pinned = await newestOf(on);
      last = null;
    },
    count() {
      const taken = acknowledged.of('published').length + acknowledged.of('in_review').length;
      return `${taken} × 201, ${acknowledged.of('yanked').length} yanked`;
    },
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
