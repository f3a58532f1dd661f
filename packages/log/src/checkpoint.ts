import { base64Of, EMPTY_ROOT, hashOfBase64, readCount, sameBytes } from './hashes.ts';
import { type NoteKey, openNote, readNote, SIGNATURE_TYPES } from './note.ts';

/** What a log says of its tree (tlog-checkpoint). */
export type Checkpoint = { origin: string; size: number; root: Uint8Array };

/** Formats the text of a checkpoint, without signatures. */
export const formatCheckpoint = ({ origin, size, root }: Checkpoint): string =>
  `${origin}\n${size}\n${base64Of(root)}\n`;

/**
 * Parses the text of a checkpoint, which may have further lines that are not empty.
 * @returns null when it is malformed, or says of the empty tree another root than its own
 */
export function readCheckpoint(text: string): Checkpoint | null {
  const [origin = '', count = '', hash = '', ...rest] = text.split('\n');
  const size = readCount(count);
  const root = hashOfBase64(hash);
  // The last line ends with a line feed, so that the split ends with an empty part.
  const isClosed = rest.at(-1) === '' && rest.slice(0, -1).every((line) => line !== '');
  if (origin === '' || size === null || !root || !isClosed) return null;
  if (size === 0 && !sameBytes(root, EMPTY_ROOT)) return null;
  return { origin, size, root };
}

/** A verified checkpoint, its note as it was received, and the witnesses that cosigned it. */
export type OpenedCheckpoint = Checkpoint & { note: string; witnesses: readonly NoteKey[] };

/**
 * Verifies a checkpoint: it has the origin, and a signature of a key of the log. Cosignatures of witnesses are verified where they are of
 * known ones, and named in the result.
 * @param note untrusted
 * @returns null when it is malformed, forged, of another origin, or not signed by the log
 */
export function openCheckpoint(
  note: string,
  origin: string,
  logKeys: readonly NoteKey[],
  witnessKeys: readonly NoteKey[] = [],
): OpenedCheckpoint | null {
  const opened = openNote(note, [...logKeys, ...witnessKeys]);
  const checkpoint = opened && readCheckpoint(opened.text);
  if (!checkpoint || checkpoint.origin !== origin) return null;
  if (!opened.signers.some((signer) => logKeys.includes(signer))) return null;
  const witnesses = opened.signers.filter(
    (signer) => witnessKeys.includes(signer) && signer.type === SIGNATURE_TYPES.cosignature,
  );
  return { ...checkpoint, note, witnesses };
}

/** The origin that a note claims, before anything of it is verified; null when it is no checkpoint. */
export const claimedOrigin = (note: string): string | null =>
  readCheckpoint(readNote(note)?.text ?? '')?.origin ?? null;
