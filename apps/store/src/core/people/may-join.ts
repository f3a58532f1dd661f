import { ApiError } from '../../platform/api-error.ts';
import type { PeopleParts } from './people-parts.ts';
import { isSetupKey } from './sign-up.ts';

/** Where a sign-in continues by default. */
export const ACCOUNT = '/account';

const ELSEWHERE = 'https://this.invalid';

/**
 * The path of this store at which to continue; the account page for any other address. Browsers read `\` as `/` and skip tabs and
 * line ends (URL standard, "basic URL parser"), so the address is parsed in the same way and the result is checked.
 */
export function safeNext(next: string | undefined): string {
  if (next === undefined || !/^\/(?![/\\])/.test(next) || !URL.canParse(next, ELSEWHERE)) return ACCOUNT;
  const { origin, pathname, search, hash } = new URL(next, ELSEWHERE);
  // `/.//host` becomes a path that begins with two slashes when its dot is resolved.
  return origin === ELSEWHERE && !pathname.startsWith('//') ? pathname + search + hash : ACCOUNT;
}

const INVITATIONS = '/invitations/';

/**
 * Whether a visitor may create an account. A visitor with the setup link always may; one with an invitation may unless sign-up is
 * `closed`.
 * @param next the address to continue to after signing in
 */
export async function mayJoin(deps: PeopleParts, next: string | undefined): Promise<boolean> {
  const { signUp } = deps.accessRules.now();
  if (signUp === 'open') return true;
  const { pathname, searchParams } = new URL(safeNext(next), 'https://this.invalid');
  if (pathname === '/setup') return isSetupKey(deps, deps.people, searchParams.get('key') ?? '');
  if (signUp === 'closed' || !pathname.startsWith(INVITATIONS)) return false;
  return deps.isInvitation(pathname.slice(INVITATIONS.length));
}

/** The refusal of a visitor who may not create an account. */
export const mayNotJoin = (): ApiError =>
  new ApiError(
    'forbidden',
    'Sign-up is restricted in this store: ask an administrator for an account, or open the link of your invitation again.',
  );
