import type { AccessToken, PublisherMember } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { ConfirmButton, Dialog, day, ErrorMessage, Loaded } from '@svc/ui';
import { type ReactNode, useState } from 'react';
import { TokenRow } from '../account/tokens.tsx';
import { useChange, useRead } from '../account/use-store.ts';
import { WORDS } from './words.ts';

const MESSAGES = WORDS.access;

/** A button that opens a dialog, whose content is read when it opens. */
function AccessButton({ label, title, children }: { label: string; title: string; children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  const leave = () => setOpen(false);
  const close = (
    <button type="button" onClick={leave}>
      {WORDS.close}
    </button>
  );
  return (
    <>
      <button type="button" className="quiet" onClick={() => setOpen(true)}>
        {label}
      </button>
      {isOpen ? (
        <Dialog title={title} leave={leave} buttons={close}>
          {children}
        </Dialog>
      ) : null}
    </>
  );
}

function Tokens({ tokens }: { tokens: readonly AccessToken[] }) {
  const revoke = useChange((id: string) => apiRequest('DELETE /api/admin/tokens/:id', { params: { id } }));
  return (
    <>
      <h3>{MESSAGES.tokens}</h3>
      {tokens.length === 0 ? <p className="soft">{MESSAGES.noTokens}</p> : null}
      <ul className="rows">
        {tokens.map((token) => (
          <TokenRow
            key={token.id}
            token={token}
            of={MESSAGES.tokenOf(token)}
            revoke={() => revoke.mutate(token.id)}
          />
        ))}
      </ul>
      <ErrorMessage error={revoke.error} />
    </>
  );
}

function Members({ slug, members }: { slug: string; members: readonly PublisherMember[] }) {
  const expel = useChange((personId: string) =>
    apiRequest('DELETE /api/admin/publishers/:slug/members/:personId', { params: { slug, personId } }),
  );
  return (
    <>
      <h3>{MESSAGES.members}</h3>
      {members.length === 0 ? <p className="soft">{MESSAGES.noMembers}</p> : null}
      <ul className="rows">
        {members.map(({ personId, name, email, role, since }) => (
          <li key={personId}>
            <div>
              <bdi>{name}</bdi> <span className="badge">{role}</span>
              <p className="soft">{[email, MESSAGES.since(day(since))].filter(Boolean).join(', ')}</p>
            </div>
            <ConfirmButton
              label={MESSAGES.remove}
              sure={MESSAGES.removeSure(name)}
              act={() => expel.mutate(personId)}
            />
          </li>
        ))}
      </ul>
      <ErrorMessage error={expel.error} />
    </>
  );
}

function OfPublisher({ slug }: { slug: string }) {
  const access = useRead(apiRequest('GET /api/admin/publishers/:slug/access', { params: { slug } }));
  return (
    <Loaded query={access}>
      {({ members, tokens }) => (
        <>
          <Members slug={slug} members={members} />
          <Tokens tokens={tokens} />
        </>
      )}
    </Loaded>
  );
}

function OfPerson({ id }: { id: string }) {
  const tokens = useRead(apiRequest('GET /api/admin/people/:id/tokens', { params: { id } }));
  return <Loaded query={tokens}>{(all) => <Tokens tokens={all.tokens} />}</Loaded>;
}

/** Lists who may act for a publisher: its members and tokens, which administrators can remove and revoke. */
export const PublisherAccess = ({ slug, name }: { slug: string; name: string }) => (
  <AccessButton label={MESSAGES.ofPublisher} title={MESSAGES.titleOf(name)}>
    <OfPublisher slug={slug} />
  </AccessButton>
);

/** Lists the tokens that a user owns or created, which administrators can revoke. */
export const PersonAccess = ({ id, name }: { id: string; name: string }) => (
  <AccessButton label={MESSAGES.tokens} title={MESSAGES.titleOf(name)}>
    <OfPerson id={id} />
  </AccessButton>
);
