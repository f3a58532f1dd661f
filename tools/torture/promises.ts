import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AppDetail } from '@svc/contracts';
import { type Client, downloadAndVerify, hashOf, nameOf, type Ref } from './client.ts';

/** Unfinished versions are resumed within seconds after the lease of the dead process has expired. */
const SETTLE_MS = 60_000;
const LOOK_EVERY_MS = 50;

const UNDER_WAY = ['submitted', 'checking', 'approved'];

/** A deferred check of an unfinished version; all of them wait together at the end. */
export type Later = () => Promise<string[]>;

/** Whether a version is unfinished, between two states: only a dead or failing process leaves it there. */
export const isUnderWay = async (client: Client, ref: Ref): Promise<boolean> =>
  UNDER_WAY.includes((await client.status(ref)).body.status);

/** Waits until a version is in a stable state. Returns the state; null when it was never uploaded. */
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

/** The versions that an app lists now; a unique query avoids caches. */
async function listedOf(client: Client, appId: string): Promise<ReadonlySet<string>> {
  const { status, body } = await client.get<AppDetail>(`/api/apps/${appId}?fresh=${randomUUID()}`);
  return new Set(status === 200 ? body.versions.map(({ version }) => version) : []);
}

/** The faults of a published version: it must download byte for byte, verify, and be listed. */
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

/** The faults of many published versions; the listing of each app is requested once. */
export async function faultsOfAllPublished(client: Client, all: readonly Published[]): Promise<string[]> {
  const keys = await client.keys();
  const faults: string[] = [];
  for (const [appId, versions] of Map.groupBy(all, ({ ref }) => ref.appId)) {
    const listed = await listedOf(client, appId);
    for (const { ref, bytes } of versions) {
      const found = await downloadAndVerify(client, ref, keys);
      const isWell = found?.verification.ok && hashOf(found.bytes) === hashOf(bytes);
      // Unfinished versions are awaited and checked separately.
      if (!isWell || !listed.has(ref.version)) faults.push(...(await faultsOfPublished(client, ref, bytes)));
    }
  }
  return faults;
}

/** The faults of a version in review: a moderator must be able to open it. */
export async function faultsOfReviewed(client: Client, ref: Ref, bytes: Uint8Array): Promise<string[]> {
  const found = await client.bundleInReview(ref);
  if (found && hashOf(found.bytes) === hashOf(bytes)) return [];
  return [`${nameOf(ref)} is in review, and its bundle is ${found ? 'another' : 'not to be had'}`];
}
