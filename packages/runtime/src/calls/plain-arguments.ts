import { canonicalJson, type JsonValue } from '@svc/signing';
import { RuntimeError } from '../platform/runtime-error.ts';

/** Arguments beside files, as canonical JSON, in bytes. */
const MAX_BYTES = 1024 * 1024;

/**
 * Arguments as they will be sent: a copy that nobody else holds, of nothing but JSON, so that what a person approves is what
 * goes out.
 * @throws RuntimeError `invalid-arguments`, `too-large`
 */
export function plainArguments(given: Readonly<Record<string, unknown>>): { [key: string]: JsonValue } {
  let bytes: Uint8Array;
  try {
    bytes = canonicalJson(given as { [key: string]: JsonValue });
  } catch {
    throw new RuntimeError('invalid-arguments');
  }
  if (bytes.byteLength > MAX_BYTES) throw new RuntimeError('too-large', 'The arguments are too large.');
  return JSON.parse(Buffer.from(bytes).toString());
}
