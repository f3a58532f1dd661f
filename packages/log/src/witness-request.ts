import { base64Of, hashOfBase64, readCount } from './hashes.ts';

/** What a log sends to a witness (tlog-witness, "add-checkpoint"). */
export type WitnessRequest = {
  /** The size that the witness cosigned last. */
  old: number;
  proof: readonly Uint8Array[];
  /** The checkpoint, as a signed note. */
  checkpoint: string;
};

const HASHES = 63;

/** Formats the body of `add-checkpoint`. */
export const formatWitnessRequest = ({ old, proof, checkpoint }: WitnessRequest): string =>
  [`old ${old}`, ...proof.map(base64Of), '', checkpoint].join('\n');

/** Parses the body of `add-checkpoint`; null when it is malformed. */
export function readWitnessRequest(body: string): WitnessRequest | null {
  const end = body.indexOf('\n\n');
  if (end < 0) return null;
  const [oldLine = '', ...lines] = body.slice(0, end).split('\n');
  const old = oldLine.startsWith('old ') ? readCount(oldLine.slice('old '.length)) : null;
  const proof = lines.map(hashOfBase64);
  if (old === null || lines.length > HASHES || !proof.every((hash) => hash !== null)) return null;
  return { old, proof, checkpoint: body.slice(end + 2) };
}
