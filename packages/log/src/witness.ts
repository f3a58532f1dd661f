import type { KeyObject } from 'node:crypto';
import { claimedOrigin, openCheckpoint } from './checkpoint.ts';
import { EMPTY_ROOT } from './hashes.ts';
import { cosign, formatSignature, type NoteKey, readNote } from './note.ts';
import { type Head, verifyConsistency } from './tree.ts';
import { readWitnessRequest } from './witness-request.ts';

/** A witness: its own key (type 4), and the keys of the logs that it watches, whose names are their origins. */
export type Witness = { key: NoteKey; privateKey: KeyObject; logs: readonly NoteKey[] };

/** The answer of a witness, as HTTP has it (tlog-witness, "add-checkpoint"). */
export type WitnessAnswer = { status: number; type: string; body: string };

/** What a witness does with a request: it keeps `cosigned` before it answers. */
export type WitnessVerdict = { answer: WitnessAnswer; cosigned: ({ origin: string } & Head) | null };

const TEXT = 'text/plain; charset=utf-8';

/** The content type of the size of the last cosigned checkpoint. */
export const SIZE_TYPE = 'text/x.tlog.size';

const refuse = (status: number, message: string): WitnessVerdict => ({
  answer: { status, type: TEXT, body: `${message}\n` },
  cosigned: null,
});

const conflict = (size: number): WitnessVerdict => ({
  answer: { status: 409, type: SIZE_TYPE, body: `${size}\n` },
  cosigned: null,
});

/**
 * Decides on a checkpoint that a log submits: it is cosigned when it continues the last one that was (c2sp.org/tlog-witness). Two requests
 * for one log must not be decided at the same time.
 * @param body untrusted
 * @param lastOf the last checkpoint of an origin that was cosigned; null before the first
 * @param time seconds since the epoch
 */
export function decideAsWitness(
  body: string,
  { key, privateKey, logs }: Witness,
  lastOf: (origin: string) => Head | null,
  time: number,
): WitnessVerdict {
  const request = readWitnessRequest(body);
  const origin = request && claimedOrigin(request.checkpoint);
  if (!request || origin === null) return refuse(400, 'This is not a request to cosign a checkpoint.');
  const keys = logs.filter(({ name }) => name === origin);
  if (keys.length === 0) return refuse(404, 'This witness does not watch the log.');
  const opened = openCheckpoint(request.checkpoint, origin, keys);
  const note = readNote(request.checkpoint);
  if (!opened || !note) return refuse(403, 'The checkpoint is not signed with a known key of the log.');
  const { size, root } = opened;
  if (request.old > size) return refuse(400, 'The old size is larger than the checkpoint.');
  const last = lastOf(origin) ?? { size: 0, root: EMPTY_ROOT };
  if (request.old !== last.size) return conflict(last.size);
  if (!verifyConsistency(last, opened, request.proof))
    return refuse(422, `The checkpoint does not continue the one of size ${last.size}.`);
  const signature = cosign(note.text, time, key, privateKey);
  const answer = { status: 200, type: TEXT, body: formatSignature(signature) };
  return { answer, cosigned: { origin, size, root } };
}
