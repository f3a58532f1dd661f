import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LIMITS } from '@svc/contracts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { jsonOf, openTestStore } from '../../support/test-store.ts';

const { perDeveloper } = LIMITS.uploads;
const bad = new Uint8Array([1]);

describe('the upload quota', () => {
  it('counts refused uploads too, reports the remaining ones, and refuses more', async () => {
    const store = await openTestStore();
    const token = await store.publisherToken();
    for (let n = 1; n <= perDeveloper; n += 1) {
      const response = await store.upload(token, bad);
      expect([response.status, response.headers.get('ratelimit')]).toEqual([
        400,
        `"uploads";r=${perDeveloper - n};t=600`,
      ]);
    }
    const refused = await store.publish(token);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '600']);
    expect(refused.headers.get('ratelimit')).toBe('"uploads";r=0;t=600');
    expect(refused.headers.get('ratelimit-policy')).toBe(`"uploads";q=${perDeveloper};w=600`);
    expect(await jsonOf(refused)).toMatchObject({ code: 'rate_limited', retryAfter: 600 });
  });

  it('is that of the policy, and resets after its window and not before', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-quota-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const policyFile = join(folder, 'policy.json');
    await writeFile(policyFile, JSON.stringify({ uploadQuota: { uploads: 2, minutes: 60 } }));
    const store = await openTestStore({ policyFile });
    const token = await store.publisherToken();
    for (let n = 0; n < 2; n += 1) expect((await store.upload(token, bad)).status).toBe(400);
    store.advance(3_600_000 - 1);
    expect((await store.upload(token, bad)).status).toBe(429);
    store.advance(2);
    expect((await store.publish(token)).status).toBe(201);
  });

  it('holds for concurrent uploads', async () => {
    const store = await openTestStore();
    const token = await store.publisherToken();
    const answers = await Promise.all(Array.from({ length: 50 }, () => store.upload(token, bad)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 400)).toHaveLength(perDeveloper);
    expect(statuses.filter((status) => status === 429)).toHaveLength(50 - perDeveloper);
  });

  it('is separate for each developer, and does not apply to automation', async () => {
    const store = await openTestStore();
    const [one, other] = [await store.publisherToken('one'), await store.publisherToken('other')];
    for (let n = 0; n <= perDeveloper; n += 1) await store.upload(one, bad);
    expect((await store.upload(one, bad)).status).toBe(429);
    expect((await store.upload(other, bad)).status).toBe(400);
    for (let n = 0; n <= perDeveloper; n += 1) {
      const answer = await store.call('POST', '/api/apps/publish', {
        token: 'automation-0123456789',
        body: bad as Uint8Array<ArrayBuffer>,
        headers: { 'content-type': 'application/zip' },
      });
      expect(answer.status).toBe(400);
    }
  });
});
