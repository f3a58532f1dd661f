import { BOTH_DATABASES, sampleBundle } from '@svc/testkit';
import { rsaKey } from '@svc/testkit/rsa-key';
import { type JWTPayload, SignJWT } from 'jose';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { FileOptions, Sites } from '../../../src/core/publishers/site.ts';
import { needsExtension } from '../../support/extensions.ts';
import { policyFileOf } from '../../support/moderated-store.ts';
import {
  ADMIN_TOKEN,
  BASE_URL,
  bodyOf,
  jsonOf,
  openTestStore,
  type TestStore,
  twinOf,
} from '../../support/test-store.ts';

const ISSUER = 'https://ci.example.com';
const APP = 'com.example.notes';
const OURS = '/api/publishers/example/trusted-publishers';

const CLAIMS = {
  repository: 'ann/notes',
  repository_id: '4711',
  repository_owner_id: '42',
  workflow_ref: 'ann/notes/.github/workflows/release.yml@refs/tags/v1',
  environment: 'store',
  event_name: 'push',
  ref: 'refs/tags/v1',
  sha: 'c'.repeat(40),
};

const jwk = (kid: string) => {
  const { kty, n, e } = rsaKey(kid).export({ format: 'jwk' });
  return { kty, n, e, kid, use: 'sig', alg: 'RS256' };
};

/** An issuer with keys that can be replaced, read as the store reads websites. */
function issuer() {
  const state = { keys: ['signing'], isUp: true, read: [] as [string, string, FileOptions | undefined][] };
  const sites: Sites = {
    isPrivate: async () => false,
    txt: async () => ({ fault: 'none' }),
    post: async () => ({ fault: 'none' }),
    async file(host, path, options) {
      state.read.push([host, path, options]);
      if (!state.isUp) return { fault: 'The host refuses connections on port 443' };
      if (host === 'api.github.com' || path === '/api/v3/repos/ann/notes')
        return { text: JSON.stringify({ id: 4711, owner: { id: 42 } }) };
      if (path === '/keys') return { text: JSON.stringify({ keys: state.keys.map(jwk) }) };
      return { text: JSON.stringify({ issuer: ISSUER, jwks_uri: `${ISSUER}/keys` }) };
    },
  };
  return { state, sites };
}

/** A store that accepts the issuer, a publisher, and its owner. */
async function opened(policy: { policyFile?: string } = {}) {
  const { state, sites } = issuer();
  const store = await openTestStore({
    sites,
    ...policy,
    environment: { SVC_CI_ISSUERS: `github=${ISSUER}` },
  });
  await store.admin('POST', '/api/admin/publishers', { slug: 'example', name: 'Example', verified: true });
  const owner = await store.signedIn('ann', { membership: { example: 'owner' } });
  const trust = (more: object = {}) =>
    store.call('POST', OURS, {
      session: owner,
      json: { appId: APP, issuer: ISSUER, repository: 'ann/notes', workflow: 'release.yml', ...more },
    });
  return { store, owner, trust, state };
}

let tokens = 0;

type Forged = {
  claims?: JWTPayload;
  key?: string;
  alg?: string;
  audience?: string | string[];
  issuedAt?: number;
};

/** The ID token of a job. */
function idToken(
  store: TestStore,
  { claims = {}, key = 'signing', alg = 'RS256', audience = BASE_URL, issuedAt }: Forged = {},
) {
  tokens += 1;
  const now = issuedAt ?? Math.floor(store.clock().getTime() / 1000);
  const signed = new SignJWT({ ...CLAIMS, jti: `job-${tokens}`, ...claims })
    .setProtectedHeader({ alg, kid: key })
    .setIssuer(ISSUER)
    .setAudience(audience)
    .setIssuedAt(now)
    .setExpirationTime(now + 300);
  return signed.sign(alg === 'HS256' ? new TextEncoder().encode(JSON.stringify(jwk(key))) : rsaKey(key));
}

const exchange = (store: TestStore, token: string, more: object = {}) =>
  store.call('POST', '/api/developer/ci/token', {
    json: { idToken: token, publisher: 'example', appId: APP, ...more },
  });

afterEach(() => {
  vi.useRealTimers();
});

describe('the exchange of an ID token', () => {
  it('gives a token that publishes one app, which does not exist yet, for 15 minutes', async () => {
    const { store, owner, trust, state } = await opened();
    expect(await bodyOf(trust({ environment: 'store' }))).toMatchObject({
      httpStatus: 201,
      pending: true,
      claims: {
        repository: 'ann/notes',
        repository_id: '4711',
        repository_owner_id: '42',
        workflow_ref: 'ann/notes/.github/workflows/release.yml',
        environment: 'store',
      },
    });
    const made = await bodyOf(exchange(store, await idToken(store)));
    expect(made).toMatchObject({
      httpStatus: 201,
      kind: 'ci',
      publisher: 'example',
      appId: APP,
      scopes: ['publish:new', 'publish:update', 'status', 'read'],
      expiresAt: '2026-03-01T12:15:00.000Z',
    });
    // Only hosts that the operator named may be on the local network.
    expect(state.read.every(([host, , options]) => host === 'ci.example.com' && options?.isLocal)).toBe(true);
    expect((await store.publish(made.token, { id: 'com.example.other' })).status).toBe(403);
    expect((await store.publish(made.token)).status).toBe(201);
    const detail = await bodyOf(
      store.call('GET', `/api/publishers/example/apps/${APP}/versions/1.0.0`, { session: owner }),
    );
    expect(detail.source).toMatchObject({
      commit: 'c'.repeat(40),
      ref: 'refs/tags/v1',
      claims: { repository_id: '4711' },
    });
    const listed = await bodyOf(store.call('GET', `${OURS}?appId=${APP}`, { session: owner }));
    expect(listed.trustedPublishers).toMatchObject([
      { pending: false, lastUsedAt: '2026-03-01T12:00:00.000Z' },
    ]);
    store.advance(15 * 60_000);
    expect((await store.publish(made.token, { version: '1.0.1' })).status).toBe(401);
    expect(store.lines.join('\n')).not.toContain(made.token);
  });

  it('refuses all but the right job, with expected and received claim side by side', async () => {
    const { store, trust } = await opened();
    await trust({ environment: 'store' });
    const now = Math.floor(store.clock().getTime() / 1000);
    const refusals: [string, Forged, object[]?][] = [
      [
        'wrong audience',
        { audience: 'https://other.test' },
        [{ claim: 'aud', expected: BASE_URL, received: 'https://other.test' }],
      ],
      [
        'two audiences',
        { audience: [BASE_URL, 'https://other.test'] },
        [expect.objectContaining({ claim: 'aud' }) as object],
      ],
      ['expired', { issuedAt: now - 3_600 }],
      ['not yet issued', { issuedAt: now + 3_600 }],
      ['another key', { key: 'unknown' }],
      ['a shared key', { alg: 'HS256' }],
      [
        'the name taken over',
        { claims: { repository_id: '9', repository_owner_id: '8' } },
        [
          { claim: 'repository_id', expected: '4711', received: '9' },
          { claim: 'repository_owner_id', expected: '42', received: '8' },
        ],
      ],
      [
        'renamed',
        {
          claims: {
            repository: 'ann/memos',
            workflow_ref: 'ann/memos/.github/workflows/release.yml@refs/heads/main',
          },
        },
        [
          { claim: 'repository', expected: 'ann/notes', received: 'ann/memos' },
          {
            claim: 'workflow_ref',
            expected: 'ann/notes/.github/workflows/release.yml',
            received: 'ann/memos/.github/workflows/release.yml',
          },
        ],
      ],
      ['a fork', { claims: { repository: 'eve/notes', repository_id: '5', repository_owner_id: '6' } }],
      [
        'another workflow',
        { claims: { workflow_ref: 'ann/notes/.github/workflows/test.yml@refs/heads/main' } },
      ],
      [
        'no environment',
        { claims: { environment: undefined } },
        [{ claim: 'environment', expected: 'store', received: null }],
      ],
      [
        'started by others',
        { claims: { event_name: 'pull_request_target' } },
        [expect.objectContaining({ claim: 'event_name' }) as object],
      ],
      [
        'started by an event that is not listed',
        { claims: { event_name: 'issues' } },
        [expect.objectContaining({ claim: 'event_name', received: 'issues' }) as object],
      ],
      [
        'without an event',
        { claims: { event_name: undefined } },
        [expect.objectContaining({ claim: 'event_name', received: null }) as object],
      ],
      ['no id of its own', { claims: { jti: undefined as unknown as string } }],
    ];
    for (const [what, forged, claims] of refusals) {
      const body = await bodyOf(exchange(store, await idToken(store, forged)));
      expect([what, body.httpStatus, body.code]).toEqual([what, 403, 'forbidden']);
      if (claims) expect([what, body.claims]).toEqual([what, claims]);
      expect(JSON.stringify(body)).not.toContain(CLAIMS.sha);
    }
    const [, payload] = (await idToken(store)).split('.');
    const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`;
    expect((await exchange(store, unsigned)).status).toBe(403);
    expect((await exchange(store, await idToken(store), { appId: 'com.example.other' })).status).toBe(403);
    expect((await exchange(store, 'no token')).status).toBe(400);
    expect((await exchange(store, await idToken(store))).status).toBe(201);
  });

  it('compares names as the provider does: in any letter case, but for the file of the workflow', async () => {
    const { store, trust } = await opened();
    await trust({ environment: 'Store' });
    const claims = {
      ...{ repository: 'Ann/Notes', environment: 'STORE' },
      workflow_ref: 'Ann/Notes/.github/workflows/release.yml@refs/tags/v1',
    };
    expect((await exchange(store, await idToken(store, { claims }))).status).toBe(201);
    const file = { workflow_ref: 'ann/notes/.github/workflows/Release.yml@refs/tags/v1' };
    expect((await exchange(store, await idToken(store, { claims: file }))).status).toBe(403);
    expect((await exchange(store, await idToken(store, { claims: { repository_id: '5' } }))).status).toBe(
      403,
    );
  });

  it('refuses runners of its own to a workflow, or to a store, that asks for those of the provider', async () => {
    const of = (runner_environment: string | undefined) => ({ claims: { runner_environment } });
    const { store, trust } = await opened();
    await trust({ hostedOnly: true });
    const own = await bodyOf(exchange(store, await idToken(store, of('self-hosted'))));
    const differs = { claim: 'runner_environment', expected: 'github-hosted', received: 'self-hosted' };
    expect([own.httpStatus, own.claims]).toEqual([403, [differs]]);
    expect((await exchange(store, await idToken(store, of(undefined)))).status).toBe(403);
    expect((await exchange(store, await idToken(store, of('github-hosted')))).status).toBe(201);
    const strict = await opened({ policyFile: await policyFileOf({ hostedRunners: true }) });
    await strict.trust();
    expect((await exchange(strict.store, await idToken(strict.store, of('self-hosted')))).status).toBe(403);
    expect((await exchange(strict.store, await idToken(strict.store, of('github-hosted')))).status).toBe(201);
  });

  it('accepts another issuer never, and says which it accepts', async () => {
    const { store } = await opened();
    const token = await new SignJWT({})
      .setProtectedHeader({ alg: 'RS256' })
      .setIssuer('https://evil.test')
      .sign(rsaKey());
    expect(await bodyOf(exchange(store, token))).toMatchObject({
      httpStatus: 403,
      claims: [{ claim: 'iss', expected: ISSUER, received: 'https://evil.test' }],
    });
  });

  it('reads rotated keys, and answers 503 while the issuer is down', async () => {
    const { store, trust, state } = await opened();
    await trust();
    expect((await exchange(store, await idToken(store))).status).toBe(201);
    state.keys = ['rotated'];
    // Unknown keys are looked up at most every half a minute of the real clock.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31_000 });
    expect((await exchange(store, await idToken(store, { key: 'rotated' }))).status).toBe(201);
    expect((await exchange(store, await idToken(store))).status).toBe(403);
    state.isUp = false;
    vi.setSystemTime(Date.now() + 3_600_000);
    store.advance(3_600_000);
    const answer = await exchange(store, await idToken(store, { key: 'rotated' }));
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, expect.any(String)]);
    expect(await answer.text()).toMatch(
      /The store cannot read the keys of the issuer https:\/\/[^ ]+: try again/,
    );
  });

  it('counts an ID token once, of two processes at the same time', BOTH_DATABASES, async () => {
    const { store, trust } = await opened();
    await trust();
    const other = await twinOf(store);
    const token = await idToken(store);
    const answers = await Promise.all([
      exchange(store, token),
      exchange(other, token),
      exchange(store, token),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 403, 403]);
    expect((await exchange(store, token)).status).toBe(403);
  });
});

describe('a trusted workflow', () => {
  it('is the only one that publishes an app, where the owners say so', async () => {
    const { store, owner, trust } = await opened();
    await trust();
    const first = await jsonOf<{ token: string }>(exchange(store, await idToken(store)));
    await store.publish(first.token);
    const rules = { session: owner, json: { trustedOnly: true, confirm: false } };
    expect((await store.call('PUT', `/api/publishers/example/apps/${APP}/publishing`, rules)).status).toBe(
      200,
    );
    const stolen = await store.publisherToken();
    for (const token of [stolen, ADMIN_TOKEN])
      expect(await bodyOf(store.publish(token, { version: '1.0.1' }))).toMatchObject({ code: 'forbidden' });
    expect((await store.publish(first.token, { version: '1.0.1' })).status).toBe(201);
  });

  it('sends a version of another workflow, or of none, to review as a changed face, but not of another commit', async () => {
    const { store, trust } = await opened();
    await trust();
    const job = await jsonOf<{ token: string }>(exchange(store, await idToken(store)));
    await store.publish(job.token);
    await store.decide('approve', '1.0.0', {});
    const newer = { sha: 'd'.repeat(40) };
    const next = await jsonOf<{ token: string }>(exchange(store, await idToken(store, { claims: newer })));
    expect(await bodyOf(store.publish(next.token, { version: '1.0.1' }))).toMatchObject({
      status: 'published',
    });
    const version = { version: '1.0.2' };
    expect(await bodyOf(store.publish(await store.publisherToken(), version))).toMatchObject({
      status: 'in_review',
      reasons: ['flagged:face.changed'],
    });
    const review = await bodyOf(store.admin('GET', `/api/moderation/apps/${APP}/versions/1.0.2`));
    expect(review).toMatchObject({ source: null, base: { source: { claims: { repository: 'ann/notes' } } } });
    const app = await bodyOf(store.call('GET', `/api/apps/${APP}`));
    expect(app.versions[0].source).toMatchObject({ issuer: ISSUER, commit: newer.sha });
  });

  it(
    'ends with its removal, with a recovery of the owner who added it, and with an emergency',
    needsExtension('emergencies'),
    async () => {
      const { store, owner, trust } = await opened();
      const { id } = await jsonOf<{ id: string }>(trust());
      const { token } = await jsonOf<{ token: string }>(exchange(store, await idToken(store)));
      expect((await store.call('DELETE', `${OURS}/${id}`, { session: owner })).status).toBe(200);
      expect((await store.upload(token, sampleBundle())).status).toBe(401);
      expect((await exchange(store, await idToken(store))).status).toBe(403);

      await trust();
      const again = await jsonOf<{ token: string }>(exchange(store, await idToken(store)));
      const stops = {
        publisher: 'example',
        reason: 'Stolen.',
        yank: false,
        suspend: false,
        endSessions: false,
      };
      expect(
        (await store.admin('POST', '/api/admin/emergencies', { ...stops, revokeTokens: true })).status,
      ).toBeLessThan(300);
      expect((await store.upload(again.token, sampleBundle())).status).toBe(401);
      expect((await exchange(store, await idToken(store))).status).toBe(403);
    },
  );

  it('needs the ids of a private repository, an owner, and a fresh proof of identity', async () => {
    const { store, owner, trust, state } = await opened();
    state.isUp = false;
    expect(await bodyOf(trust())).toMatchObject({
      code: 'invalid_request',
      issues: [{ path: '/repositoryId' }],
    });
    expect((await trust({ repositoryId: '1', ownerId: '2' })).status).toBe(201);
    expect((await trust({ repositoryId: '1', ownerId: '2' })).status).toBe(409);
    expect((await trust({ repository: '../evil', repositoryId: '1', ownerId: '2' })).status).toBe(400);
    store.advance(11 * 60_000);
    expect(await bodyOf(trust({ repositoryId: '3', ownerId: '2' }))).toMatchObject({
      code: 'reauthentication_required',
    });
    expect((await store.call('GET', OURS, { session: owner })).status).toBe(200);
  });
});
