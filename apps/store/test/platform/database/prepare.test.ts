import { sampleBundle } from '@svc/testkit';
import { anyText } from '@svc/testkit/any-text';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { storable } from '../../../src/platform/database/prepare.ts';
import { bodyOf, openTestStore } from '../../support/test-store.ts';

it('changes only U+0000', () => {
  fc.assert(
    fc.property(fc.oneof(anyText(), fc.integer(), fc.constant(null)), (value) => {
      const kept = storable(value);
      if (typeof value === 'string') expect(kept).toBe(value.split('\0').join('\uFFFD'));
      else expect(kept).toBe(value);
    }),
  );
});

it('accepts U+0000 in a README and a changelog, and shows U+FFFD instead', async () => {
  const store = await openTestStore();
  const token = await store.publisherToken();
  const files = { 'README.md': 'before\0after', 'CHANGELOG.md': '\0' };
  expect((await store.upload(token, sampleBundle({}, files))).status).toBe(201);
  expect((await store.decide('approve', '1.0.0')).status).toBe(200);
  const detail = await bodyOf(store.call('GET', '/api/apps/com.example.notes'));
  expect(detail).toMatchObject({ readme: 'before\uFFFDafter', versions: [{ changelog: '\uFFFD' }] });
});

it.each([
  ['/api/apps/com%00example', 404],
  ['/api/apps/com.example.notes%00/versions/1.0.0%00/bundle', 404],
  ['/api/apps/com.example.notes/versions/1.0.0/files/%00', 404],
  ['/api/apps/catalog?q=%00', 200],
  ['/api/apps/catalog?q=notes%00', 200],
])('finds nothing at %s, without an error', async (path, status) => {
  const store = await openTestStore();
  const answer = await store.call('GET', path);
  expect(answer.status).toBe(status);
  if (status === 200) expect(await bodyOf(answer)).toMatchObject({ apps: [], total: 0 });
});
