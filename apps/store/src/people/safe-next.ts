/** Where people come to after signing in when they wanted nothing else. */
export const ACCOUNT = '/account';

const ELSEWHERE = 'https://this.invalid';

/**
 * The path of this store that a link asks to go on to; the account when it asks for anything else. Browsers read `\` as `/`
 * and skip tabs and line ends (URL standard, "basic URL parser"), so that it is read as they do and judged by the result.
 */
export function safeNext(next: string | undefined): string {
  if (next === undefined || !/^\/(?![/\\])/.test(next) || !URL.canParse(next, ELSEWHERE)) return ACCOUNT;
  const { origin, pathname, search, hash } = new URL(next, ELSEWHERE);
  // `/.//host` is a path that begins with two slashes once its dot is resolved.
  return origin === ELSEWHERE && !pathname.startsWith('//') ? pathname + search + hash : ACCOUNT;
}
