import { createPublicKey } from 'node:crypto';
import { testKey } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import {
  claimedOrigin,
  cosign,
  EMPTY_ROOT,
  formatCheckpoint,
  formatNote,
  leafHash,
  noteKey,
  openCheckpoint,
  readCheckpoint,
  SIGNATURE_TYPES,
  signNote,
} from '../src/index.ts';

const LOG = testKey('a log');
const logKey = noteKey('store.example', createPublicKey(LOG.publicKeyPem));
const WITNESS = testKey('a witness');
const witnessKey = noteKey('w.example', createPublicKey(WITNESS.publicKeyPem), SIGNATURE_TYPES.cosignature);
const root = leafHash(Buffer.from('one'));
const TEXT = formatCheckpoint({ origin: 'store.example', size: 1, root });

describe('a checkpoint', () => {
  it('is read as it was written, with further lines or without', () => {
    expect(readCheckpoint(TEXT)).toMatchObject({ origin: 'store.example', size: 1 });
    expect(readCheckpoint(`${TEXT}more\n`)?.root).toEqual(Buffer.from(root));
  });

  it.each([
    ['an empty origin', TEXT.replace('store.example', '')],
    ['a size with a zero before it', TEXT.replace('\n1\n', '\n01\n')],
    ['a size with a sign', TEXT.replace('\n1\n', '\n+1\n')],
    ['a size over 2^53', TEXT.replace('\n1\n', '\n9007199254740993\n')],
    ['a short root', TEXT.replace(/[^\n]{4}\n$/, '\n')],
    ['an empty further line', `${TEXT}\nmore\n`],
    ['no end', TEXT.slice(0, -1)],
    ['a root of the empty tree that is another', TEXT.replace('\n1\n', '\n0\n')],
    ['nothing', ''],
  ])('is not read with %s', (_what, text) => expect(readCheckpoint(text)).toBeNull());

  it('opens with the key and the origin of its log, and names known witnesses', () => {
    const signatures = [
      signNote(TEXT, logKey, LOG.privateKey),
      cosign(TEXT, 1_750_000_000, witnessKey, WITNESS.privateKey),
    ];
    const note = formatNote({ text: TEXT, signatures });
    expect(openCheckpoint(note, 'store.example', [logKey], [witnessKey])).toMatchObject({
      size: 1,
      witnesses: [witnessKey],
    });
    expect(openCheckpoint(note, 'store.example', [logKey])?.witnesses).toEqual([]);
    expect(openCheckpoint(note, 'other.example', [logKey])).toBeNull();
    const cosignedOnly = formatNote({ text: TEXT, signatures: signatures.slice(1) });
    expect(openCheckpoint(cosignedOnly, 'store.example', [logKey], [witnessKey])).toBeNull();
    expect(claimedOrigin(note)).toBe('store.example');
    expect(claimedOrigin('x')).toBeNull();
    expect(formatCheckpoint({ origin: 'a', size: 0, root: EMPTY_ROOT })).toMatch(/^a\n0\n47DEQ/);
  });
});
