import { canonicalJson, type JsonValue } from '@svc/signing';
import { RuntimeError } from '../platform/runtime-error.ts';

/** Maximum size of the arguments without files, in bytes of canonical JSON. */
const MAX_BYTES = 1024 * 1024;

/**
 * Copies arguments as plain JSON, so that the sent arguments are those that the user approved.
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
