import { fork } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Automation, packedSample } from '@svc/testkit';
import type { Ref } from '../client.ts';
import type { Attack } from './attacker.ts';
import { PHOTO_AND_SOURCE } from './honest.ts';

/** Concurrent legitimate developers, and the work of each. */
const DEVELOPERS = 4;
const UPDATES = 12;
const PAUSE_MS = 250;
/** Time from the start of the attack to the first legitimate upload, in milliseconds. */
const HEAD_START_MS = 2_000;

/** A hundred concurrent uploads by fourteen accounts from seven networks; `foreign`: for a publisher of another account. */
const MIX: readonly { send: Attack['send']; accounts: number; concurrency: number; foreign?: true }[] = [
  { send: 'slow', accounts: 2, concurrency: 10 },
  { send: 'script', accounts: 4, concurrency: 5 },
  { send: 'script', accounts: 4, concurrency: 5, foreign: true },
  { send: 'picture', accounts: 1, concurrency: 10 },
  { send: 'manifest', accounts: 1, concurrency: 10 },
  { send: 'junk', accounts: 2, concurrency: 10 },
];
const NETWORKS = 7;

let accountCount = 0;

/** A new publisher, and a token for it. */
async function newAccount(automation: Automation): Promise<{ slug: string; token: string }> {
  accountCount += 1;
  const slug = `account-${accountCount}`;
  await automation.addPublisher({ slug, name: `Account ${accountCount}`, verified: true });
  return { slug, token: await automation.publisherToken(slug) };
}

async function newAttacks(automation: Automation): Promise<Attack[]> {
  const attacks: Attack[] = [];
  for (const { send, accounts, concurrency, foreign } of MIX) {
    for (let n = 0; n < accounts; n += 1) {
      const { slug, token } = await newAccount(automation);
      const publisher = foreign ? 'account-1' : slug;
      attacks.push({
        send,
        token,
        publisher,
        concurrency,
        address: `198.51.100.${attacks.length % NETWORKS}`,
      });
    }
  }
  return attacks;
}

type Developer = { token: string; appId: string; publisher: string; address: string };

/** A developer with a published app, whose updates need no review. */
async function newDeveloper(automation: Automation, n: number): Promise<Developer> {
  const { slug, token } = await newAccount(automation);
  const appId = `com.honest.${slug}`;
  await automation.publish(packedSample({ id: appId, publisher: slug }));
  return { token, appId, publisher: slug, address: `203.0.113.${n}` };
}

/** Uploads a bundle, and measures the time to its 201 in milliseconds. */
function timeUpload(url: string, { token, address }: Developer, bytes: Uint8Array): Promise<number> {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/zip',
    'content-length': bytes.byteLength,
    'x-forwarded-for': address,
  };
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const outgoing = request(`${url}/api/apps/publish`, { method: 'POST', headers }, (response) => {
      response.resume().on('end', () => {
        if (response.statusCode === 201) resolve(performance.now() - began);
        else reject(new Error(`A legitimate upload returned ${response.statusCode}.`));
      });
    });
    outgoing.on('error', reject).end(bytes);
  });
}

/** A legitimate upload that returned 201, and its duration in milliseconds. */
export type Honest = { ref: Ref; bytes: Uint8Array; ms: number };

/** Publishes legitimately: concurrent developers, each with a few updates and pauses. */
async function publishHonestly(url: string, automation: Automation): Promise<Honest[]> {
  const developers: Developer[] = [];
  for (let n = 0; n < DEVELOPERS; n += 1) developers.push(await newDeveloper(automation, n));
  const bundles = developers.map(({ appId, publisher }) =>
    Array.from({ length: UPDATES }, (_, n) => {
      const version = `1.${n + 1}.0`;
      return {
        ref: { appId, version },
        bytes: packedSample({ id: appId, publisher, version }, PHOTO_AND_SOURCE),
      };
    }),
  );
  const published: Honest[] = [];
  const publish = async (developer: Developer, nth: number) => {
    await sleep((PAUSE_MS * nth) / DEVELOPERS);
    for (const { ref, bytes } of bundles[nth] ?? []) {
      published.push({ ref, bytes, ms: await timeUpload(url, developer, bytes) });
      await sleep(PAUSE_MS);
    }
  };
  await Promise.all(developers.map(publish));
  return published;
}

/** The number of responses to the attackers by status. */
type Answers = [status: number, count: number][];

/** Runs a function during a hundred concurrent hostile uploads. */
async function underAttack<T>(url: string, automation: Automation, work: () => Promise<T>) {
  const attacks = await newAttacks(automation);
  const child = fork(join(import.meta.dirname, 'attacker.ts'));
  try {
    await once(child, 'message');
    child.send({ url, attacks });
    await once(child, 'message');
    await sleep(HEAD_START_MS);
    const result = await work();
    child.send('report');
    const [answers] = (await once(child, 'message')) as [Answers];
    return { result, answers };
  } finally {
    child.kill('SIGKILL');
  }
}

export type Flooded = { idle: Honest[]; flooded: Honest[]; answers: Answers };

/**
 * Publishes legitimately, alone and during a hundred hostile uploads: slow senders, accounts of other publishers, bundles whose
 * scripts, images and manifests are expensive to check, and bytes that are not a zip.
 * The store must trust `X-Forwarded-For` from this machine.
 */
export async function flood(url: string, automation: Automation): Promise<Flooded> {
  const idle = await publishHonestly(url, automation);
  const { result, answers } = await underAttack(url, automation, () => publishHonestly(url, automation));
  return { idle, flooded: result, answers };
}
