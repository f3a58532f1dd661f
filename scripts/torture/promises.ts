import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AppDetail } from '@svc/contracts';
import { type Client, downloadAndVerify, hashOf, nameOf, type Ref } from './client.ts';

/** What was left behind is worked on within seconds, once the lease of the process that left it has run out. */
const SETTLE_MS = 60_000;
const LOOK_EVERY_MS = 50;

const UNDER_WAY = ['submitted', 'checking', 'approved'];

/** A look at a version that waits until a person has taken it up; all such waits are one at the end. */
export type Later = () => Promise<string[]>;

/** Whether a version stands between two states, where only a dead or a failing process leaves it. */
export const isUnderWay = async (client: Client, ref: Ref): Promise<boolean> =>
  UNDER_WAY.includes((await client.status(ref)).body.status);

/** Waits until a version stands where it is to stay. Returns that state, or null when it was never uploaded. */
export async function settledState(client: Client, ref: Ref): Promise<string | null> {
  const deadline = performance.now() + SETTLE_MS;
  for (;;) {
    const { status, body } = await client.status(ref);
    if (status === 404) return null;
    if (status === 200 && !UNDER_WAY.includes(body.status)) return body.status;
    if (performance.now() > deadline)
      return `${body.status ?? status} still, after ${SETTLE_MS / 1000} seconds`;
    await sleep(LOOK_EVERY_MS);
  }
}

/** The versions that an app lists now: an address that nobody asked for before is answered by no cache. */
async function listedOf(client: Client, appId: string): Promise<ReadonlySet<string>> {
  const { status, body } = await client.get<AppDetail>(`/api/apps/${appId}?fresh=${randomUUID()}`);
  return new Set(status === 200 ? body.versions.map(({ version }) => version) : []);
}

/** What is wrong with a version that must be published: that it downloads byte for byte, verifies, and is listed. */
export async function faultsOfPublished(client: Client, ref: Ref, bytes: Uint8Array): Promise<string[]> {
  const state = await settledState(client, ref);
  if (state !== 'published') return [`${nameOf(ref)} is ${state ?? 'lost'}, and should be published`];
  const found = await downloadAndVerify(client, ref);
  if (!found) return [`${nameOf(ref)} is published and cannot be downloaded`];
  const { verification } = found;
  return [
    ...(hashOf(found.bytes) === hashOf(bytes) ? [] : [`${nameOf(ref)} downloads as other bytes`]),
    ...(verification.ok ? [] : [`${nameOf(ref)} does not verify: ${verification.message}`]),
    ...((await listedOf(client, ref.appId)).has(ref.version)
      ? []
      : [`${nameOf(ref)} is published and not in the catalogue`]),
  ];
}

type Published = { ref: Ref; bytes: Uint8Array };

/** What is wrong with any of many versions that must be published; each app is asked once what it lists. */
export async function faultsOfAllPublished(client: Client, all: readonly Published[]): Promise<string[]> {
  const keys = await client.keys();
  const faults: string[] = [];
  for (const [appId, versions] of Map.groupBy(all, ({ ref }) => ref.appId)) {
    const listed = await listedOf(client, appId);
    for (const { ref, bytes } of versions) {
      const found = await downloadAndVerify(client, ref, keys);
      const isWell = found?.verification.ok && hashOf(found.bytes) === hashOf(bytes);
      // What is on its way still is waited for, and looked at alone.
      if (!isWell || !listed.has(ref.version)) faults.push(...(await faultsOfPublished(client, ref, bytes)));
    }
  }
  return faults;
}

/** What is wrong with a version that waits for a moderator, who must be able to open it. */
export async function faultsOfReviewed(client: Client, ref: Ref, bytes: Uint8Array): Promise<string[]> {
  const found = await client.bundleInReview(ref);
  if (found && hashOf(found.bytes) === hashOf(bytes)) return [];
  return [`${nameOf(ref)} is in review, and its bundle is ${found ? 'another' : 'not to be had'}`];
}
