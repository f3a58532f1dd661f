import type { AccessToken, MemberRole, PublisherMember } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { day, Field, Loaded, Rows, textOf } from '@svc/ui';
import { read } from '../account/api.ts';
import { Card, ChangeButton, ChangeForm, RoleField } from '../account/parts.tsx';
import { TokenRow } from '../account/tokens.tsx';
import { useRead } from '../account/use-store.ts';

const MAKE = { owner: 'Make an owner', member: 'Make a member' } as const;

function Tokens({ tokens }: { tokens: readonly AccessToken[] }) {
  return (
    <>
      <h2>Tokens</h2>
      <Rows of={tokens} none="No valid tokens.">
        {(token) => (
          <TokenRow
            key={token.id}
            token={token}
            of={
              token.ownedBy === null
                ? `of the publisher, created by ${token.madeBy ?? 'automation'}`
                : `of ${token.ownedBy}`
            }
            revoke={() => apiRequest('DELETE /api/admin/tokens/:id', { params: { id: token.id } })}
          />
        )}
      </Rows>
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
  return (
    <>
      <h2>Members</h2>
      <Rows of={members} none="No members.">
        {({ personId, name, email, role, since }) => {
          const other = role === 'owner' ? 'member' : 'owner';
          return (
            <li key={personId}>
              <div>
                <bdi>{name}</bdi> <span className="badge">{role}</span>
                <p className="soft">{[email, `since ${day(since)}`].filter(Boolean).join(', ')}</p>
              </div>
              <span className="buttons">
                <ChangeButton
                  tone="quiet"
                  label={MAKE[other]}
                  sure={`Change the role of ${name} to ${other}?`}
                  request={() => roleRequest(slug, personId, other)}
                />
                <ChangeButton
                  label="Remove"
                  sure={`Remove ${name} from the publisher?`}
                  request={() =>
                    apiRequest('DELETE /api/admin/publishers/:slug/members/:personId', {
                      params: { slug, personId },
                    })
                  }
                />
              </span>
            </li>
          );
        }}
      </Rows>
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
