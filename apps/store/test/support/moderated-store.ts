import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { ADMIN_TOKEN, openTestStore } from './test-store.ts';

/** Two moderators, and automation with the administrator role. */
export type Reviewer = 'anna' | 'ben' | 'admin';

/** The URL of a version for moderators. */
export const reviewPath = (version = '1.0.0', appId = 'com.example.notes'): string =>
  `/api/moderation/apps/${appId}/versions/${version}`;

/** A policy file, removed after the test. */
export async function policyFileOf(policy: object): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-policy-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'policy.json');
  await writeFile(file, JSON.stringify(policy));
  return file;
}

/** A store with an administrator, two moderators, and the policy of a test. */
export async function openModeratedStore({ policy = {}, folder }: { policy?: object; folder?: string } = {}) {
  const store = await openTestStore({
    ...(folder !== undefined && { folder }),
    policyFile: await policyFileOf(policy),
  });
  // Skipped for an existing data folder, which has these users already.
  const sessions = {
    anna: await store.signedIn('anna', { role: 'moderator' }),
    ben: await store.signedIn('ben', { role: 'moderator' }),
  };
  const as = (who: Reviewer, method: string, path: string, json?: unknown) =>
    store.call(method, path, {
      ...(who === 'admin' ? { token: ADMIN_TOKEN } : { session: sessions[who] }),
      ...(json !== undefined && { json }),
    });
  return { ...store, as, sessions };
}

export type ModeratedStore = Awaited<ReturnType<typeof openModeratedStore>>;
