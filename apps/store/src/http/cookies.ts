import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';

/**
 * The cookies of the pages: `session` is who is signed in; `visit` ties a form to the browser it was sent to, before
 * anybody is; `ceremony` is a sign-in under way.
 */
export type CookieName = 'session' | 'visit' | 'ceremony';

/** Only https carries the prefix that keeps other hosts from setting a cookie of that name (RFC 6265bis section 4.1.3.2). */
const nameOf = (name: CookieName, isSecure: boolean): string => `${isSecure ? '__Host-' : ''}svc-${name}`;

/** Reads and sets the cookies of the pages, as the address of the store demands. */
export function createCookies(baseUrl: string) {
  const isSecure = baseUrl.startsWith('https:');
  const options = { path: '/', httpOnly: true, secure: isSecure, sameSite: 'Lax' } as const;
  return {
    get: (c: Context, name: CookieName): string | undefined => getCookie(c, nameOf(name, isSecure)),
    /** @param seconds how long the browser keeps it; until it is closed when left out */
    set(c: Context, name: CookieName, value: string, seconds?: number): void {
      const kept = seconds === undefined ? options : { ...options, maxAge: seconds };
      setCookie(c, nameOf(name, isSecure), value, kept);
    },
    drop: (c: Context, name: CookieName): void => {
      deleteCookie(c, nameOf(name, isSecure), options);
    },
  };
}

export type Cookies = ReturnType<typeof createCookies>;
