import type { OwnPublishers } from '@svc/contracts';
import { FirstApp } from '../dashboard/first-app.tsx';
import { Card, ErrorMessage, Field, Fields, Loaded, textOf } from './parts.tsx';
import { useChange, useRead } from './use-store.ts';
import { VerifiedBadge } from './verified-badge.tsx';

const PATH = '/api/publishers';

function NewPublisher() {
  const make = useChange((json: { slug: string; name: string; website?: string }) => ({
    method: 'POST',
    path: PATH,
    json,
  }));
  const submit = async (data: FormData) => {
    const [slug, website] = [textOf(data, 'slug'), textOf(data, 'website')];
    await make.mutateAsync({ slug, name: textOf(data, 'name'), ...(website && { website }) });
    window.location.assign(`/account/publishers/${slug}`);
  };
  return (
    <Card title="Make a publisher">
      <Fields action="Make it" busy={make.isPending} submit={submit}>
        <Field label="Name" hint="What people see beside your apps." name="name" required maxLength={80} />
        <Field
          label="Short name"
          hint="Lower-case letters, digits and hyphens. It stands in every plugin.json as publisher, and never changes."
          name="slug"
          required
          maxLength={40}
          pattern="[a-z0-9]([a-z0-9\-]*[a-z0-9])?"
          autoCapitalize="none"
          spellCheck={false}
        />
        <Field
          label="Website"
          hint="Optional. You can show later that it is yours."
          name="website"
          type="url"
          placeholder="https://"
        />
      </Fields>
      <ErrorMessage error={make.error} />
    </Card>
  );
}

function List({ publishers }: OwnPublishers) {
  return (
    <Card title="You act for">
      <ul className="rows">
        {publishers.map(({ slug, name, role, verified, verifiedHost, suspended }) => (
          <li key={slug}>
            <div>
              <a href={`/account/publishers/${slug}`}>
                <bdi>{name}</bdi>
              </a>{' '}
              <code>{slug}</code>
            </div>
            <span className="buttons">
              {suspended ? <span className="badge fault">suspended</span> : null}
              <VerifiedBadge verified={verified} verifiedHost={verifiedHost} />
              <span className="badge">{role}</span>
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** The publishers that a person acts for; without one, the way to a first published app. */
export function Publishers() {
  const publishers = useRead<OwnPublishers>(PATH);
  return (
    <>
      <h1>Publishers</h1>
      <Loaded query={publishers}>
        {({ publishers: all }) =>
          all.length === 0 ? (
            <>
              <p>You act for no publisher yet. Make one, or ask an owner of one to invite you.</p>
              <NewPublisher />
              <FirstApp />
            </>
          ) : (
            <>
              <List publishers={all} />
              <NewPublisher />
            </>
          )
        }
      </Loaded>
    </>
  );
}
