import { footprintOf } from '@svc/permissions';
import { sampleManifest } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { factsOf, generateSigningKeyPem, readSigningKey, signFacts } from '../src/index.ts';

const release = {
  appId: 'a.b',
  version: '1.0.0',
  sha256: 'a'.repeat(64),
  publishedAt: '2026-01-01T00:00:00.000Z',
};
const footprint = footprintOf(sampleManifest());

describe('factsOf', () => {
  it('has exactly the seven keys', () => {
    expect(Object.keys(factsOf(release, footprint)).sort()).toEqual([
      'accounts',
      'appId',
      'domains',
      'grants',
      'publishedAt',
      'sha256',
      'version',
    ]);
  });

  it.each([{ sha256: 'A'.repeat(64) }, { sha256: 'short' }, { publishedAt: '2026-01-01' }])(
    'refuses %o',
    (change) => {
      expect(() => factsOf({ ...release, ...change }, footprint)).toThrow();
    },
  );
});

describe('signFacts', () => {
  it('refuses facts with an extra key', () => {
    const key = readSigningKey(generateSigningKeyPem());
    const facts = factsOf(release, footprint);
    expect(() => signFacts({ ...facts, entries: [] } as typeof facts, key)).toThrow();
  });
});
