import {
  formatSignature,
  formatWitnessRequest,
  type NoteKey,
  openCheckpoint,
  readCount,
  readSignatures,
  SIZE_TYPE,
} from '@svc/log';
import { bytesOf } from '@svc/runtime/read-answer';
import type { Parts } from '../../core/domain/parts/parts.ts';
import type { OwnLog } from './own-log.ts';

/** A witness: its verifier key, and the address before `/add-checkpoint`. */
type WitnessAddress = { key: NoteKey; url: string };

/** The witnesses of the log, and how many of them clients may demand. */
export type Witnesses = { quorum: number; witnesses: readonly WitnessAddress[] };

export type CosignDeps = Pick<Parts, 'clock' | 'log'> & {
  fetch: typeof globalThis.fetch;
  witnesses: Witnesses | null;
  own(): OwnLog;
  /** Proves that the log continues one of an older size. */
  consistency(old: number, size: number): Promise<readonly Uint8Array[]>;
  /** Called with the size of a checkpoint that a witness has, and the log does not. */
  onAhead(size: number): Promise<void>;
  /** Called when a witness has another history of the log. */
  onFork(witness: string): void;
};

/** How long a witness has to answer, in milliseconds; a checkpoint waits for its quorum no longer. */
const ANSWER_MS = 2_000;
const ANSWER_BYTES = 16 * 1024;

/** How long a witness that did not cosign is left alone, in milliseconds. */
const PAUSE_MS = 30_000;

/** Requests to one witness for one checkpoint: the first may have a wrong old size, the second another process may overtake. */
const TRIES = 3;

const STATUS = { ok: 200, conflict: 409, inconsistent: 422 };

type Submitted = { note: string; size: number };

/** Asks the witnesses of a log to cosign its checkpoints (c2sp.org/tlog-witness). */
export function createCosigner(deps: CosignDeps) {
  const { clock, log, fetch, own } = deps;
  const { quorum, witnesses } = deps.witnesses ?? { quorum: 0, witnesses: [] };
  /** The size that each witness cosigned last, as far as this process knows. */
  const sizes = new Map<WitnessAddress, number>();
  const paused = new Map<WitnessAddress, number>();

  const cosignersOf = (note: string): readonly NoteKey[] => {
    const { origin, all } = own();
    return (
      openCheckpoint(
        note,
        origin,
        all,
        witnesses.map(({ key }) => key),
      )?.witnesses ?? []
    );
  };

  /** The line by which a witness cosigned; null when the answer has none. */
  function lineIn(answer: string, { key }: WitnessAddress, note: string): string | null {
    const signatures = readSignatures(answer) ?? [];
    const line = signatures.find(({ name, keyId }) => name === key.name && keyId === key.keyId);
    const text = line && formatSignature(line);
    return text && cosignersOf(note + text).includes(key) ? text : null;
  }

  async function post(witness: WitnessAddress, old: number, { note, size }: Submitted) {
    const proof = await deps.consistency(old, size);
    const answer = await fetch(`${witness.url}/add-checkpoint`, {
      method: 'POST',
      body: formatWitnessRequest({ old, proof, checkpoint: note }),
      redirect: 'error',
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    const text = (await bytesOf(answer, ANSWER_BYTES)).toString('utf8');
    return { status: answer.status, type: answer.headers.get('content-type') ?? '', text };
  }

  /** @throws when the answer has no cosignature of the checkpoint */
  function taken(witness: WitnessAddress, answer: string, { note, size }: Submitted): string {
    const line = lineIn(answer, witness, note);
    if (line === null) throw new Error('its answer has no valid cosignature');
    sizes.set(witness, size);
    return line;
  }

  /** The size that a witness has cosigned before. @throws for any other refusal */
  function sizeIn(witness: WitnessAddress, { status, type, text }: Awaited<ReturnType<typeof post>>): number {
    const isConflict = status === STATUS.conflict;
    const size = isConflict && type === SIZE_TYPE ? readCount(text.replace(/\n$/, '')) : null;
    if (size !== null) {
      sizes.set(witness, size);
      return size;
    }
    if (isConflict || status === STATUS.inconsistent) deps.onFork(witness.key.name);
    throw new Error(`it answers HTTP ${status}`);
  }

  /** @returns its line; null when it has a later checkpoint @throws with why it does not cosign */
  async function ask(witness: WitnessAddress, submitted: Submitted): Promise<string | null> {
    let old = sizes.get(witness) ?? 0;
    for (let n = 0; n < TRIES; n += 1) {
      const answer = await post(witness, Math.min(old, submitted.size), submitted);
      if (answer.status === STATUS.ok) return taken(witness, answer.text, submitted);
      old = sizeIn(witness, answer);
      if (old <= submitted.size) continue;
      await deps.onAhead(old);
      return null;
    }
    throw new Error('it has another size each time');
  }

  /** Asks a witness; one that does not answer is left alone for a while. */
  async function cosignatureOf(witness: WitnessAddress, submitted: Submitted): Promise<string | null> {
    try {
      return await ask(witness, submitted);
    } catch (err) {
      paused.set(witness, clock().getTime() + PAUSE_MS);
      log.warn({ err, witness: witness.key.name }, 'A witness did not cosign the log.');
      return null;
    }
  }

  /** The witnesses to ask for a checkpoint: those that have not cosigned it, and are not left alone. */
  function missingIn(note: string): WitnessAddress[] {
    if (witnesses.length === 0) return [];
    const signed = cosignersOf(note);
    const now = clock().getTime();
    return witnesses.filter((one) => {
      const until = paused.get(one) ?? 0;
      // A clock that was set back must not silence a witness.
      return !signed.includes(one.key) && (now >= until || until - now > PAUSE_MS);
    });
  }

  return {
    /** Whether a checkpoint lacks cosignatures that can be asked for now. */
    isMissing: (note: string): boolean => missingIn(note).length > 0,
    /** How many witnesses cosigned a checkpoint, and how many clients may demand. */
    countOf: (note: string): { cosigned: number; quorum: number } => ({
      cosigned: witnesses.length === 0 ? 0 : cosignersOf(note).length,
      quorum,
    }),
    /** Adds the cosignatures that the witnesses give within two seconds. */
    async cosigned(note: string, size: number): Promise<string> {
      const asked = missingIn(note).map((witness) => cosignatureOf(witness, { note, size }));
      const lines = await Promise.all(asked);
      return note + lines.filter((line) => line !== null).join('');
    },
  };
}

export type Cosigner = ReturnType<typeof createCosigner>;
