import { stat } from 'node:fs/promises';
import { originHeader, type StatedOrigin, signOrigin } from '@svc/signing';
import { describe, expect, it } from 'vitest';
import { appBundle, MANIFEST } from '../support/app-folder.ts';
import { fakeStore } from '../support/fake-store.ts';
import {
  chainOf,
  firstKeys,
  headersOf,
  newKey,
  PUBLISHED_AT,
  storeWith,
  TARGET,
} from '../support/signed-store.ts';

/** A store that carries the app of another one, which lists its keys, and what the first one says of that. */
async function carryingStore() {
  const here = await storeWith(appBundle());
  const there = newKey();
  const answers = { keys: firstKeys(there) as object[] | null, status: 200 };
  const origin = await fakeStore((_request, response) =>
    response.writeHead(answers.status).end(JSON.stringify({ keys: answers.keys })),
  );
  const theirs = headersOf(appBundle(), there);
  const stated: StatedOrigin = {
    ...{ appId: MANIFEST.id, version: MANIFEST.version, sha256: theirs['X-Svc-Sha256'] ?? '' },
    origin: {
      ...{ store: origin.url, publisher: 'example', publishedAt: PUBLISHED_AT, keyId: there.keyId },
      signature: theirs['X-Svc-Signature'] ?? '',
      publicKeyPem: there.publicKeyPem,
    },
    ...{ carriedAt: '2026-02-01T00:00:00.000Z', carriedBy: 'Corp' },
  };
  const say = (change: Partial<StatedOrigin> = {}, key = here.key) => {
    here.said.headers['X-Svc-Origin'] = originHeader(signOrigin({ ...stated, ...change }, key));
  };
  const of = (change: Partial<StatedOrigin['origin']>) => ({ origin: { ...stated.origin, ...change } });
  return { ...here, there, origin, answers, stated, say, of };
}

describe('svc verify of a carried app', () => {
  it('verifies both signatures, and asks the other store for its keys without a token', async () => {
    const { run, origin, there, say, env } = await carryingStore();
    say();
    Object.assign(env, { SVC_TOKEN: 'secret' });
    const { code, out } = await run('verify', TARGET);
    expect([code, out]).toEqual([0, expect.stringMatching(new RegExp(`^  from +${origin.url}$`, 'm'))]);
    expect(out).toContain(`${there.keyId} (listed by that store)`);
    expect(out).toContain('carried by  Corp');
    expect(origin.seen.map(({ url, authorization }) => [url, authorization])).toEqual([
      ['/api/apps/public-keys', undefined],
    ]);
    const { origin: shown } = JSON.parse((await run('verify', TARGET, '--json')).out);
    expect(shown).toMatchObject({ store: origin.url, isListedThere: true });
  });

  it('verifies one whose origin has a newer key, and says so of one that cannot be reached', async () => {
    const { run, answers, there, say, of } = await carryingStore();
    answers.keys = chainOf(there, newKey());
    say();
    expect((await run('verify', TARGET)).out).toContain('(listed by that store)');
    say(of({ store: 'http://127.0.0.1:1' }));
    const { code, out } = await run('verify', TARGET);
    expect([code, out]).toEqual([0, expect.stringContaining('(that store cannot be reached)')]);
  });

  it('fails when the origin answers, and not with the key', async () => {
    const { run, answers, say, pins } = await carryingStore();
    say();
    for (const [keys, status] of [
      [firstKeys(newKey()), 200],
      [null, 200],
      [null, 404],
      [[], 500],
    ] as const) {
      Object.assign(answers, { keys, status });
      expect(await run('verify', TARGET)).toMatchObject({
        ...{ code: 1, out: '' },
        err: expect.stringMatching(/Not verified: \S+ does not (list the key|say which keys)/),
      });
    }
    await expect(stat(pins)).rejects.toThrow('ENOENT');
  });

  it.each<[string, (world: Awaited<ReturnType<typeof carryingStore>>) => void]>([
    ['of another key', ({ say }) => say({}, newKey())],
    ['of another version', ({ say }) => say({ version: '9.0.0' })],
    ['of other bytes', ({ say }) => say({ sha256: 'ab'.repeat(32) })],
    ['with another key there', ({ say, of }) => say(of({ publicKeyPem: newKey().publicKeyPem }))],
    [
      'with the signature of the store itself',
      ({ say, of, said }) => say(of({ signature: said.headers['X-Svc-Signature'] ?? '' })),
    ],
    ['with a password in the address', ({ say, of }) => say(of({ store: 'http://me:pw@localhost' }))],
    [
      'that cannot be read',
      ({ said }) => {
        said.headers['X-Svc-Origin'] = 'bm9uZQ';
      },
    ],
  ])('fails with a statement %s, and sends no request to the other store', async (_what, lie) => {
    const world = await carryingStore();
    lie(world);
    expect(await world.run('verify', TARGET)).toMatchObject({
      ...{ code: 1, out: '' },
      err: expect.stringContaining('Not verified'),
    });
    expect(world.origin.seen).toEqual([]);
  });

  it('fails with another bundle than the one that both signed', async () => {
    const { run, said, key, say } = await carryingStore();
    say();
    said.bytes = appBundle({ files: { 'README.md': 'other' } });
    expect(await run('verify', TARGET)).toMatchObject({ code: 1, err: expect.stringContaining('SHA-256') });
    // The store signs other bytes as its own, with the statement of the first ones.
    Object.assign(said.headers, headersOf(said.bytes, key));
    expect((await run('verify', TARGET)).err).toContain('did not sign from which other store');
  });
});
