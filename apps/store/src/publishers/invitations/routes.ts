import { html } from 'hono/html';
import type { RouteHandler } from '../../access/bind-route.ts';
import { csrfTokenFor, type ForgeryDeps } from '../../access/csrf.ts';
import { setRateLimitHeaders } from '../../access/rate-limit-headers.ts';
import { personOf } from '../../access/signed-in.ts';
import type { InvitationStore } from '../../domain/identity/invitation-store.ts';
import { type Page, sendPage } from '../../http/page.ts';
import type { OwnerStores } from '../owner.ts';
import { type AcceptDeps, acceptInvitation, findInvitation, type OpenInvitation } from './accept.ts';
import { type InviteDeps, invite, revokeInvitation } from './invite.ts';

export type InvitationRouteDeps = InviteDeps &
  AcceptDeps &
  OwnerStores &
  ForgeryDeps & { invitations: InvitationStore };

const MAY = {
  member: 'publish and withdraw its apps',
  owner: 'publish and withdraw its apps, change it, and say who its members are',
} as const;

const AS = { owner: 'an owner', member: 'a member' } as const;

/** Who invites, to what, as what. Names are the choice of those who have them, so what nobody chooses stands beside them. */
function invitationPage({ invitation, publisher, inviter }: OpenInvitation, me: string, csrf: string): Page {
  const { role, expiresAt } = invitation;
  const body = html`<main><form method="post">
    <h1>Act for ${publisher.name}?</h1>
    <p>${inviter.name} invites you to act for this publisher as ${AS[role]}. You may then ${MAY[role]}.</p>
    <dl>
      <dt>Publisher</dt><dd>${publisher.name} (<code>${publisher.slug}</code>)${publisher.verified ? ', verified' : ', not verified'}</dd>
      ${publisher.website === undefined ? '' : html`<dt>Website</dt><dd>${publisher.website}</dd>`}
      <dt>Invited by</dt><dd>${inviter.name}${inviter.email !== null && inviter.emailVerified ? html`<br>${inviter.email}` : ''}</dd>
      <dt>You</dt><dd>${me}</dd>
      <dt>Open until</dt><dd>${expiresAt.slice(0, 10)}</dd>
    </dl>
    <input type="hidden" name="csrf" value="${csrf}">
    <button class="main">Accept as ${me}</button>
    <p class="hint">If you do not know these people, close this page: nothing happens then.</p>
  </form></main>`;
  return { title: `Invitation to ${publisher.slug}`, body, formTargets: [] };
}

const acceptedPage = ({ invitation, publisher }: OpenInvitation): Page => ({
  title: `You act for ${publisher.slug}`,
  body: html`<main><section>
    <h1>You act for ${publisher.name}</h1>
    <p class="done">You are ${AS[invitation.role]} of the publisher <code>${publisher.slug}</code> now.</p>
    <p>Apps of yours that name it in <code>plugin.json</code> can be published from here on.</p>
  </section></main>`,
});

/** Inviting people to act for a publisher, and what they see of it. */
export const invitationRoutes = (deps: InvitationRouteDeps) => ({
  invite: (async (c, { params, body }) => {
    const { invitation, quota } = await invite(deps, personOf(c), params.slug, body);
    setRateLimitHeaders(c, quota);
    return c.json(invitation, 201);
  }) satisfies RouteHandler<'invite'>,
  revokeInvitation: (async (c, { params }) =>
    c.json(await revokeInvitation(deps, personOf(c), params))) satisfies RouteHandler<'revokeInvitation'>,
  invitationPage: (async (c, { params }) => {
    const { person } = personOf(c);
    const open = await findInvitation(deps, params.link);
    return sendPage(c, invitationPage(open, person.name, csrfTokenFor(deps, c)));
  }) satisfies RouteHandler<'invitationPage'>,
  acceptInvitation: (async (c, { params }) => {
    const accepted = await acceptInvitation(deps, personOf(c), params.link);
    return sendPage(c, acceptedPage(accepted));
  }) satisfies RouteHandler<'acceptInvitation'>,
});
