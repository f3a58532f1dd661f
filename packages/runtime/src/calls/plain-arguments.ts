import { canonicalJson, type JsonValue } from '@svc/signing';
import { RuntimeRefusal } from '../platform/refusal.ts';

/** Arguments beside files, as canonical JSON, in bytes. */
const MOST_BYTES = 1024 * 1024;

/**
 * Arguments as they will be sent: a copy that nobody else holds, of nothing but JSON, so that what a person approves is what
 * goes out.
 * @throws RuntimeRefusal `invalid-arguments`, `too-large`
 */
export function plainArguments(given: Readonly<Record<string, unknown>>): { [key: string]: JsonValue } {
  let bytes: Uint8Array;
  try {
    bytes = canonicalJson(given as { [key: string]: JsonValue });
  } catch {
    throw new RuntimeRefusal('invalid-arguments');
  }
  if (bytes.byteLength > MOST_BYTES) throw new RuntimeRefusal('too-large', 'The arguments are too large.');
  return JSON.parse(Buffer.from(bytes).toString());
}
