import type { AccessToken, MemberRole, PublisherMember } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { ConfirmButton, day, ErrorMessage, Field, Loaded } from '@svc/ui';
import { read } from '../account/api.ts';
import { Card, ChangeForm, RoleField, textOf } from '../account/parts.tsx';
import { TokenRow } from '../account/tokens.tsx';
import { useChange, useRead } from '../account/use-store.ts';

const MAKE = { owner: 'Make an owner', member: 'Make a member' } as const;

function Tokens({ tokens }: { tokens: readonly AccessToken[] }) {
  const revoke = useChange((id: string) => apiRequest('DELETE /api/admin/tokens/:id', { params: { id } }));
  return (
    <>
      <h2>Tokens</h2>
      {tokens.length === 0 ? <p className="soft">No valid tokens.</p> : null}
      <ul className="rows">
        {tokens.map((token) => (
          <TokenRow
            key={token.id}
            token={token}
            of={
              token.ownedBy === null
                ? `of the publisher, created by ${token.madeBy ?? 'automation'}`
                : `of ${token.ownedBy}`
            }
            revoke={() => revoke.mutate(token.id)}
          />
        ))}
      </ul>
      <ErrorMessage error={revoke.error} />
    </>
  );
}

const roleRequest = (slug: string, personId: string, role: MemberRole) =>
  apiRequest('PUT /api/admin/publishers/:slug/members/:personId', {
    params: { slug, personId },
    json: { role },
  });

/** Makes the user with an email address a member, without an invitation. */
function AddMember({ slug }: { slug: string }) {
  const request = async (data: FormData) => {
    const email = textOf(data, 'email').toLowerCase();
    const { people } = await read(apiRequest('GET /api/admin/people', { query: { q: email } }));
    const person = people.find((found) => found.email === email);
    if (!person) throw new Error(`No user has the address ${email}: add the user first, under Users.`);
    return roleRequest(slug, person.id, textOf(data, 'role') as MemberRole);
  };
  return (
    <>
      <h3>Add a member</h3>
      <ChangeForm action="Add a member" request={request}>
        <Field label="Email address of a user" name="email" type="email" required maxLength={254} />
        <RoleField />
      </ChangeForm>
    </>
  );
}

function Members({ slug, members }: { slug: string; members: readonly PublisherMember[] }) {
  const expel = useChange((personId: string) =>
    apiRequest('DELETE /api/admin/publishers/:slug/members/:personId', { params: { slug, personId } }),
  );
  const set = useChange(({ personId, role }: { personId: string; role: MemberRole }) =>
    roleRequest(slug, personId, role),
  );
  return (
    <>
      <h2>Members</h2>
      {members.length === 0 ? <p className="soft">No members.</p> : null}
      <ul className="rows">
        {members.map(({ personId, name, email, role, since }) => {
          const other = role === 'owner' ? 'member' : 'owner';
          return (
            <li key={personId}>
              <div>
                <bdi>{name}</bdi> <span className="badge">{role}</span>
                <p className="soft">{[email, `since ${day(since)}`].filter(Boolean).join(', ')}</p>
              </div>
              <span className="buttons">
                <ConfirmButton
                  tone="quiet"
                  label={MAKE[other]}
                  sure={`Change the role of ${name} to ${other}?`}
                  act={() => set.mutate({ personId, role: other })}
                />
                <ConfirmButton
                  label="Remove"
                  sure={`Remove ${name} from the publisher?`}
                  act={() => expel.mutate(personId)}
                />
              </span>
            </li>
          );
        })}
      </ul>
      <ErrorMessage error={expel.error ?? set.error} />
      <AddMember slug={slug} />
    </>
  );
}

/** Lists who may act for a publisher: its members and tokens, which administrators can remove and revoke. */
export function PublisherAccess({ slug }: { slug: string }) {
  const access = useRead(apiRequest('GET /api/admin/publishers/:slug/access', { params: { slug } }));
  return (
    <Loaded query={access}>
      {({ members, tokens }) => (
        <>
          <Card>
            <Members slug={slug} members={members} />
          </Card>
          <Card>
            <Tokens tokens={tokens} />
          </Card>
        </>
      )}
    </Loaded>
  );
}

/** Lists the tokens that a user owns or created, which administrators can revoke. */
export function PersonTokens({ id }: { id: string }) {
  const tokens = useRead(apiRequest('GET /api/admin/people/:id/tokens', { params: { id } }));
  return (
    <Loaded query={tokens}>
      {(all) => (
        <Card>
          <Tokens tokens={all.tokens} />
        </Card>
      )}
    </Loaded>
  );
}
