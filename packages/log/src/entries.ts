import { hash } from 'node:crypto';
import { LogEntry, type PublishedEntry, type PublishedExtra, type SignedFacts } from '@svc/contracts';
import { canonicalJson, type JsonValue } from '@svc/signing';
import { sameBytes } from './hashes.ts';

/** Bytes of facts that an entry carries; of longer ones it has the hash. */
const FACTS_BYTES = 32 * 1024;

const sha256 = (bytes: Uint8Array | string): string => hash('sha256', bytes, 'hex');

/** The entry of a published version. */
export function publishedEntry(
  facts: SignedFacts,
  { signature, keyId }: { signature: string; keyId: string },
  { publisher, by }: PublishedExtra,
): PublishedEntry {
  const { appId, version } = facts;
  const bytes = canonicalJson(facts);
  const stated = bytes.length > FACTS_BYTES ? { factsSha256: sha256(bytes) } : { facts };
  return { kind: 'published', publisher, appId, version, ...stated, signature, keyId, by };
}

/** The SHA-256 of the facts of an entry, whether it has them or their hash. */
export const factsHashOf = ({ facts, factsSha256 }: PublishedEntry): string =>
  factsSha256 ?? sha256(canonicalJson(facts ?? null));

/** The SHA-256 of the reason of a yank. */
export const reasonHashOf = (reason: string): string => sha256(reason);

/** The SHA-256 of the canonical JSON of the tools of a record. */
export const toolsHashOf = (tools: readonly unknown[]): string => sha256(canonicalJson(tools as JsonValue));

/** The bytes of an entry: its canonical JSON (RFC 8785). @throws TypeError for text without UTF-8 form */
export const encodeEntry = (entry: LogEntry): Uint8Array => canonicalJson(entry as JsonValue);

/** Reads an entry; null for bytes that are not the canonical JSON of one. */
export function readEntry(bytes: Uint8Array): LogEntry | null {
  try {
    const entry = LogEntry.parse(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)));
    return sameBytes(encodeEntry(entry), bytes) ? entry : null;
  } catch {
    return null;
  }
}
