import type { Context } from 'hono';
import type { Cookies } from '../../http/cookies.ts';
import { ApiError } from '../../platform/api-error.ts';
import { hashSecret, newSecret, sameSecret } from '../../platform/secret.ts';
import type { Parts } from '../domain/parts/parts.ts';
import type { Env } from './context.ts';

export type CsrfDeps = Pick<Parts, 'baseUrl' | 'random'> & { cookies: Cookies };

/** Name of the header that carries the token of a script's request. */
export const CSRF_HEADER = 'X-Svc-Csrf';

/** Derives the CSRF token from a cookie that other sites cannot read, without revealing the cookie. */
const tokenOf = (secret: string): string => hashSecret(`csrf ${secret}`);

/**
 * The CSRF token that a page sends with each change. A visitor without a session gets a cookie for it.
 */
export function csrfTokenFor({ cookies, random }: CsrfDeps, c: Context<Env>): string {
  const known = cookies.get(c, 'session') ?? cookies.get(c, 'visit');
  if (known !== undefined) return tokenOf(known);
  const secret = newSecret(random);
  cookies.set(c, 'visit', secret);
  return tokenOf(secret);
}

/**
 * Refuses a cross-site request: it must come from a page of the store, according to the browser (Fetch standard, "Origin header"), and
 * include the token that only such a page knows.
 * @param token the token in the form or in the header of the request
 * @throws ApiError forbidden
 */
export function verifyCsrf({ baseUrl, cookies }: CsrfDeps, c: Context<Env>, token: string | undefined): void {
  const origin = c.req.header('origin');
  const isForeign = origin !== undefined && origin !== new URL(baseUrl).origin;
  const secret = cookies.get(c, 'session') ?? cookies.get(c, 'visit');
  const isOurs = secret !== undefined && sameSecret(tokenOf(secret), token ?? '');
  if (!isForeign && isOurs) return;
  throw new ApiError(
    'forbidden',
    'The request did not come from a page of the store, or the page was open for too long: reload the page and try again.',
  );
}
