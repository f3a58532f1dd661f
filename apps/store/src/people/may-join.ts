import type { AccessRuleBook } from '../domain/identity/access-rules.ts';
import { ApiError } from '../platform/api-error.ts';
import { safeNext } from './safe-next.ts';

export type JoinDeps = {
  accessRules: Pick<AccessRuleBook, 'now'>;
  /** Whether the last part of a path, after `/invitations/`, is an invitation that can still be accepted. */
  isInvitation(link: string): Promise<boolean>;
  /** Whether a key is that of the setup link, and no one has used it yet. */
  isSetupKey(key: string): Promise<boolean>;
};

const INVITATIONS = '/invitations/';

/**
 * Whether a visitor may make an account. The one who sets the store up may, and so may who comes to accept an invitation, unless only
 * administrators make accounts.
 * @param next where the visitor wants to go on to
 */
export async function mayJoin(deps: JoinDeps, next: string | undefined): Promise<boolean> {
  const { signUp } = deps.accessRules.now();
  if (signUp === 'open') return true;
  const { pathname, searchParams } = new URL(safeNext(next), 'https://this.invalid');
  if (pathname === '/setup') return deps.isSetupKey(searchParams.get('key') ?? '');
  if (signUp === 'closed' || !pathname.startsWith(INVITATIONS)) return false;
  return deps.isInvitation(pathname.slice(INVITATIONS.length));
}

/** What a visitor is told who may not make an account. */
export const mayNotJoin = (): ApiError =>
  new ApiError(
    'forbidden',
    'This store makes no account for you: ask one of its administrators for one, or open the link of your invitation again.',
  );
