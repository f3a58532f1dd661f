import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';

/**
 * The cookies of the pages: `session` is the session of a signed-in user; `visit` ties a form to the browser it was sent to, before the
 * user signs in; `ceremony` is a sign-in in progress; `browser` says that an account was used in this browser before.
 */
export type CookieName = 'session' | 'visit' | 'ceremony' | 'browser';

/** With https the name has the prefix that keeps other hosts from setting the cookie (RFC 6265bis section 4.1.3.2). */
const nameOf = (name: CookieName, isSecure: boolean): string => `${isSecure ? '__Host-' : ''}svc-${name}`;

/** Creates functions that read and set the cookies of the pages, with attributes that fit the URL of the store. */
export function createCookies(baseUrl: string) {
  const isSecure = baseUrl.startsWith('https:');
  const options = { path: '/', httpOnly: true, secure: isSecure, sameSite: 'Lax' } as const;
  return {
    get: (c: Context, name: CookieName): string | undefined => getCookie(c, nameOf(name, isSecure)),
    /** Sets a cookie. @param seconds its lifetime; until the browser is closed when omitted */
    set(c: Context, name: CookieName, value: string, seconds?: number): void {
      const attributes = seconds === undefined ? options : { ...options, maxAge: seconds };
      setCookie(c, nameOf(name, isSecure), value, attributes);
    },
    drop: (c: Context, name: CookieName): void => {
      deleteCookie(c, nameOf(name, isSecure), options);
    },
  };
}

export type Cookies = ReturnType<typeof createCookies>;
