import { byCodeUnit, ToolRecord } from '@svc/contracts';
import { type JsonValue, signJson, verifyJsonSignature } from './json-signature.ts';
import { type KeyRing, keysFor, type SigningKey } from './keys.ts';

const Signed = ToolRecord.omit({ signature: true, keyId: true });

/** What a tool record says. */
export type RecordedTools = Omit<ToolRecord, 'signature' | 'keyId'>;

const byName = (a: { name: string }, b: { name: string }): number => byCodeUnit(a.name, b.name);

/**
 * Signs which tools the server of a version had. The signed fields are those of no other statement.
 * @throws ZodError when a tool has an unknown field
 */
export function signToolRecord(record: RecordedTools, key: SigningKey): ToolRecord {
  const signed = Signed.parse({ ...record, tools: [...record.tools].sort(byName) });
  return { ...signed, signature: signJson(signed as JsonValue, key), keyId: key.keyId };
}

/** Whether a value is a tool record without unknown fields, signed by the pinned key that it names. */
export function verifyToolRecord(record: unknown, keys: KeyRing): record is ToolRecord {
  const parsed = ToolRecord.safeParse(record);
  if (!parsed.success) return false;
  const { signature, keyId, ...signed } = parsed.data;
  return keysFor(keys, keyId).some((key) => verifyJsonSignature(signed as JsonValue, signature, key));
}
