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
