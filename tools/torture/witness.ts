import { setTimeout as sleep } from 'node:timers/promises';
import type { PublicKey, RevocationList } from '@svc/contracts';
import {
  type AcceptedList,
  entriesHashOf,
  keyRing,
  mayReplace,
  verifyKeyChain,
  verifyRevocationList,
} from '@svc/signing';
import { createAcknowledged } from './acknowledged.ts';
import { bundleOf, type Client, nameOf, type Ref } from './client.ts';
import { createLogReader } from './log-reader.ts';
import { faultsOfAllPublished, faultsOfReviewed } from './promises.ts';

/** Maximum recovery time of a store after the fault has ended, in milliseconds. */
const WELL_MS = 60_000;

/** A list whose signing failed is signed again within this time, in milliseconds. */
const LIST_MS = 35_000;
const LOOK_EVERY_MS = 100;

/**
 * An outside observer that records everything the store acknowledged, and accepts revocation lists as a client does: with a pinned key,
 * and never an older list.
 */
export type Witness = {
  /** Wraps a client, and records everything acknowledged to it. */
  watch(client: Client): Client;
  publish(client: Client, ref: Ref): Promise<number>;
  approve(client: Client, ref: Ref): Promise<number>;
  yank(client: Client, ref: Ref): Promise<number>;
  /** Reads the revocation list, if available. Returns its faults, in sentences. */
  look(client: Client): Promise<string[]>;
  /** The acknowledged changes that are not in effect now. */
  faults(client: Client): Promise<string[]>;
  /** Pins the current key of the store, as clients do after a declared loss. */
  pin(client: Client): Promise<void>;
  /** The versions whose last acknowledged state this is. */
  acknowledged(state: 'published' | 'in_review' | 'yanked'): Ref[];
  count(): string;
};

/** Creates a witness that pins the current key of a store. */
export async function createWitness(client: Client): Promise<Witness> {
  const newestOf = async (on: Client) => (await on.keys()).at(-1) as PublicKey;
  let pinned = await newestOf(client);
  const acknowledged = createAcknowledged();
  const log = createLogReader();
  let last: AcceptedList | null = null;

  /** Reads the list. Returns its faults and missing entries, which may still be added; null when it is not available. */
  async function takeList(on: Client): Promise<{ faults: string[]; missing: string[] } | null> {
    // Versions yanked during the request need not be on the list.
    const expected = acknowledged.of('yanked').map(({ ref }) => nameOf(ref));
    const { status, body } = await on.get<RevocationList>('/api/apps/revocations');
    if (status !== 200) return null;
    const chain = verifyKeyChain(pinned, await on.keys());
    const newest = chain.ok ? chain.keys.at(-1) : pinned;
    if (!newest || !verifyRevocationList(body, keyRing([newest])))
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

  /** Waits until the list has all required entries; returns it as it is on a timeout. */
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

  const refsOf: Witness['acknowledged'] = (state) => acknowledged.of(state).map(({ ref }) => ref);

  return {
    acknowledged: refsOf,
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
      found.push(...(await log.faults(on, { published: refsOf('published'), yanked: refsOf('yanked') })));
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

/** Retries a function until it succeeds. Returns the time in milliseconds; null on a timeout. */
export async function wellAfter(work: () => Promise<boolean>): Promise<number | null> {
  const began = performance.now();
  while (performance.now() - began < WELL_MS) {
    if (await work()) return Math.round(performance.now() - began);
    await sleep(50);
  }
  return null;
}
