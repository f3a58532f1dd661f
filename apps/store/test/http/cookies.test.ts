import { describe, expect, it } from 'vitest';
import { signInAt, signUpAt } from '../support/browser.ts';
import { openTestStore } from '../support/test-store.ts';

describe('the cookies of the pages', () => {
  it('are limited to this host and https, and are not readable by scripts', async () => {
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

  it('have no __Host- prefix and no Secure without https', async () => {
    const store = await openTestStore({ environment: { SVC_BASE_URL: 'http://localhost:8787' } });
    const page = await store.call('GET', '/sign-in');
    expect(page.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^svc-visit=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/),
    ]);
  });

  it('are ignored without the __Host- prefix, as other hosts could set them', async () => {
    const store = await openTestStore();
    const { cookie } = await store.signedIn('anna');
    const headers = { cookie: cookie.replace('__Host-', '') };
    expect((await store.call('GET', '/api/people/me', { headers })).status).toBe(401);
  });
});
