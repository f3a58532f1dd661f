import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sampleBundle } from '@svc/testkit';
import { attest, SIGSTORE, type SigstoreIdentity } from '@svc/testkit/sigstore';
import { describe, expect, it, onTestFinished } from 'vitest';
import { has } from '../../support/extensions.ts';
import { bodyOf, openTestStore, type TestStore } from '../../support/test-store.ts';

const APP = 'com.example.notes';
const PATH = `/api/apps/${APP}/versions`;

async function rootsFile(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-roots-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'roots.json'), text);
  return join(folder, 'roots.json');
}

/** A store that accepts the attestations of the instance for tests, and a verified publisher. */
async function opened() {
  const SVC_ATTESTATION_ROOTS = await rootsFile(JSON.stringify(SIGSTORE.root));
  const store = await openTestStore({ environment: { SVC_ATTESTATION_ROOTS } });
  return { store, token: await store.publisherToken('example', true) };
}

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** Uploads a version in pieces that end neither with the attestation nor with the bundle. */
function publish(
  store: TestStore,
  token: string,
  version: string,
  { by = 'ann', text }: { by?: SigstoreIdentity | null; text?: string } = {},
) {
  const bundle = sampleBundle({ version });
  if (by === null) return bodyOf(store.upload(token, bundle));
  const attestation = Buffer.from(text ?? JSON.stringify(attest(hashOf(bundle), by)));
  const whole = Buffer.concat([attestation, bundle]);
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < whole.length; at += 1_000) controller.enqueue(whole.subarray(at, at + 1_000));
      controller.close();
    },
  });
  return bodyOf(
    store.call('POST', `/api/apps/publish?attestation=${attestation.length}`, {
      ...{ token, body },
      headers: { 'content-type': 'application/octet-stream' },
    }),
  );
}

describe('a bundle with an attestation', () => {
  it('names the repository, the workflow and the commit that built it, on every page of the version', async () => {
    const { store, token } = await opened();
    expect(await publish(store, token, '1.0.0')).toMatchObject({ httpStatus: 201, status: 'in_review' });
    const review = await bodyOf(store.admin('GET', `/api/moderation/apps/${APP}/versions/1.0.0`));
    expect(review.attestation).toMatchObject({ claims: { repository_id: '4711' }, commit: 'c'.repeat(40) });
    expect((await store.call('GET', `${PATH}/1.0.0/attestation`)).status).toBe(404);
    await store.decide('approve', '1.0.0', {});
    const app = await bodyOf(store.call('GET', `/api/apps/${APP}`));
    expect(app.versions[0].attestation).toEqual(review.attestation);
    if (has('storefront')) {
      const page = await (await store.call('GET', `/apps/${APP}`)).text();
      expect(page).toContain('GitHub ann/notes, release.yml');
      expect(page).toContain('https://github.com/ann/notes/actions/runs/1/attempts/1');
    }
    const sent = await store.call('GET', `${PATH}/1.0.0/attestation`);
    const sha256 = hashOf(sampleBundle({ version: '1.0.0' }));
    expect(await sent.json()).toMatchObject({
      dsseEnvelope: { payload: attest(sha256).dsseEnvelope.payload },
    });
    const owner = await store.signedIn('ann', { membership: { example: 'owner' } });
    const own = await bodyOf(
      store.call('GET', `/api/publishers/example/apps/${APP}/versions/1.0.0`, { session: owner }),
    );
    expect(own.attestation).toEqual(review.attestation);
  });

  it('waits for a moderator when another workflow built it, or none', async () => {
    const { store, token } = await opened();
    await publish(store, token, '1.0.0');
    await store.decide('approve', '1.0.0', {});
    expect(await publish(store, token, '1.0.1')).toMatchObject({ status: 'published', reasons: [] });
    const waits = { status: 'in_review', reasons: ['flagged:face.changed'] };
    for (const [n, by] of (['eve', 'test', 'renamed', null] as const).entries())
      expect(await publish(store, token, `1.1.${n}`, { by })).toMatchObject(waits);
    const review = await bodyOf(store.admin('GET', `/api/moderation/apps/${APP}/versions/1.1.3`));
    expect(review).toMatchObject({
      attestation: null,
      base: { attestation: { claims: { repository: 'ann/notes' } } },
    });
  });

  it('is refused with a code, and leaves no version', async () => {
    const { store, token } = await opened();
    const of = (text: string) => publish(store, token, '1.0.0', { text });
    const other = JSON.stringify(attest('ab'.repeat(32)));
    const good = JSON.stringify(attest(hashOf(sampleBundle({ version: '1.0.0' }))));
    const refusals: [string, string][] = [
      [other, 'attestation.subject'],
      ['{}', 'attestation.format'],
      [JSON.stringify(attest(hashOf(sampleBundle({ version: '1.0.0' })), 'person')), 'attestation.identity'],
      [
        JSON.stringify(attest(hashOf(sampleBundle({ version: '1.0.0' })), 'unlogged')),
        'attestation.certificate',
      ],
    ];
    for (const [text, code] of refusals)
      expect(await of(text)).toMatchObject({
        httpStatus: 400,
        code: 'invalid_attestation',
        issues: [{ code }],
      });
    // A length that is wrong takes bytes of the zip, or leaves some before it.
    for (const [length, code] of [
      [good.length - 1, 'invalid_bundle'],
      [good.length + 1, 'invalid_bundle'],
      [70_000, 'invalid_request'],
      [10 ** 5, 'invalid_request'],
    ] as const) {
      const body = Buffer.concat([Buffer.from(good), sampleBundle({ version: '1.0.0' })]);
      const headers = { 'content-type': 'application/octet-stream' };
      const path = `/api/apps/publish?attestation=${length}`;
      expect(await bodyOf(store.call('POST', path, { token, body, headers }))).toMatchObject({
        httpStatus: 400,
        code,
      });
    }
    const short = { token, body: Buffer.from('{'), headers: { 'content-type': 'application/octet-stream' } };
    expect(await bodyOf(store.call('POST', '/api/apps/publish?attestation=9', short))).toMatchObject({
      code: 'empty_body',
    });
    expect((await store.call('GET', `${PATH}/1.0.0/status`)).status).toBe(404);
    expect(await of(good)).toMatchObject({ httpStatus: 201 });
  });

  it('needs a trusted root that can be read, at the start', async () => {
    const environment = { SVC_ATTESTATION_ROOTS: await rootsFile('{}') };
    await expect(openTestStore({ environment })).rejects.toThrow(
      'SVC_ATTESTATION_ROOTS cannot be used: it is no trusted root of Sigstore',
    );
  });
});
