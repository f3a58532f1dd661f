import type { OwnPublishers } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { verdictOf } from '@svc/permissions';
import { Field, Loaded, Rows, textOf, Verdict } from '@svc/ui';
import { visit } from '../address.ts';
import { FirstApp } from '../dashboard/first-app.tsx';
import { Card, ChangeForm, Initials, NameAndSlug, Named } from './parts.tsx';
import { useRead } from './use-store.ts';

function NewPublisher() {
  const request = (data: FormData) => {
    const [slug, website] = [textOf(data, 'slug'), textOf(data, 'website')];
    const json = { slug, name: textOf(data, 'name'), ...(website && { website }) };
    return apiRequest('POST /api/publishers', { json });
  };
  return (
    <ChangeForm
      action="Create publisher"
      request={request}
      done={({ slug }) => visit(`/account/publishers/${slug}`)}
    >
      <NameAndSlug
        hint="Users see it next to your apps."
        slugHint="Lower-case letters, digits and hyphens. It is the publisher in every plugin.json, and cannot change."
      />
      <Field
        label="Website"
        hint="Optional. You can verify it later."
        name="website"
        type="url"
        placeholder="https://"
      />
    </ChangeForm>
  );
}

function List({ publishers }: OwnPublishers) {
  return (
    <Card>
      <Rows of={publishers}>
        {({ slug, name, role, verified, verifiedHost, suspended }) => (
          <li key={slug}>
            <Named picture={<Initials name={name} />}>
              <a href={`/account/publishers/${slug}`}>
                <bdi>{name}</bdi>
              </a>
              <br />
              <code className="soft">{slug}</code>
            </Named>
            <span className="buttons">
              {suspended ? <span className="badge fault">suspended</span> : null}
              <Verdict of={verdictOf({ publisher: { verified, verifiedHost } })} />
              <span className="badge">{role}</span>
            </span>
          </li>
        )}
      </Rows>
    </Card>
  );
}

/** The publishers of the user; without one, a guide to a first published app. */
export function Publishers() {
  const publishers = useRead(apiRequest('GET /api/publishers'));
  return (
    <>
      <h1>Publishers</h1>
      <Loaded query={publishers}>
        {({ publishers: all }) =>
          all.length === 0 ? (
            <>
              <p>You are not a member of a publisher yet. Create one, or ask an owner to invite you.</p>
              <FirstApp form={<NewPublisher />} />
            </>
          ) : (
            <>
              <List publishers={all} />
              <Card title="Create a publisher">
                <NewPublisher />
              </Card>
            </>
          )
        }
      </Loaded>
    </>
  );
}
