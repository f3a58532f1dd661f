import { createPublicKey } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  appendEntries,
  EMPTY_EDGE,
  EMPTY_ROOT,
  formatCheckpoint,
  formatNote,
  formatVerifierKey,
  formatWitnessRequest,
  noteKey,
  openCheckpoint,
  rootOfEdge,
  SIGNATURE_TYPES,
  signNote,
} from '@svc/log';
import { testKey } from '@svc/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  createWitnessApp,
  openWitnessState,
  witnessCommand,
} from '../../../src/composition/commands/witness.ts';
import { readSettings } from '../../../src/composition/settings.ts';

const ORIGIN = 'store.example';
const LOG = testKey('a log');
const COSIGNER = testKey('a witness');
const logKey = noteKey(ORIGIN, createPublicKey(LOG.publicKeyPem));
const key = noteKey('w.example', createPublicKey(COSIGNER.publicKeyPem), SIGNATURE_TYPES.cosignature);
const WITNESS = { key, privateKey: COSIGNER.privateKey, logs: [logKey] };
const clock = () => new Date('2026-01-01T00:00:00.000Z');

/** The first checkpoint of one of two histories. */
function firstOf(history: string): { body: string; checkpoint: string } {
  const root = rootOfEdge(appendEntries(EMPTY_EDGE, [Buffer.from(history)]).edge) ?? EMPTY_ROOT;
  const text = formatCheckpoint({ origin: ORIGIN, size: 1, root });
  const checkpoint = formatNote({ text, signatures: [signNote(text, logKey, LOG.privateKey)] });
  return { body: formatWitnessRequest({ old: 0, proof: [], checkpoint }), checkpoint };
}

const folderOf = () => mkdtemp(join(tmpdir(), 'svc-witness-'));

async function opened(file?: string) {
  const state = openWitnessState(file ?? join(await folderOf(), 'cosigned.sqlite'));
  onTestFinished(() => state.close());
  const app = createWitnessApp(WITNESS, state, clock);
  const post = (body: string) => app.request('/add-checkpoint', { method: 'POST', body });
  return { app, post, state };
}

describe('svc-store witness', () => {
  it('answers with its cosignature, and says its key', async () => {
    const { app, post } = await opened();
    const { body, checkpoint } = firstOf('one');
    const answer = await post(body);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    const note = checkpoint + (await answer.text());
    expect(openCheckpoint(note, ORIGIN, [logKey], [key])?.witnesses).toEqual([key]);
    expect(await (await app.request('/')).text()).toBe(`${formatVerifierKey(key)}\n`);
    expect((await post('x'.repeat(100_000))).status).toBe(413);
    expect((await app.request('/add-checkpoint')).status).toBe(404);
  });

  it('cosigns one of two histories, also after a restart and in two processes', async () => {
    const file = join(await folderOf(), 'cosigned.sqlite');
    const [one, two] = [await opened(file), await opened(file)];
    const answers = await Promise.all([one.post(firstOf('one').body), two.post(firstOf('two').body)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const again = await opened(file);
    for (const history of ['one', 'two']) {
      const answer = await again.post(firstOf(history).body);
      expect([answer.status, await answer.text()]).toEqual([409, '1\n']);
    }
  });

  it('answers nothing that it could not keep', async () => {
    const { app, state } = await opened();
    state.close();
    const answer = await app.request('/add-checkpoint', { method: 'POST', body: firstOf('one').body });
    expect(answer.status).toBe(500);
  });

  it.each([
    ['{', /cannot be used/],
    ['{"name":"w.example","logs":["x"]}', /x is not the verifier key of a log/],
    [`{"name":"w.example","logs":["${formatVerifierKey(key)}"]}`, /is not the verifier key of a log/],
    [`{"name":"has spaces","logs":["${formatVerifierKey(logKey)}"]}`, /no spaces/],
    ['{"name":"w.example","logs":[]}', /it must be/],
  ])('refuses the file %s', async (text, message) => {
    const folder = await folderOf();
    const file = join(folder, 'witness.json');
    await writeFile(file, text);
    const settings = readSettings({ SVC_DATA_DIR: folder });
    const log = { info() {}, warn() {}, error() {} };
    const system = { clock, log, newId: () => 'x' } as unknown as Parameters<typeof witnessCommand.run>[2];
    await expect(witnessCommand.run({ operands: [file], options: {} }, settings, system)).rejects.toThrow(
      message,
    );
  });
});
