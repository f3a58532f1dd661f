import type { Invitation, MemberRole, PublisherDetail } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { ConfirmButton, day, ErrorMessage, Field } from '@svc/ui';
import { visit } from '../address.ts';
import { Card, Fields, RoleField, Secret, textOf } from './parts.tsx';
import { useChange, useSignedIn } from './use-store.ts';

function Invite({ slug }: { slug: string }) {
  const invite = useChange((json: { email?: string; role: MemberRole }) =>
    apiRequest('POST /api/publishers/:slug/invitations', { params: { slug }, json }),
  );
  const submit = (data: FormData) => {
    const email = textOf(data, 'email');
    return invite.mutateAsync({ role: textOf(data, 'role') as MemberRole, ...(email && { email }) });
  };
  return (
    <>
      <h3>Invite a member</h3>
      <Fields action="Invite" busy={invite.isPending} submit={submit}>
        <Field
          label="Email"
          hint="Optional. Without it, you send the link yourself."
          name="email"
          type="email"
        />
        <RoleField />
      </Fields>
      {invite.data?.url === undefined ? null : (
        <Secret
          label="Invitation link. It works once, for the first user who accepts it:"
          text={invite.data.url}
        />
      )}
      <ErrorMessage error={invite.error} />
    </>
  );
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
          <Invitations slug={slug} invitations={invitations} />
          <Invite slug={slug} />
        </>
      ) : null}
    </Card>
  );
}
