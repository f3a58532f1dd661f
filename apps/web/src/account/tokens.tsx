import type { FreshToken, Token, TokenList, TokenScope } from '@svc/contracts';
import { Card, ConfirmButton, Copied, day, ErrorMessage, Field, Fields, Loaded, textOf } from './parts.tsx';
import { useChange, useRead, useSignedIn } from './use-store.ts';

const SCOPES: readonly { scope: TokenScope; label: string }[] = [
  { scope: 'publish:new', label: 'Publish new apps' },
  { scope: 'publish:update', label: 'Publish updates' },
  { scope: 'yank', label: 'Withdraw published versions' },
  { scope: 'status', label: 'Read how versions fare' },
  { scope: 'read', label: 'See and download apps' },
];

function Row({ token, revoke }: { token: Token; revoke(): void }) {
  const { name, kind, scopes, publisher, appId, expiresAt, lastUsedAt } = token;
  return (
    <li>
      <div>
        {name} <span className="badge">{kind === 'device' ? 'signed in by svc login' : kind}</span>
        <p className="soft">
          {scopes.join(', ')}
          {publisher === undefined ? '' : `; for ${publisher}`}
          {appId === undefined ? '' : `; only ${appId}`}; until {day(expiresAt)};{' '}
          {lastUsedAt === undefined ? 'never used' : `last used ${day(lastUsedAt)}`}
        </p>
      </div>
      <ConfirmButton label="Revoke" sure="It stops working at once. Revoke it?" act={revoke} />
    </li>
  );
}

function PublisherChoice() {
  const { memberships } = useSignedIn();
  return (
    <label>
      For
      <select name="publisher" defaultValue="">
        <option value="">all publishers I act for</option>
        {memberships.map(({ publisher, name }) => (
          <option key={publisher} value={publisher}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

function NewToken({ path, personal }: { path: string; personal: boolean }) {
  const make = useChange<FreshToken, object>((json) => ({ method: 'POST', path, json }));
  const submit = (data: FormData) => {
    const [publisher, appId] = [textOf(data, 'publisher'), textOf(data, 'appId')];
    return make.mutateAsync({
      name: textOf(data, 'name'),
      scopes: data.getAll('scope'),
      days: Number(data.get('days')),
      ...(publisher && { publisher }),
      ...(appId && { appId }),
    });
  };
  return (
    <details>
      <summary>Make a token</summary>
      <Fields action="Make it" busy={make.isPending} submit={submit}>
        <Field label="What it is for" name="name" required maxLength={80} />
        <fieldset>
          <legend>It may</legend>
          {SCOPES.map(({ scope, label }) => (
            <label key={scope} className="choice">
              <input type="checkbox" name="scope" value={scope} defaultChecked />
              {label}
            </label>
          ))}
        </fieldset>
        {personal ? <PublisherChoice /> : null}
        <Field label="Only for the app" hint="Optional: the id of one app." name="appId" />
        <Field label="Days it holds" name="days" type="number" min={1} max={365} defaultValue={90} required />
      </Fields>
      {make.data === undefined ? null : (
        <Copied
          label="Here it is. It is shown this once; keep it where secrets are kept."
          text={make.data.token}
        />
      )}
      <ErrorMessage error={make.error} />
    </details>
  );
}

/** Tokens of a person or of a publisher: what they may, and how to make and revoke them. */
export function Tokens({
  title,
  hint,
  path,
  personal = false,
}: {
  title: string;
  hint: string;
  path: string;
  personal?: boolean;
}) {
  const tokens = useRead<TokenList>(path);
  const revoke = useChange((id: string) => ({ method: 'DELETE', path: `${path}/${id}` }));
  return (
    <Card title={title}>
      <p className="soft">{hint}</p>
      <Loaded query={tokens}>
        {({ tokens: all }) => (
          <ul className="rows">
            {all.map((token) => (
              <Row key={token.id} token={token} revoke={() => revoke.mutate(token.id)} />
            ))}
          </ul>
        )}
      </Loaded>
      <ErrorMessage error={revoke.error} />
      <NewToken path={path} personal={personal} />
    </Card>
  );
}

/** The tokens of the person who is signed in. */
export function MyTokens() {
  return (
    <>
      <h1>Tokens</h1>
      <Tokens
        title="Your tokens"
        hint="They act for you with the rights of a member, wherever you are one. On your own machine, svc login makes one for you."
        path="/api/people/me/tokens"
        personal
      />
    </>
  );
}
