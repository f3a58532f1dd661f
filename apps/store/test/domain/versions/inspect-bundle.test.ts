import { png } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { imageTypeOf } from '../../../src/domain/versions/inspect-bundle.ts';
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

const text = (value: string) => new TextEncoder().encode(value);

describe('imageTypeOf', () => {
  it.each([
    ['image/png', png(8)],
    ['image/jpeg', Uint8Array.of(0xff, 0xd8, 0xff, 0xe0)],
    ['image/webp', text('RIFF....WEBPVP8 ')],
    ['image/svg+xml', text('<?xml version="1.0"?><!-- a --><svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['image/svg+xml', text('  <svg viewBox="0 0 1 1"></svg>')],
    ['image/svg+xml', text('<s:svg xmlns:s="http://www.w3.org/2000/svg"/>')],
    ['image/svg+xml', text(`<!-- ${'long '.repeat(2_000)} --><svg/>`)],
  ])('detects %s by its bytes', (type, bytes) => {
    expect(imageTypeOf(bytes)).toBe(type);
  });

  it.each([
    ['an HTML page', text('<!doctype html><script>alert(1)</script>')],
    ['a script', text('alert("<svg>")')],
    ['an empty file', new Uint8Array()],
    ['the start of a PNG', Uint8Array.of(0x89, 0x50, 0x4e)],
  ])('is null for %s', (_name, bytes) => {
    expect(imageTypeOf(bytes)).toBeNull();
  });
});
