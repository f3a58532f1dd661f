import type { Token, TokenScope } from '@svc/contracts';
import { apiRequest, type BodyOf } from '@svc/contracts/client';
import { ConfirmButton, day, ErrorMessage, Field, Loaded, Options } from '@svc/ui';
import { Card, ChangeForm, Secret, textOf } from './parts.tsx';
import { useChange, useRead, useSignedIn } from './use-store.ts';

const SCOPES: readonly { scope: TokenScope; label: string }[] = [
  { scope: 'publish:new', label: 'Publish new apps' },
  { scope: 'publish:update', label: 'Publish updates' },
  { scope: 'yank', label: 'Yank published versions' },
  { scope: 'status', label: 'Read the status of versions' },
  { scope: 'read', label: 'Read and download apps' },
];

/** A token in a list, with a button that revokes it. `of` names its owner or creator. */
export function TokenRow({ token, of, revoke }: { token: Token; of?: string | undefined; revoke(): void }) {
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
      <ConfirmButton label="Revoke" sure="Revoke this token? It stops working immediately." act={revoke} />
    </li>
  );
}

function PublisherChoice() {
  const { memberships } = useSignedIn();
  return (
    <label>
      Publisher
      <select name="publisher" defaultValue="">
        <option value="">all my publishers</option>
        <Options of={memberships.map(({ publisher, name }) => [publisher, name])} />
      </select>
    </label>
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
  const request = (data: FormData) => {
    const [publisher, appId] = [textOf(data, 'publisher'), textOf(data, 'appId')];
    return requests.create({
      name: textOf(data, 'name'),
      scopes: data.getAll('scope') as TokenScope[],
      days: Number(data.get('days')),
      ...(publisher && { publisher }),
      ...(appId && { appId }),
    });
  };
  return (
    <details>
      <summary>Create a token</summary>
      <ChangeForm
        action="Create token"
        request={request}
        shows={({ token }) => <Secret label="Copy the token now. It is shown only once." text={token} />}
      >
        <Field label="Name" hint="For example: release workflow" name="name" required maxLength={80} />
        <fieldset>
          <legend>Scopes</legend>
          {SCOPES.map(({ scope, label }) => (
            <label key={scope} className="choice">
              <input type="checkbox" name="scope" value={scope} defaultChecked />
              {label}
            </label>
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
      </ChangeForm>
    </details>
  );
}

/**
 * Lists, creates and revokes tokens.
 * @param slug the publisher that they belong to; the signed-in user without one
 */
export function Tokens({ title, hint, slug }: { title?: string; hint: string; slug?: string }) {
  const requests = requestsOf(slug);
  const tokens = useRead(requests.list());
  const revoke = useChange(requests.revoke);
  return (
    <Card title={title}>
      <p className="soft">{hint}</p>
      <Loaded query={tokens}>
        {({ tokens: all }) => (
          <ul className="rows">
            {all.map((token) => (
              <TokenRow key={token.id} token={token} revoke={() => revoke.mutate(token.id)} />
            ))}
          </ul>
        )}
      </Loaded>
      <ErrorMessage error={revoke.error} />
      <NewToken requests={requests} personal={slug === undefined} />
    </Card>
  );
}

/** The tokens of the signed-in user. */
export function MyTokens() {
  return (
    <>
      <h1>Tokens</h1>
      <Tokens hint="A token acts for you, with the rights of a member, in all your publishers. On your own machine, svc login creates one." />
    </>
  );
}
