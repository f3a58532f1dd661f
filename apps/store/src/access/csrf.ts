import type { Context } from 'hono';
import type { Cookies } from '../http/cookies.ts';
import { ApiError } from '../platform/api-error.ts';
import { hashSecret, newSecret, sameSecret } from '../platform/secret.ts';
import type { RandomBytes } from '../platform/system.ts';
import type { Env } from './context.ts';

export type ForgeryDeps = { baseUrl: string; cookies: Cookies; random: RandomBytes };

/** Name of the header that carries the token of a script's request. */
export const CSRF_HEADER = 'X-Svc-Csrf';

/** What a page must know to act: it follows from a cookie that other sites cannot read, and gives nothing of it away. */
const tokenOf = (secret: string): string => hashSecret(`csrf ${secret}`);

/**
 * The token that a page sends along with what changes something. A visitor without a session gets a cookie for it.
 */
export function csrfTokenFor({ cookies, random }: ForgeryDeps, c: Context<Env>): string {
  const known = cookies.get(c, 'session') ?? cookies.get(c, 'visit');
  if (known !== undefined) return tokenOf(known);
  const secret = newSecret(random);
  cookies.set(c, 'visit', secret);
  return tokenOf(secret);
}

/**
 * Refuses what another site sent in the name of the person at the browser: it must come from a page of the store, by the
 * browser's own word (Fetch standard, "Origin header"), and bring the token that only such a page knows.
 * @param token what came along, of a form or a header
 * @throws ApiError forbidden
 */
export function verifyCsrf(
  { baseUrl, cookies }: ForgeryDeps,
  c: Context<Env>,
  token: string | undefined,
): void {
  const origin = c.req.header('origin');
  const isForeign = origin !== undefined && origin !== new URL(baseUrl).origin;
  const secret = cookies.get(c, 'session') ?? cookies.get(c, 'visit');
  const isOurs = secret !== undefined && sameSecret(tokenOf(secret), token ?? '');
  if (!isForeign && isOurs) return;
  throw new ApiError(
    'forbidden',
    'This did not come from a page of the store, or the page was open for too long: load it again, and try once more.',
  );
}
