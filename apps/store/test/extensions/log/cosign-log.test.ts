import { createPublicKey } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  formatVerifierKey,
  type NoteKey,
  noteKey,
  openCheckpoint,
  readVerifierKey,
  SIGNATURE_TYPES,
} from '@svc/log';
import { testKey } from '@svc/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createWitnessApp, openWitnessState } from '../../../src/composition/commands/witness.ts';
import { bodyOf, openTestStore, type TestStore } from '../../support/test-store.ts';

const ORIGIN = 'store.test';

const publishLog = (store: TestStore) => store.runJob('Publishing the log');

/** A witness whose server the test takes away, or replaces. */
async function witnessOf(name: string, logs: NoteKey[]) {
  const { publicKeyPem, privateKey } = testKey(name);
  const key = noteKey(name, createPublicKey(publicKeyPem), SIGNATURE_TYPES.cosignature);
  const file = join(await mkdtemp(join(tmpdir(), 'svc-witness-')), 'cosigned.sqlite');
  const state = openWitnessState(file);
  onTestFinished(() => state.close());
  const app = createWitnessApp({ key, privateKey, logs }, state, () => new Date('2026-01-01T00:00:00Z'));
  const witness = {
    key,
    url: `https://${name}`,
    asked: 0,
    answer: null as (() => Promise<Response>) | null,
    app,
  };
  return witness;
}

type TestWitness = Awaited<ReturnType<typeof witnessOf>>;

/** A store with witnesses, and what a client sees of its checkpoint. */
async function openedWith(names: readonly string[], quorum: number, folder?: string) {
  // The key of the log is known once the store has started; its witnesses learn it then, as from an operator.
  const logs: NoteKey[] = [];
  const witnesses = await Promise.all(names.map((name) => witnessOf(name, logs)));
  const file = join(await mkdtemp(join(tmpdir(), 'svc-witnesses-')), 'witnesses.json');
  const listed = witnesses.map(({ key, url }) => ({ key: formatVerifierKey(key), url }));
  await writeFile(file, JSON.stringify({ quorum, witnesses: listed }));
  const fetch = async (address: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const { host, pathname } = new URL(String(address));
    const witness = witnesses.find(({ key }) => key.name === host);
    if (!witness) throw new TypeError('fetch failed');
    witness.asked += 1;
    return witness.answer ? witness.answer() : witness.app.request(pathname, init);
  };
  const environment = { SVC_WITNESSES: file };
  const store = await openTestStore({ ambient: { fetch }, environment, ...(folder && { folder }) });
  const { publicKeyPem } = await bodyOf(store.call('GET', '/api/apps/public-key'));
  const logKey = noteKey(ORIGIN, createPublicKey(publicKeyPem));
  logs.push(logKey);
  const token = await store.publisherToken('example', true);
  async function publish(version: string) {
    expect((await store.publish(token, { version })).status).toBe(201);
    await store.decide('approve', version);
    await publishLog(store);
  }
  /** The size of the served checkpoint, and who cosigned it, as a client verifies it. */
  async function seen(): Promise<[size: number | undefined, witnesses: string[] | undefined]> {
    const note = await (await store.call('GET', '/checkpoint')).text();
    const opened = openCheckpoint(
      note,
      ORIGIN,
      [logKey],
      witnesses.map(({ key }) => key),
    );
    return [opened?.size, opened?.witnesses.map(({ name }) => name).sort()];
  }
  return { store, witnesses: witnesses as [TestWitness, ...TestWitness[]], publish, seen };
}

const healthOf = async (store: TestStore) => (await bodyOf(store.admin('GET', '/api/admin/health'))).log;

const refused = () => Promise.resolve(new Response('no', { status: 503 }));

describe('a log with witnesses', () => {
  it('is cosigned by each before it is served, also by one that knew it before', async () => {
    const { publish, seen, witnesses, store } = await openedWith(['w1.test', 'w2.test'], 2);
    await publish('1.0.0');
    const [size = 0, names] = await seen();
    expect(names).toEqual(['w1.test', 'w2.test']);
    const { asked } = witnesses[0];
    await store.admin('POST', '/api/apps/com.example.notes/versions/1.0.0/yank', {
      reason: 'It lost notes.',
    });
    await publishLog(store);
    expect(await seen()).toEqual([size + 1, ['w1.test', 'w2.test']]);
    // It knows by now which size the witness has.
    expect(witnesses[0].asked).toBe(asked + 1);
    await publishLog(store);
    expect(witnesses[0].asked).toBe(asked + 1);
  });

  it('is served without those that do not answer, and gets their cosignatures later', async () => {
    const { publish, seen, witnesses, store } = await openedWith(['w1.test', 'w2.test'], 2);
    witnesses[0].answer = () => Promise.reject(new TypeError('fetch failed'));
    await publish('1.0.0');
    const [size, names] = await seen();
    expect(names).toEqual(['w2.test']);
    expect(store.lines.join()).toContain('A witness did not cosign the log.');
    expect(await healthOf(store)).toMatchObject({ size, waiting: 0, cosigned: 1, quorum: 2, fault: null });
    witnesses[0].answer = null;
    const { asked } = witnesses[0];
    await publishLog(store);
    expect(witnesses[0].asked).toBe(asked);
    store.advance(30_000);
    await publishLog(store);
    expect(await seen()).toEqual([size, ['w1.test', 'w2.test']]);
  });

  it.each<[string, () => Promise<Response>]>([
    ['refuses', refused],
    ['answers with something else', async () => new Response('— w1.test AAAAAAAA\n')],
    [
      'answers with a size for ever',
      async () => new Response('1\n', { status: 409, headers: { 'Content-Type': 'text/x.tlog.size' } }),
    ],
    ['answers without end', async () => new Response('x'.repeat(100_000))],
  ])('is served when a witness %s', async (_what, answer) => {
    const { publish, seen, witnesses } = await openedWith(['w1.test'], 1);
    witnesses[0].answer = answer;
    await publish('1.0.0');
    expect((await seen())[1]).toEqual([]);
    expect(witnesses[0].asked).toBeLessThan(20);
  });

  it.each([
    [
      'has a later checkpoint',
      409,
      'text/x.tlog.size',
      '1000\n',
      /A witness has a checkpoint .* with 1000 entries/,
    ],
    ['has another history', 422, 'text/plain', 'no', /The witness w1.test has another history/],
  ])('tells its operator when a witness %s', async (_what, status, type, body, message) => {
    const { publish, witnesses, store } = await openedWith(['w1.test'], 1);
    witnesses[0].answer = async () => new Response(body, { status, headers: { 'Content-Type': type } });
    await publish('1.0.0');
    expect(store.lines.join('\n')).toMatch(message);
    expect((await healthOf(store)).fault).toMatch(message);
    expect(await (await store.admin('GET', '/metrics')).text()).toContain('svc_log_fault 1\n');
  });

  it.each([
    ['{ "quorum": 2, "witnesses": [] }'],
    [`{ "quorum": 2, "witnesses": [{ "key": "KEY", "url": "https://w1.test" }] }`],
    [`{ "quorum": 1, "witnesses": [{ "key": "KEY", "url": "http://w1.test" }] }`],
    [`{ "quorum": 1, "witnesses": [{ "key": "store.test+00000000+x", "url": "https://w1.test" }] }`],
    ['{'],
  ])('cannot have the witnesses %s', async (text) => {
    const key = noteKey('w1.test', createPublicKey(testKey('w').publicKeyPem), SIGNATURE_TYPES.cosignature);
    expect(readVerifierKey(formatVerifierKey(key))).not.toBeNull();
    const file = join(await mkdtemp(join(tmpdir(), 'svc-witnesses-')), 'witnesses.json');
    await writeFile(file, text.replace('KEY', formatVerifierKey(key)));
    await expect(openTestStore({ environment: { SVC_WITNESSES: file } })).rejects.toThrow(/SVC_WITNESSES/);
  });
});
