import { describe, expect, it } from 'vitest';
import { requireUnreserved } from '../../../src/features/publishers/reserved.ts';

const RESERVED = ['Acme Corp', 'Müller'];

describe('a reserved name', () => {
  it.each([
    'svc',
    'svc-official',
    'the-svc-team',
    's-v-c',
    '5vc',
    '5vc-team',
    'acme-corp',
    'acmecorp',
    'my-acme-corp',
    'acrne-corp',
    'a-crnecorp',
  ])('is detected in the slug %s', (slug) => {
    expect(() => requireUnreserved(RESERVED, { slug })).toThrow(/slug contains a reserved name/);
  });

  it.each(['SVC', 'Apps by svc', 'ѕvс', 'Ａcme corp', 'The Acme Corp.', 'MÜLLER', 'Muller & Sons'])(
    'is detected in the name %s',
    (name) => {
      expect(() => requireUnreserved(RESERVED, { name })).toThrow(/name contains a reserved name/);
    },
  );

  it.each(['svcteam', 'corp-acme', 'acme', 'mysvc', 'services'])('is not detected in the slug %s', (slug) => {
    expect(() => requireUnreserved(RESERVED, { slug, name: 'Something else' })).not.toThrow();
  });
});
