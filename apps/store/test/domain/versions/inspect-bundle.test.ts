import { describe, expect, it } from 'vitest';
import { openTestStore } from '../../support/test-store.ts';

const LOCAL = { SVC_BASE_URL: 'http://localhost:8787', SVC_LOCAL_APPS: '1' };
const remote = { mcpUrl: 'http://localhost:3000/mcp', domains: [] };

async function publishTo(environment: Record<string, string>, changes: object = { remote }) {
  const store = await openTestStore({ environment });
  const token = await store.publisherToken();
  const answer = await store.publish(token, changes);
  return { store, answer };
}

describe('a store with SVC_LOCAL_APPS', () => {
  it('accepts an app on localhost with a warning, and sends it to review', async () => {
    const { store, answer } = await publishTo(LOCAL);
    expect(answer.status).toBe(201);
    expect(await answer.json()).toMatchObject({
      status: 'in_review',
      reasons: expect.arrayContaining(['first-version']),
      issues: [{ code: 'remote.localhost', level: 'warning' }],
    });
    expect(await (await store.call('GET', '/api/store')).json()).toEqual({ localApps: true, read: 'public' });
  });

  it('applies all other rules', async () => {
    const { answer } = await publishTo(LOCAL, { remote, grants: ['exec'] });
    expect(answer.status).toBe(422);
  });
});

it('a store without SVC_LOCAL_APPS rejects an app on localhost', async () => {
  const { store, answer } = await publishTo({});
  expect(answer.status).toBe(422);
  expect(await answer.json()).toMatchObject({
    issues: expect.arrayContaining([expect.objectContaining({ code: 'remote.url', level: 'error' })]),
  });
  expect(await (await store.call('GET', '/api/store')).json()).toEqual({ localApps: false, read: 'public' });
});
