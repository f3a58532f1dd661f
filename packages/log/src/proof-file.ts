import { base64Of, bytesOfBase64, hashOfBase64, readCount } from './hashes.ts';

/** A proof that an entry is in a log, which can be verified offline (tlog-proof). None of it is trusted before it is verified. */
export type ProofFile = {
  /** Data of the application, which nothing authenticates by itself. */
  extra: Uint8Array | null;
  index: number;
  hashes: readonly Uint8Array[];
  /** The checkpoint, as a signed note. */
  checkpoint: string;
};

const HEADER = 'c2sp.org/tlog-proof@v1';

/** Hashes of a proof at most: one for each level of a tree of 2^53 entries, which is more than a number here can count. */
const HASHES = 63;

/** Formats a proof. */
export const formatProofFile = ({ extra, index, hashes, checkpoint }: ProofFile): string =>
  [
    HEADER,
    ...(extra ? [`extra ${base64Of(extra)}`] : []),
    `index ${index}`,
    ...hashes.map(base64Of),
    '',
    checkpoint,
  ].join('\n');

/** Parses a proof; null when it is malformed. */
export function readProofFile(text: string): ProofFile | null {
  const end = text.indexOf('\n\n');
  if (end < 0) return null;
  const [header, ...lines] = text.slice(0, end).split('\n');
  const extraLine = lines[0]?.startsWith('extra ') ? lines.shift() : undefined;
  const extra = extraLine === undefined ? null : bytesOfBase64(extraLine.slice('extra '.length));
  const indexLine = lines.shift() ?? '';
  const index = indexLine.startsWith('index ') ? readCount(indexLine.slice('index '.length)) : null;
  const hashes = lines.map(hashOfBase64);
  if (header !== HEADER || index === null || lines.length > HASHES) return null;
  if ((extraLine !== undefined && extra === null) || !hashes.every((hash) => hash !== null)) return null;
  return { extra, index, hashes, checkpoint: text.slice(end + 2) };
}
