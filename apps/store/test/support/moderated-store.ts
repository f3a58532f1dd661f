import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { ADMIN_TOKEN, openTestStore } from './test-store.ts';

export const MODERATOR_TOKENS = {
  anna: 'moderator-anna-0123456789',
  ben: 'moderator-ben-0123456789',
};

const TOKENS = { ...MODERATOR_TOKENS, admin: ADMIN_TOKEN };

/** Two moderators, and an administrator. */
export type Reviewer = keyof typeof TOKENS;

/** The address of a version for moderators. */
export const reviewPath = (version = '1.0.0', appId = 'com.example.notes'): string =>
  `/api/moderation/apps/${appId}/versions/${version}`;

/** A file with a policy, gone when the test is over. */
async function policyFileOf(policy: object): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-policy-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'policy.json');
  await writeFile(file, JSON.stringify(policy));
  return file;
}

/** A store with two moderators beside its administrator, and the policy of a test. */
export async function openModeratedStore({ policy = {}, folder }: { policy?: object; folder?: string } = {}) {
  const store = await openTestStore({
    ...(folder !== undefined && { folder }),
    policyFile: await policyFileOf(policy),
    environment: { SVC_MODERATOR_TOKENS: `anna:${TOKENS.anna},ben:${TOKENS.ben}` },
  });
  const as = (who: Reviewer, method: string, path: string, json?: unknown) =>
    store.call(method, path, { token: TOKENS[who], ...(json !== undefined && { json }) });
  return { ...store, as };
}

export type ModeratedStore = Awaited<ReturnType<typeof openModeratedStore>>;
