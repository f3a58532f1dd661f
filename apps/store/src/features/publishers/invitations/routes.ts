import { html } from 'hono/html';
import type { Handlers } from '../../../access/bind-route.ts';
import { type CsrfDeps, csrfTokenFor } from '../../../access/csrf.ts';
import { setRateLimitHeaders } from '../../../access/rate-limit-headers.ts';
import type { Parts } from '../../../domain/parts/parts.ts';
import { type Page, sendPage } from '../../../http/page.ts';
import { acceptInvitation, findInvitation, type OpenInvitation } from './accept.ts';
import { type InviteDeps, invite, revokeInvitation } from './invite.ts';

export type InvitationRouteDeps = Parts & InviteDeps & CsrfDeps;

const PERMISSIONS = {
  member: 'publish and yank its apps',
  owner: 'publish and yank its apps, edit the publisher, and manage its members',
} as const;

const ROLE = { owner: 'an owner', member: 'a member' } as const;

/** The page of an invitation. Users choose their names, so it also shows what they cannot choose: slug and confirmed address. */
function invitationPage({ invitation, publisher, inviter }: OpenInvitation, me: string, csrf: string): Page {
  const { role, expiresAt } = invitation;
  const body = html`<main><form method="post">
    <h1>Join ${publisher.name}?</h1>
    <p>${inviter.name} invites you to this publisher as ${ROLE[role]}. You can then ${PERMISSIONS[role]}.</p>
    <dl>
      <dt>Publisher</dt><dd>${publisher.name} (<code>${publisher.slug}</code>)${publisher.verified ? ', verified' : ', not verified'}</dd>
      ${publisher.website === undefined ? '' : html`<dt>Website</dt><dd>${publisher.website}</dd>`}
      <dt>Invited by</dt><dd>${inviter.name}${inviter.email !== null && inviter.emailVerified ? html`<br>${inviter.email}` : ''}</dd>
      <dt>You</dt><dd>${me}</dd>
      <dt>Valid until</dt><dd>${expiresAt.slice(0, 10)}</dd>
    </dl>
    <input type="hidden" name="csrf" value="${csrf}">
    <button class="main">Accept as ${me}</button>
    <p class="hint">If you do not know the inviter or the publisher, close this page. Nothing changes.</p>
  </form></main>`;
  return { title: `Invitation to ${publisher.slug}`, body, formTargets: [] };
}

const acceptedPage = ({ invitation, publisher }: OpenInvitation): Page => ({
  title: `You joined ${publisher.slug}`,
  body: html`<main><section>
    <h1>You joined ${publisher.name}</h1>
    <p class="done">You are now ${ROLE[invitation.role]} of the publisher <code>${publisher.slug}</code>.</p>
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
