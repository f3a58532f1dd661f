import { describe, expect, it } from 'vitest';
import {
  generateSigningKeyPem,
  keyRing,
  readSigningKey,
  signJson,
  signManaged,
  verifyManaged,
} from '../src/index.ts';

const AT = '2026-11-01T00:00:00.000Z';
const LATER = '2026-11-02T00:00:00.000Z';

describe('managed settings', () => {
  it('are of one content, two times and one key', () => {
    const [key, other] = [
      readSigningKey(generateSigningKeyPem()),
      readSigningKey(generateSigningKeyPem()),
    ] as const;
    const statement = signManaged({ managed: { exportChats: false }, changedAt: AT }, LATER, key);
    const keys = keyRing([key]);
    expect(verifyManaged(statement, keys)).toBe(true);
    expect(verifyManaged(statement, keyRing([other]))).toBe(false);
    for (const forged of [
      { managed: {} },
      { managed: { exportChats: true } },
      { changedAt: LATER },
      { signedAt: AT },
      { keyId: other.keyId },
      { managed: null },
    ])
      expect([forged, verifyManaged({ ...statement, ...forged }, keys)]).toEqual([forged, false]);
    const signature = signJson({ changedAt: AT, signedAt: LATER }, key);
    expect(verifyManaged({ ...statement, signature }, keys)).toBe(false);
  });

  it('keep the settings that a client does not know under their signature', () => {
    const key = readSigningKey(generateSigningKeyPem());
    const statement = signManaged({ managed: { later: [1, { a: null }] }, changedAt: AT }, AT, key);
    expect(verifyManaged(JSON.parse(JSON.stringify(statement)), keyRing([key]))).toBe(true);
  });
});
