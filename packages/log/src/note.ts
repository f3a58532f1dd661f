import { createPublicKey, hash, type KeyObject, sign, verify } from 'node:crypto';
import { base64Of, bytesOfBase64 } from './hashes.ts';

/** The signature types of notes that are used here (signed-note, "Signature types"). */
export const SIGNATURE_TYPES = { ed25519: 0x01, cosignature: 0x04 } as const;

type SignatureType = (typeof SIGNATURE_TYPES)[keyof typeof SIGNATURE_TYPES];

/** A line with a signature: who signed, and the bytes, whose form depends on the type of the key. */
export type NoteSignature = { name: string; keyId: number; bytes: Uint8Array };

/** A note: its text, which ends with a line feed, and its signatures. None of it is trusted before a signature is verified. */
export type Note = { text: string; signatures: readonly NoteSignature[] };

/** A public key of a signer of notes. */
export type NoteKey = { name: string; keyId: number; type: SignatureType; publicKey: KeyObject };

const ID_BYTES = 4;
const KEY_BYTES = 32;
const DASH = '\u2014 ';

/** Bytes of a note that are read at most. A checkpoint has some hundred; 16 signatures must be accepted. */
const NOTE_BYTES = 32 * 1024;
const SIGNATURES = 64;

/** Key names have no spaces and no plus signs (signed-note, "Format"). */
export const isKeyName = (name: string): boolean =>
  name !== '' && name.isWellFormed() && !/[\s\u0085+]/u.test(name) && !hasControls(name);

const hasControls = (text: string): boolean => [...text].some((char) => char < ' ' && char !== '\n');

/** The raw bytes of an Ed25519 public key (RFC 8032): the last ones of its SPKI form (RFC 8410). */
export const rawKeyOf = (publicKey: KeyObject): Uint8Array =>
  publicKey.export({ type: 'spki', format: 'der' }).subarray(-KEY_BYTES);

const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/** The id of a key: the first four bytes of `SHA-256(name || 0x0A || type || public key)`, as a number. */
export function keyIdOf(name: string, type: number, rawKey: Uint8Array): number {
  const bytes = Buffer.concat([Buffer.from(`${name}\n`), new Uint8Array([type]), rawKey]);
  return hash('sha256', bytes, 'buffer').readUInt32BE();
}

/** The key of a name. @throws TypeError when the name cannot be one of a key, or the key is not Ed25519 */
export function noteKey(
  name: string,
  publicKey: KeyObject,
  type: SignatureType = SIGNATURE_TYPES.ed25519,
): NoteKey {
  if (!isKeyName(name)) throw new TypeError('A key name has no spaces, control characters and plus signs.');
  if (publicKey.asymmetricKeyType !== 'ed25519') throw new TypeError('The key must be Ed25519.');
  return { name, type, publicKey, keyId: keyIdOf(name, type, rawKeyOf(publicKey)) };
}

const hexOf = (keyId: number): string => keyId.toString(16).padStart(8, '0');

/** Formats a verifier key: `name+id+base64(type || key)` (signed-note, "Verifier keys"). */
export const formatVerifierKey = ({ name, keyId, type, publicKey }: NoteKey): string =>
  `${name}+${hexOf(keyId)}+${base64Of(Buffer.concat([new Uint8Array([type]), rawKeyOf(publicKey)]))}`;

/** Parses a verifier key of Ed25519, of a log (type 1) or of a witness (type 4); null for anything else. */
export function readVerifierKey(vkey: string): NoteKey | null {
  const [, name = '', id = '', encoded = ''] = /^([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/.exec(vkey) ?? [];
  const bytes = bytesOfBase64(encoded);
  const type = bytes?.[0];
  if (!bytes || bytes.length !== 1 + KEY_BYTES || !isKeyName(name)) return null;
  if (type !== SIGNATURE_TYPES.ed25519 && type !== SIGNATURE_TYPES.cosignature) return null;
  const rawKey = bytes.subarray(1);
  const keyId = keyIdOf(name, type, rawKey);
  if (hexOf(keyId) !== id) return null;
  const der = Buffer.concat([SPKI_PREFIX, rawKey]);
  return { name, keyId, type, publicKey: createPublicKey({ key: der, format: 'der', type: 'spki' }) };
}

const readSignature = (line: string): NoteSignature | null => {
  const [, name = '', encoded = ''] = /^\u2014 ([^ ]+) ([A-Za-z0-9+/=]+)$/u.exec(line) ?? [];
  const bytes = bytesOfBase64(encoded);
  if (!isKeyName(name) || !bytes || bytes.length <= ID_BYTES) return null;
  return { name, keyId: Buffer.from(bytes).readUInt32BE(), bytes: bytes.subarray(ID_BYTES) };
};

/** Parses lines with signatures, as a witness answers them; null when one is malformed, or there is none. */
export function readSignatures(lines: string): NoteSignature[] | null {
  if (!lines.endsWith('\n')) return null;
  const rows = lines.slice(0, -1).split('\n');
  if (rows.length > SIGNATURES) return null;
  const signatures = rows.map(readSignature);
  return signatures.every((signature) => signature !== null) ? signatures : null;
}

/** Parses a note (signed-note, "Format"); null when it is malformed. The last empty line separates the text from the signatures. */
export function readNote(note: string): Note | null {
  if (note.length > NOTE_BYTES || !note.isWellFormed() || hasControls(note)) return null;
  const split = note.lastIndexOf('\n\n');
  if (split < 0) return null;
  const signatures = readSignatures(note.slice(split + 2));
  return signatures && { text: note.slice(0, split + 1), signatures };
}

export const formatSignature = ({ name, keyId, bytes }: NoteSignature): string => {
  const id = Buffer.alloc(ID_BYTES);
  id.writeUInt32BE(keyId);
  return `${DASH}${name} ${base64Of(Buffer.concat([id, bytes]))}\n`;
};

/** Formats a note. @param note its text must end with a line feed */
export const formatNote = ({ text, signatures }: Note): string =>
  `${text}\n${signatures.map(formatSignature).join('')}`;

/** Signs the text of a note with Ed25519. */
export const signNote = (
  text: string,
  { name, keyId }: Pick<NoteKey, 'name' | 'keyId'>,
  privateKey: KeyObject,
): NoteSignature => ({ name, keyId, bytes: sign(null, Buffer.from(text), privateKey) });

const SIGNATURE_BYTES = 64;
const TIME_BYTES = 8;

/** The message that a cosignature signs (tlog-cosignature, "Ed25519 signed message"). @param time in seconds since the epoch */
const cosignedMessage = (text: string, time: bigint): Buffer =>
  Buffer.from(`cosignature/v1\ntime ${time}\n${text}`);

/** Cosigns a checkpoint as a witness. @param time in seconds since the epoch */
export function cosign(
  text: string,
  time: number,
  { name, keyId }: Pick<NoteKey, 'name' | 'keyId'>,
  privateKey: KeyObject,
): NoteSignature {
  const seconds = BigInt(time);
  const stamp = Buffer.alloc(TIME_BYTES);
  stamp.writeBigUInt64BE(seconds);
  const signature = sign(null, cosignedMessage(text, seconds), privateKey);
  return { name, keyId, bytes: Buffer.concat([stamp, signature]) };
}

/** Whether a signature of a note is of a key. The time of a cosignature is part of what it signs. */
function isSignedBy(text: string, bytes: Uint8Array, { type, publicKey }: NoteKey): boolean {
  if (type === SIGNATURE_TYPES.ed25519)
    return bytes.length === SIGNATURE_BYTES && verify(null, Buffer.from(text), publicKey, bytes);
  if (bytes.length !== TIME_BYTES + SIGNATURE_BYTES) return false;
  const time = Buffer.from(bytes).readBigUInt64BE();
  if (time > 2n ** 63n - 1n) return false;
  return verify(null, cosignedMessage(text, time), publicKey, bytes.subarray(TIME_BYTES));
}

/** A verified note: its text, and the keys that signed it. */
export type OpenedNote = { text: string; signers: readonly NoteKey[] };

/**
 * Verifies a note. Signatures of unknown keys are ignored; a signature under the name and id of a known key that does not verify refuses
 * the whole note (signed-note, "Signatures").
 * @returns null when it is malformed, forged, or signed by none of the keys
 */
export function openNote(note: string, keys: readonly NoteKey[]): OpenedNote | null {
  const read = readNote(note);
  if (!read) return null;
  const signers = new Set<NoteKey>();
  for (const { name, keyId, bytes } of read.signatures) {
    const key = keys.find((known) => known.name === name && known.keyId === keyId);
    if (!key) continue;
    if (!isSignedBy(read.text, bytes, key)) return null;
    signers.add(key);
  }
  return signers.size > 0 ? { text: read.text, signers: [...signers] } : null;
}

/** The time of a cosignature, in seconds since the epoch; null for another signature. */
export const timeOfCosignature = ({ bytes }: NoteSignature): number | null =>
  bytes.length === TIME_BYTES + SIGNATURE_BYTES ? Number(Buffer.from(bytes).readBigUInt64BE()) : null;
