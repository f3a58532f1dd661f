import { describe, expect, it } from 'vitest';
import {
  generateSigningKeyPem,
  keyRing,
  readSigningKey,
  signFile,
  signJson,
  verifyFile,
} from '../src/index.ts';

const AT = '2026-11-01T00:00:00.000Z';

describe('the statement of a file', () => {
  it('is of one name, one content and one key', () => {
    const [key, other] = [
      readSigningKey(generateSigningKeyPem()),
      readSigningKey(generateSigningKeyPem()),
    ] as const;
    const bytes = Buffer.from('{}');
    const statement = signFile('a.json', bytes, AT, key);
    const keys = keyRing([key]);
    expect(verifyFile('a.json', bytes, statement, keys)).toBe(true);
    expect(verifyFile('b.json', bytes, statement, keys)).toBe(false);
    expect(verifyFile('a.json', Buffer.from('[]'), statement, keys)).toBe(false);
    expect(verifyFile('a.json', bytes, statement, keyRing([other]))).toBe(false);
    expect(verifyFile('a.json', bytes, { ...statement, signedAt: '2027-11-01T00:00:00.000Z' }, keys)).toBe(
      false,
    );
    expect(verifyFile('a.json', bytes, { ...statement, extra: 1 }, keys)).toBe(false);
    const { sha256, keyId } = statement;
    const foreign = {
      file: 'a.json',
      sha256,
      signedAt: AT,
      signature: signJson({ sha256, signedAt: AT }, key),
      keyId,
    };
    expect(verifyFile('a.json', bytes, foreign, keys)).toBe(false);
  });
});
