import { createPublicKey } from 'node:crypto';
import { testKey } from '@svc/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  cosign,
  formatNote,
  formatSignature,
  formatVerifierKey,
  noteKey,
  openNote,
  readNote,
  readSignatures,
  readVerifierKey,
  SIGNATURE_TYPES,
  signNote,
  timeOfCosignature,
} from '../src/index.ts';

const KEY = testKey('a log');
const key = noteKey('store.example', createPublicKey(KEY.publicKeyPem));
const WITNESS = testKey('a witness');
const witness = noteKey('w.example/1', createPublicKey(WITNESS.publicKeyPem), SIGNATURE_TYPES.cosignature);
const TEXT = 'store.example\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n';
const signed = signNote(TEXT, key, KEY.privateKey);
const NOTE = formatNote({ text: TEXT, signatures: [signed] });

/** The example of the text of signed-note. */
const EXAMPLE = {
  vkey: 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k',
  note: 'This is an example message.\n\n— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n',
};

describe('a note', () => {
  it('is that of the specification', () => {
    const known = readVerifierKey(EXAMPLE.vkey);
    expect(known && openNote(EXAMPLE.note, [known])?.text).toBe('This is an example message.\n');
    expect(known && formatVerifierKey(known)).toBe(EXAMPLE.vkey);
    expect(known && openNote(EXAMPLE.note.replace('example m', 'Example m'), [known])).toBeNull();
  });

  it('opens with a known key, and ignores unknown signatures', () => {
    const other = { ...signed, name: 'other.example' };
    expect(openNote(formatNote({ text: TEXT, signatures: [other, signed] }), [key])?.signers).toEqual([key]);
    expect(openNote(formatNote({ text: TEXT, signatures: [other] }), [key])).toBeNull();
    expect(openNote(NOTE, [])).toBeNull();
  });

  it('is refused whole for a known key with a wrong signature', () => {
    const forged = { ...signed, bytes: Buffer.alloc(64) };
    expect(openNote(formatNote({ text: TEXT, signatures: [signed, forged] }), [key])).toBeNull();
  });

  it('separates text and signatures at its last empty line', () => {
    const text = 'one\n\ntwo\n';
    const note = formatNote({ text, signatures: [signNote(text, key, KEY.privateKey)] });
    expect(openNote(note, [key])?.text).toBe(text);
  });

  it.each([
    ['no signature', `${TEXT}\n`],
    ['no line feed at its end', NOTE.slice(0, -1)],
    ['a control character', NOTE.replace('\n0\n', '\n0\t\n')],
    ['a carriage return', NOTE.replaceAll('\n', '\r\n')],
    ['a hyphen for the dash', NOTE.replace('—', '-')],
    ['a plus sign in the name', NOTE.replace('— store', '— st+ore')],
    ['base64 in another spelling', NOTE.replace(/=\n$/, '\n')],
    ['a lone surrogate', NOTE.replace('store', 'st\ud800re')],
  ])('is not read with %s', (_what, note) => expect(readNote(note)).toBeNull());

  it('is not opened after any change of a character', () => {
    fc.assert(
      fc.property(fc.nat({ max: NOTE.length - 1 }), fc.string({ minLength: 1, maxLength: 1 }), (at, char) => {
        fc.pre(NOTE[at] !== char);
        expect(openNote(NOTE.slice(0, at) + char + NOTE.slice(at + 1), [key])).toBeNull();
      }),
      { numRuns: 500 },
    );
  });

  it('has keys with the id of their name, type and bytes only', () => {
    const vkey = formatVerifierKey(key);
    expect(readVerifierKey(vkey)?.keyId).toBe(key.keyId);
    for (const wrong of [
      vkey.replace('store', 'other'),
      vkey.replace('+', '+0'),
      `${vkey}=`,
      '',
      'store.example',
      formatVerifierKey({ ...key, type: 0x04 }),
    ])
      expect(readVerifierKey(wrong)).toBeNull();
    expect(() => noteKey('a b', key.publicKey)).toThrow(TypeError);
  });
});

describe('a cosignature', () => {
  const cosigned = cosign(TEXT, 1_750_000_000, witness, WITNESS.privateKey);

  it('verifies with its time, and no other', () => {
    const open = (bytes: Uint8Array) =>
      openNote(formatNote({ text: TEXT, signatures: [{ ...cosigned, bytes }] }), [witness]);
    expect(open(cosigned.bytes)?.signers).toEqual([witness]);
    expect(timeOfCosignature(cosigned)).toBe(1_750_000_000);
    const later = Buffer.from(cosigned.bytes);
    later.writeBigUInt64BE(1_750_000_001n);
    expect(open(later)).toBeNull();
    later.writeBigUInt64BE(2n ** 63n);
    expect(open(later)).toBeNull();
    expect(open(cosigned.bytes.subarray(8))).toBeNull();
  });

  it('is no signature of a log, and none of a log is a cosignature', () => {
    const asLog = noteKey(witness.name, witness.publicKey);
    expect(asLog.keyId).not.toBe(witness.keyId);
    const renamed = { ...cosigned, keyId: asLog.keyId, bytes: cosigned.bytes.subarray(8) };
    expect(openNote(formatNote({ text: TEXT, signatures: [renamed] }), [asLog])).toBeNull();
  });

  it('is what a witness answers, line by line', () => {
    const line = formatSignature(cosigned);
    expect(readSignatures(line + line)).toHaveLength(2);
    for (const wrong of ['', '\n', line.slice(0, -1), `${line}\n`, `x${line}`])
      expect(readSignatures(wrong)).toBeNull();
  });
});
