import type { Token, TokenScope } from '@svc/contracts';
import { type ApiRequest, apiRequest, type BodyOf } from '@svc/contracts/client';
import { Check, day, Field, Loaded, Rows, Select, textOf } from '@svc/ui';
import { type Act, ActButton } from './acts.tsx';
import { Card, ChangeButton, Secret } from './parts.tsx';
import { useChange, useRead, useSignedIn } from './use-store.ts';

const SCOPES: readonly { scope: TokenScope; label: string }[] = [
  { scope: 'publish:new', label: 'Publish new apps' },
  { scope: 'publish:update', label: 'Publish updates' },
  { scope: 'yank', label: 'Yank published versions' },
  { scope: 'status', label: 'Read the status of versions' },
  { scope: 'read', label: 'Read and download apps' },
];

/** A token in a list, with a button that revokes it. `of` names its owner or creator. */
export function TokenRow({
  token,
  of,
  revoke,
}: {
  token: Token;
  of?: string | undefined;
  revoke(): ApiRequest<unknown>;
}) {
  const { name, kind, scopes, publisher, appId, expiresAt, lastUsedAt } = token;
  return (
    <li>
      <div>
        {name} <span className="badge">{kind === 'device' ? 'svc login' : kind}</span>
        <p className="soft">
          {of === undefined ? null : (
            <>
              <bdi>{of}</bdi>;{' '}
            </>
          )}
          {scopes.join(', ')}
          {publisher === undefined ? '' : `; publisher ${publisher}`}
          {appId === undefined ? '' : `; only ${appId}`}; expires {day(expiresAt)};{' '}
          {lastUsedAt === undefined ? 'never used' : `last used ${day(lastUsedAt)}`}
        </p>
      </div>
      <ChangeButton label="Revoke" sure="Revoke this token? It stops working immediately." request={revoke} />
    </li>
  );
}

function PublisherChoice() {
  const { memberships } = useSignedIn();
  return (
    <Select
      label="Publisher"
      of={[
        ['', 'all my publishers'],
        ...memberships.map(({ publisher, name }) => [publisher, name] as const),
      ]}
      name="publisher"
      defaultValue=""
    />
  );
}

type NewTokenBody = BodyOf<'POST /api/people/me/tokens'> & BodyOf<'POST /api/publishers/:slug/tokens'>;

/** The requests about the tokens of a publisher, or of the signed-in user without one. */
const requestsOf = (slug: string | undefined) =>
  slug === undefined
    ? {
        list: () => apiRequest('GET /api/people/me/tokens'),
        create: (json: NewTokenBody) => apiRequest('POST /api/people/me/tokens', { json }),
        revoke: (id: string) => apiRequest('DELETE /api/people/me/tokens/:id', { params: { id } }),
      }
    : {
        list: () => apiRequest('GET /api/publishers/:slug/tokens', { params: { slug } }),
        create: (json: NewTokenBody) =>
          apiRequest('POST /api/publishers/:slug/tokens', { params: { slug }, json }),
        revoke: (id: string) =>
          apiRequest('DELETE /api/publishers/:slug/tokens/:id', { params: { slug, id } }),
      };

type Requests = ReturnType<typeof requestsOf>;

function NewToken({ requests, personal }: { requests: Requests; personal: boolean }) {
  const create = useChange(requests.create);
  const act: Act<{ token: string }> = {
    label: 'Create a token',
    title: 'Create a token',
    yes: 'Create token',
    tone: 'main',
    effect: 'A program with the token can do what its scopes say, until it expires or is revoked.',
    notice: 'The audit log records it. The token is shown once.',
    fields: (
      <>
        <Field label="Name" hint="For example: release workflow" name="name" required maxLength={80} />
        <fieldset>
          <legend>Scopes</legend>
          {SCOPES.map(({ scope, label }) => (
            <Check key={scope} label={label} name="scope" value={scope} defaultChecked />
          ))}
        </fieldset>
        {personal ? <PublisherChoice /> : null}
        <Field label="App id" hint="Optional. Limits the token to one app." name="appId" />
        <Field
          label="Expires after (days)"
          name="days"
          type="number"
          min={1}
          max={365}
          defaultValue={90}
          required
        />
      </>
    ),
    send: (data) => {
      const [publisher, appId] = [textOf(data, 'publisher'), textOf(data, 'appId')];
      return create.mutateAsync({
        name: textOf(data, 'name'),
        scopes: data.getAll('scope') as TokenScope[],
        days: Number(data.get('days')),
        ...(publisher && { publisher }),
        ...(appId && { appId }),
      });
    },
    shows: ({ token }) => <Secret label="Copy the token now. It is shown only once." text={token} />,
  };
  return (
    <div className="buttons">
      <ActButton act={act} />
    </div>
  );
}

/**
 * Lists, creates and revokes tokens.
 * @param slug the publisher that they belong to; the signed-in user without one
 */
export function Tokens({ title, hint, slug }: { title?: string; hint: string; slug?: string }) {
  const requests = requestsOf(slug);
  const tokens = useRead(requests.list());
  return (
    <Card title={title}>
      <p className="soft">{hint}</p>
      <Loaded query={tokens}>
        {({ tokens: all }) => (
          <Rows of={all}>
            {(token) => <TokenRow key={token.id} token={token} revoke={() => requests.revoke(token.id)} />}
          </Rows>
        )}
      </Loaded>
      <NewToken requests={requests} personal={slug === undefined} />
    </Card>
  );
}

export function MyTokens() {
  return (
    <>
      <h1>Tokens</h1>
      <Tokens hint="A token acts for you, with the rights of a member, in all your publishers. On your own machine, svc login creates one." />
    </>
  );
}
