import { createPublicKey } from 'node:crypto';
import { testKey } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import {
  appendEntries,
  base64Of,
  decideAsWitness,
  EMPTY_EDGE,
  EMPTY_ROOT,
  formatCheckpoint,
  formatNote,
  formatWitnessRequest,
  type Head,
  noteKey,
  openCheckpoint,
  planConsistency,
  readTiles,
  rootOfEdge,
  SIGNATURE_TYPES,
  signNote,
  tilePath,
} from '../src/index.ts';

const ORIGIN = 'store.example';
const LOG = testKey('a log');
const OTHER = testKey('another log');
const COSIGNER = testKey('a witness');
const logKey = noteKey(ORIGIN, createPublicKey(LOG.publicKeyPem));
const witnessKey = noteKey('w.example', createPublicKey(COSIGNER.publicKeyPem), SIGNATURE_TYPES.cosignature);
const WITNESS = { key: witnessKey, privateKey: COSIGNER.privateKey, logs: [logKey] };

const entriesOf = (size: number, history = '') =>
  Array.from({ length: size }, (_, n) => Buffer.from(`${n}${n > 2 ? history : ''}`));

const headOf = (size: number, history?: string): Head => ({
  size,
  root: rootOfEdge(appendEntries(EMPTY_EDGE, entriesOf(size, history)).edge) ?? EMPTY_ROOT,
});

function checkpointOf(head: Head, { origin = ORIGIN, key = LOG } = {}): string {
  const text = formatCheckpoint({ origin, ...head });
  const signer = noteKey(origin, createPublicKey(key.publicKeyPem));
  return formatNote({ text, signatures: [signNote(text, signer, key.privateKey)] });
}

function proofOf(old: number, size: number): Uint8Array[] {
  const { tiles } = appendEntries(EMPTY_EDGE, entriesOf(size));
  const bytes = new Map(tiles.map(({ tile, bytes: own }) => [tilePath(tile), own]));
  return planConsistency(old, size).hashes(readTiles(bytes, size));
}

const request = (
  old: number,
  head: Head,
  options: { proof?: Uint8Array[] } & Parameters<typeof checkpointOf>[1] = {},
) =>
  formatWitnessRequest({
    old,
    proof: options.proof ?? (old <= head.size ? proofOf(old, head.size) : []),
    checkpoint: checkpointOf(head, options),
  });

const decide = (body: string, last: Head | null) => decideAsWitness(body, WITNESS, () => last, 1_750_000_000);

describe('a witness', () => {
  it.each([
    ['the first checkpoint', 0, 3, null],
    ['a longer one', 3, 7, headOf(3)],
    ['the same one again', 7, 7, headOf(7)],
    ['the empty log', 0, 0, null],
  ])('cosigns %s', (_what, old, size, last) => {
    const { answer, cosigned } = decide(request(old, headOf(size)), last);
    expect([answer.status, cosigned]).toEqual([200, { origin: ORIGIN, ...headOf(size) }]);
    const note = checkpointOf(headOf(size)) + answer.body;
    expect(openCheckpoint(note, ORIGIN, [logKey], [witnessKey])?.witnesses).toEqual([witnessKey]);
  });

  it.each<[string, string, Head | null, number]>([
    ['what is no request', 'old x\n\n', null, 400],
    ['an old size beyond the checkpoint', request(8, headOf(7)), headOf(8), 400],
    ['a log that it does not watch', request(0, headOf(3), { origin: 'other.example' }), null, 404],
    ['a checkpoint of another key', request(0, headOf(3), { key: OTHER }), null, 403],
    ['another history', request(5, headOf(7, 'x')), headOf(5), 422],
    ['another history of the same size', request(7, headOf(7, 'x')), headOf(7), 422],
    ['a proof that is cut', request(3, headOf(7), { proof: proofOf(3, 7).slice(1) }), headOf(3), 422],
    ['a proof from nothing', request(0, headOf(7), { proof: proofOf(3, 7) }), null, 422],
  ])('refuses %s', (_what, body, last, status) => {
    const { answer, cosigned } = decide(body, last);
    expect([answer.status, cosigned]).toEqual([status, null]);
  });

  it.each([
    ['a wrong old size', 3, 7, headOf(5), '5\n'],
    ['a log that is shorter than before', 3, 3, headOf(5), '5\n'],
    ['a log that it sees for the first time', 3, 7, null, '0\n'],
  ])('names the size that it knows for %s', (_what, old, size, last, body) => {
    const { answer, cosigned } = decide(request(old, headOf(size)), last);
    expect([answer, cosigned]).toEqual([{ status: 409, type: 'text/x.tlog.size', body }, null]);
  });

  it('reads what it is sent as hostile', () => {
    const good = request(3, headOf(7));
    for (let at = 0; at < good.length; at += 3) {
      const { answer } = decide(good.slice(0, at), headOf(3));
      expect(answer.status).toBeGreaterThanOrEqual(400);
    }
    expect(base64Of(headOf(0).root)).toBe(base64Of(EMPTY_ROOT));
  });
});
