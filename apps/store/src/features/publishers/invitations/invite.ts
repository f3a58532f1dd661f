import type { Invitation, NewInvitation } from '@svc/contracts';
import type { PersonCaller } from '../../../domain/identity/caller.ts';
import type { InvitationRecord } from '../../../domain/identity/invitation-store.ts';
import { postMail } from '../../../domain/mail/post-mail.ts';
import type { ChangeParts, Stores } from '../../../domain/parts/parts.ts';
import { ApiError } from '../../../platform/api-error.ts';
import { consume, type Quota, type Rate, RateLimitError } from '../../../platform/rate.ts';
import { endOf } from '../../../platform/terms.ts';
import { requireOwned } from '../owner.ts';
import { presentInvitation } from '../publisher-detail.ts';
import type { InvitationLinks } from './link.ts';

/** The most open invitations, and new ones in an hour: each may send a mail to an address that the owner chose. */
const MAX_OPEN = 50;
const INVITATIONS: Rate = { what: 'invitations', limit: 20, windowMs: 60 * 60_000 };

export type InviteDeps = ChangeParts & { invitationLinks: InvitationLinks };

async function requireBelowLimit({ invitations }: Stores, slug: string, now: Date): Promise<void> {
  const open = await invitations.openOf(slug, now.toISOString());
  const [oldest] = open;
  if (!oldest || open.length < MAX_OPEN) return;
  const windowSeconds = Math.ceil((Date.parse(oldest.expiresAt) - Date.parse(oldest.createdAt)) / 1000);
  const resetSeconds = Math.ceil((Date.parse(oldest.expiresAt) - now.getTime()) / 1000);
  throw new RateLimitError(
    { name: 'open invitations', limit: MAX_OPEN, windowSeconds, remaining: 0, resetSeconds },
    `${MAX_OPEN} invitations are open: revoke some, or wait for them to expire.`,
  );
}

/**
 * Invites a person to a publisher. The response contains the link for the invited person.
 * @throws ApiError not_a_member, forbidden, publisher_suspended, rate_limited
 */
export async function invite(
  deps: InviteDeps,
  caller: PersonCaller,
  slug: string,
  { email, role }: NewInvitation,
): Promise<{ invitation: Invitation; quota: Quota }> {
  return deps.unitOfWork(async (stores) => {
    await requireOwned(stores, caller, slug, 'invite');
    const now = deps.clock();
    await requireBelowLimit(stores, slug, now);
    const quota = await consume({ ...deps, ...stores }, INVITATIONS, `invite ${slug}`);
    const record: InvitationRecord = {
      id: deps.newId(),
      publisher: slug,
      role,
      email: email ?? null,
      invitedBy: caller.person.id,
      createdAt: now.toISOString(),
      expiresAt: endOf('invitations.expires_at', now),
    };
    await stores.invitations.add(record);
    const detail = { invitation: record.id, role, ...(email !== undefined && { email }) };
    await stores.audit.add(caller, record.createdAt, {
      action: 'invitation.create',
      publisher: slug,
      detail,
    });
    if (email !== undefined) {
      await postMail(deps, stores, email, { kind: 'invitation', detail: { invitation: record.id } }, slug);
    }
    return {
      invitation: presentInvitation(record, caller.person, deps.invitationLinks.url(record.id)),
      quota,
    };
  });
}

/**
 * Revokes an invitation.
 * @throws ApiError not_a_member, forbidden, not_found
 */
export async function revokeInvitation(
  deps: InviteDeps,
  caller: PersonCaller,
  { slug, id }: { slug: string; id: string },
): Promise<Invitation> {
  return deps.unitOfWork(async (stores) => {
    await requireOwned(stores, caller, slug, 'revokeInvitation');
    const record = await stores.invitations.find(id);
    if (record?.publisher !== slug || !(await stores.invitations.remove(id))) {
      throw new ApiError('not_found', `The publisher ${slug} has no such invitation.`);
    }
    const event = { action: 'invitation.revoke', publisher: slug, detail: { invitation: id } } as const;
    await stores.audit.add(caller, deps.clock().toISOString(), event);
    return presentInvitation(record, (await stores.people.find(record.invitedBy)) ?? undefined, null);
  });
}
