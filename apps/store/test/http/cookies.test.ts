import { describe, expect, it } from 'vitest';
import { signInAt, signUpAt } from '../support/browser.ts';
import { openTestStore } from '../support/test-store.ts';

describe('the cookies of the pages', () => {
  it('are for this host alone, over https alone, and for no script', async () => {
    const store = await openTestStore();
    const page = await store.call('GET', '/sign-in');
    expect(page.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Host-svc-visit=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax$/),
    ]);
    await signUpAt(store);
    const { answer } = await signInAt(store);
    for (const line of answer.headers.getSetCookie()) {
      expect(line).toMatch(/^__Host-svc-/);
      expect(line).toMatch(/Path=\/; HttpOnly; Secure; SameSite=Lax$/);
      expect(line).not.toMatch(/Domain/i);
    }
  });

  it('go without what only https can keep where the store has none', async () => {
    const store = await openTestStore({ environment: { SVC_BASE_URL: 'http://localhost:8787' } });
    const page = await store.call('GET', '/sign-in');
    expect(page.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^svc-visit=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/),
    ]);
  });

  it('of a name without the prefix, which other hosts could set, are not read', async () => {
    const store = await openTestStore();
    const { cookie } = await store.signedIn('anna');
    const headers = { cookie: cookie.replace('__Host-', '') };
    expect((await store.call('GET', '/api/people/me', { headers })).status).toBe(401);
  });
});
