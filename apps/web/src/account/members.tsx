import type { Invitation, MemberRole, PublisherDetail } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { day, Field, Rows, textOf } from '@svc/ui';
import { visit } from '../address.ts';
import { type Act, ActButton } from './acts.tsx';
import { Card, ChangeButton, RoleField, Secret } from './parts.tsx';
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
  if (invitations.length === 0) return null;
  return (
    <>
      <h3>Pending invitations</h3>
      <Rows of={invitations}>
        {({ id, email, role, invitedBy, expiresAt, url }) => (
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
            <ChangeButton
              label="Revoke"
              sure="Revoke this invitation?"
              request={() =>
                apiRequest('DELETE /api/publishers/:slug/invitations/:id', { params: { slug, id } })
              }
            />
          </li>
        )}
      </Rows>
    </>
  );
}

/** The members of a publisher, and its pending invitations. */
export function Members({ publisher }: { publisher: PublisherDetail }) {
  const { slug, role, members, invitations } = publisher;
  const me = useSignedIn();
  const isOwner = role === 'owner';
  const invite = useInvite(publisher);
  const remove = (personId: string) => () =>
    apiRequest('DELETE /api/publishers/:slug/members/:personId', { params: { slug, personId } });
  return (
    <Card title="Members">
      <Rows of={members}>
        {(member) => (
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
                  <ChangeButton
                    label={member.role === 'owner' ? 'Make a member' : 'Make an owner'}
                    request={() =>
                      apiRequest('PATCH /api/publishers/:slug/members/:personId', {
                        params: { slug, personId: member.personId },
                        json: { role: member.role === 'owner' ? 'member' : 'owner' },
                      })
                    }
                  />
                  <ChangeButton
                    label="Remove"
                    sure={`Remove ${member.name}?`}
                    request={remove(member.personId)}
                  />
                </>
              ) : null}
              {member.personId === me.id ? (
                <ChangeButton
                  label="Leave"
                  sure={`Leave ${publisher.name}?`}
                  request={remove(me.id)}
                  done={() => visit('/account/publishers')}
                />
              ) : null}
            </span>
          </li>
        )}
      </Rows>
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
