import type { Invitation, NewInvitation } from '@svc/contracts';
import { html } from 'hono/html';
import { csrfField, formPage } from '../../../http/form.ts';
import { type Page, sendPage } from '../../../http/page.ts';
import { ApiError } from '../../../platform/api-error.ts';
import { consume, type Quota, type Rate, RateLimitError } from '../../../platform/rate.ts';
import { endOf } from '../../../platform/terms.ts';
import type { Handlers } from '../../access/bind-route.ts';
import { setRateLimitHeaders } from '../../access/context.ts';
import { type CsrfDeps, csrfTokenFor } from '../../access/csrf.ts';
import type { PersonCaller } from '../../domain/identity/caller.ts';
import type { InvitationRecord } from '../../domain/identity/invitation-store.ts';
import { postMail } from '../../domain/mail/post-mail.ts';
import type { ChangeParts, Parts, Stores } from '../../domain/parts/parts.ts';
import { requireOwned } from '../lives.ts';
import { presentInvitation } from '../publisher-detail.ts';
import { acceptInvitation, findInvitation, type InvitationLinks, type OpenInvitation } from './accept.ts';

/** The most open invitations, and new ones in an hour: each may send a mail to an address that the owner chose. */
const MAX_OPEN = 50;
const INVITATIONS: Rate = { what: 'invitations', limit: 20, windowMs: 60 * 60_000 };

type InviteDeps = ChangeParts & { invitationLinks: InvitationLinks };

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
async function invite(
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
async function revokeInvitation(
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

export type InvitationRouteDeps = Parts & InviteDeps & CsrfDeps;

const PERMISSIONS = {
  member: 'publish and yank its apps',
  owner: 'publish and yank its apps, edit the publisher, and manage its members',
} as const;

const ROLE = { owner: 'an owner', member: 'a member' } as const;

/** The page of an invitation. Users choose their names, so it also shows what they cannot choose: slug and confirmed address. */
function invitationPage({ invitation, publisher, inviter }: OpenInvitation, me: string, csrf: string): Page {
  const { role, expiresAt } = invitation;
  const form = html`<form method="post">
    <h1>Join ${publisher.name}?</h1>
    <p>${inviter.name} invites you to this publisher as ${ROLE[role]}. You can then ${PERMISSIONS[role]}.</p>
    <dl class="facts">
      <dt>Publisher</dt><dd>${publisher.name} (<code>${publisher.slug}</code>)${publisher.verified ? ', verified' : ', not verified'}</dd>
      ${publisher.website === undefined ? '' : html`<dt>Website</dt><dd>${publisher.website}</dd>`}
      <dt>Invited by</dt><dd>${inviter.name}${inviter.email !== null && inviter.emailVerified ? html`<br>${inviter.email}` : ''}</dd>
      <dt>You</dt><dd>${me}</dd>
      <dt>Valid until</dt><dd>${expiresAt.slice(0, 10)}</dd>
    </dl>
    ${csrfField(csrf)}
    <button class="main">Accept as ${me}</button>
    <p class="hint">If you do not know the inviter or the publisher, close this page. Nothing changes.</p>
  </form>`;
  return formPage(`Invitation to ${publisher.slug}`, form);
}

const acceptedPage = ({ invitation, publisher }: OpenInvitation): Page => ({
  title: `You joined ${publisher.slug}`,
  body: html`<main><section>
    <h1>You joined ${publisher.name}</h1>
    <p class="good">You are now ${ROLE[invitation.role]} of the publisher <code>${publisher.slug}</code>.</p>
    <p>You can publish apps that name this publisher in their <code>plugin.json</code>.</p>
  </section></main>`,
});

/** The routes that create, revoke, show and accept invitations. */
export const invitationRoutes = (deps: InvitationRouteDeps) =>
  ({
    invite: async ({ caller, params, body }, c) => {
      const { invitation, quota } = await invite(deps, caller, params.slug, body);
      setRateLimitHeaders(c, quota);
      return invitation;
    },
    revokeInvitation: ({ caller, params }) => revokeInvitation(deps, caller, params),
    invitationPage: async ({ caller, params }, c) => {
      const { person } = caller;
      const open = await findInvitation(deps, params.link);
      return sendPage(c, invitationPage(open, person.name, csrfTokenFor(deps, c)));
    },
    acceptInvitation: async ({ caller, params }, c) => {
      const accepted = await acceptInvitation(deps, caller, params.link);
      return sendPage(c, acceptedPage(accepted));
    },
  }) satisfies Handlers;
