import { expect, it } from 'vitest';
import { openTestStore } from '../../support/test-store.ts';

it('names a contact for vulnerabilities where the operator has one', async () => {
  const environment = { SVC_SECURITY_CONTACT: 'mailto:security@example.com' };
  const store = await openTestStore({ environment });
  const answer = await store.call('GET', '/.well-known/security.txt');
  expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(await answer.text()).toBe(
    'Contact: mailto:security@example.com\nExpires: 2026-08-28T00:00:00.000Z\nPreferred-Languages: en\nCanonical: https://store.test/.well-known/security.txt\n',
  );
  const silent = await openTestStore();
  expect((await silent.call('GET', '/.well-known/security.txt')).status).toBe(404);
});
