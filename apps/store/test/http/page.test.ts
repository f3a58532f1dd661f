import { describe, expect, it } from 'vitest';
import { browserAt, signUpAt } from '../support/browser.ts';
import { openTestStore } from '../support/test-store.ts';

const policyOf = (answer: Response) =>
  new Map(
    (answer.headers.get('content-security-policy') ?? '').split('; ').map((directive) => {
      const [name = '', ...values] = directive.split(' ');
      return [name, values.join(' ')];
    }),
  );

describe('a page', () => {
  it.each(['/sign-in', '/sign-up', '/account', '/setup?key=x', '/reset?key=x'])(
    'cannot be framed, loads only resources of the store, and is not cached: %s',
    async (path) => {
      const store = await openTestStore();
      const browser = await signUpAt(store);
      const answer = await browser.open(path);
      const policy = policyOf(answer);
      expect(policy.get('default-src')).toBe("'none'");
      expect(policy.get('frame-ancestors')).toBe("'none'");
      expect(policy.get('base-uri')).toBe("'none'");
      expect(policy.get('style-src')).toBe("'self'");
      expect(policy.get('script-src') ?? "'self'").toBe("'self'");
      expect(policy.get('form-action')).toMatch(/^'(self|none)'$/);
      expect(answer.headers.get('x-frame-options')).toBe('DENY');
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.headers.get('access-control-allow-origin')).toBeNull();
      expect(answer.headers.get('referrer-policy')).toMatch(/^(same-origin|no-referrer)$/);
    },
  );

  it('has its own script and those of the header, all served by the store', async () => {
    const store = await openTestStore();
    const page = await (await browserAt(store).open('/sign-in')).text();
    const scripts = [...page.matchAll(/<script[^>]*>/g)].map(([tag]) => tag);
    expect(scripts).toHaveLength(3);
    for (const tag of scripts) {
      const [, src = ''] = /src="(\/assets\/[^"]+)"/.exec(tag) ?? [];
      const script = await store.call('GET', src);
      expect([script.status, script.headers.get('content-type')]).toEqual([
        200,
        'text/javascript; charset=utf-8',
      ]);
      expect(script.headers.get('cache-control')).toContain('immutable');
    }
    expect(page).not.toMatch(/ on\w+=/);
  });

  it('escapes the parameter next', async () => {
    const store = await openTestStore();
    const attack = '"><img src=x onerror=alert(1)>';
    const page = await (await browserAt(store).open(`/sign-in?next=${encodeURIComponent(attack)}`)).text();
    expect(page).not.toContain('<img src=x');
    expect(page).toContain('&quot;&gt;&lt;img');
  });
});
