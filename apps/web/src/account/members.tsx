import type { Invitation, MemberRole, PublisherDetail } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { ConfirmButton, day, ErrorMessage, Field } from '@svc/ui';
import { visit } from '../address.ts';
import { type Act, ActButton } from './acts.tsx';
import { Card, RoleField, Secret, textOf } from './parts.tsx';
import { useChange, useSignedIn } from './use-store.ts';

/** Invites a user, in a dialog that shows the link once it is there. */
function useInvite({ slug, name }: PublisherDetail): Act {
  const invite = useChange((json: { email?: string; role: MemberRole }) =>
    apiRequest('POST /api/publishers/:slug/invitations', { params: { slug }, json }),
  );
  return {
    label: 'Invite a member',
    title: `Invite a member to ${name}`,
    yes: 'Invite',
    tone: 'main',
    effect: 'The first user who accepts the link gets the role. It works once.',
    notice: 'The person whose email address you enter, by mail. Without one, you send the link yourself.',
    fields: (
      <>
        <Field label="Email" hint="Optional." name="email" type="email" />
        <RoleField />
      </>
    ),
    send: (data) => {
      const email = textOf(data, 'email');
      return invite.mutateAsync({ role: textOf(data, 'role') as MemberRole, ...(email && { email }) });
    },
    shows: (answer) => (
      <Secret
        label="Invitation link. It works once, for the first user who accepts it:"
        text={(answer as Invitation).url ?? ''}
      />
    ),
  };
}

function Invitations({ slug, invitations }: { slug: string; invitations: readonly Invitation[] }) {
  const revoke = useChange((id: string) =>
    apiRequest('DELETE /api/publishers/:slug/invitations/:id', { params: { slug, id } }),
  );
  if (invitations.length === 0) return null;
  return (
    <>
      <h3>Pending invitations</h3>
      <ul className="rows">
        {invitations.map(({ id, email, role, invitedBy, expiresAt, url }) => (
          <li key={id}>
            <div>
              {email ?? 'Anyone with the link'} <span className="badge">{role}</span>
              <p className="soft">
                invited by {invitedBy}, expires {day(expiresAt)}
              </p>
              {url === undefined ? null : (
                <details>
                  <summary>Show the link</summary>
                  <code>{url}</code>
                </details>
              )}
            </div>
            <ConfirmButton label="Revoke" sure="Revoke this invitation?" act={() => revoke.mutate(id)} />
          </li>
        ))}
      </ul>
      <ErrorMessage error={revoke.error} />
    </>
  );
}

/** The members of a publisher, and its pending invitations. */
export function Members({ publisher }: { publisher: PublisherDetail }) {
  const { slug, role, members, invitations } = publisher;
  const me = useSignedIn();
  const isOwner = role === 'owner';
  const invite = useInvite(publisher);
  const change = useChange(({ id, to }: { id: string; to: MemberRole }) =>
    apiRequest('PATCH /api/publishers/:slug/members/:personId', {
      params: { slug, personId: id },
      json: { role: to },
    }),
  );
  const remove = useChange((id: string) =>
    apiRequest('DELETE /api/publishers/:slug/members/:personId', { params: { slug, personId: id } }),
  );
  const leave = () => remove.mutate(me.id, { onSuccess: () => visit('/account/publishers') });
  return (
    <Card title="Members">
      <ul className="rows">
        {members.map((member) => (
          <li key={member.personId}>
            <div>
              {member.name} {member.personId === me.id ? <span className="badge">you</span> : null}{' '}
              <span className="badge">{member.role}</span>
              <p className="soft">
                {member.email === null ? '' : `${member.email}, `}since {day(member.since)}
              </p>
            </div>
            <span className="buttons">
              {isOwner && member.personId !== me.id ? (
                <>
                  <button
                    type="button"
                    onClick={() =>
                      change.mutate({ id: member.personId, to: member.role === 'owner' ? 'member' : 'owner' })
                    }
                  >
                    {member.role === 'owner' ? 'Make a member' : 'Make an owner'}
                  </button>
                  <ConfirmButton
                    label="Remove"
                    sure={`Remove ${member.name}?`}
                    act={() => remove.mutate(member.personId)}
                  />
                </>
              ) : null}
              {member.personId === me.id ? (
                <ConfirmButton label="Leave" sure={`Leave ${publisher.name}?`} act={leave} />
              ) : null}
            </span>
          </li>
        ))}
      </ul>
      <ErrorMessage error={change.error ?? remove.error} />
      {isOwner ? (
        <>
          <div className="buttons">
            <ActButton act={invite} />
          </div>
          <Invitations slug={slug} invitations={invitations} />
        </>
      ) : null}
    </Card>
  );
}
