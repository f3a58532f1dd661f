import type { NameRequestPage, NewPublisher as NewPublisherRecord, Publisher } from '@svc/contracts';
import { apiRequest, type QueryName } from '@svc/contracts/client';
import { ConfirmButton, day, ErrorMessage, Field, Loaded, VerifiedBadge } from '@svc/ui';
import { useState } from 'react';
import { Card, Fields, OpenForm, textOf } from '../account/parts.tsx';
import { useChange } from '../account/use-store.ts';
import { PublisherAccess } from './access.tsx';
import { useParams } from './address.ts';
import type { Column } from './data-table.tsx';
import { Choice, Filters, More, SearchField, YES_OR_NO } from './list.tsx';
import { filled, PagedTable, usePages } from './paged-table.tsx';
import { sortingOf } from './sort.ts';
import { SuspendedBadge, Suspension } from './suspension.tsx';

type Request = NameRequestPage['requests'][number];

function Row({ request }: { request: Request }) {
  const { publisher, name, askedAt } = request;
  const params = { slug: publisher.slug };
  const approve = useChange(() =>
    apiRequest('POST /api/admin/name-requests/:slug/approve', { params, json: { name } }),
  );
  const refuse = useChange((note: string) =>
    apiRequest('POST /api/admin/name-requests/:slug/refuse', { params, json: { name, note } }),
  );
  return (
    <li>
      <div>
        <code>{publisher.slug}</code> <VerifiedBadge {...publisher} />
        <p>
          From <bdi>{publisher.name}</bdi> to{' '}
          <strong>
            <bdi>{name}</bdi>
          </strong>
        </p>
        <p className="soft">{`requested on ${day(askedAt)}`}</p>
        <ErrorMessage error={approve.error ?? refuse.error} />
      </div>
      <span className="buttons">
        <ConfirmButton
          label="Approve"
          sure={`Rename the publisher to ${name}?`}
          act={() => approve.mutate()}
        />
        <OpenForm label="Reject">
          {() => (
            <Fields
              action="Reject"
              busy={refuse.isPending}
              submit={(data) => refuse.mutateAsync(textOf(data, 'note'))}
            >
              <Field
                label="Reason, shown to the members of the publisher"
                name="note"
                required
                maxLength={2000}
              />
            </Fields>
          )}
        </OpenForm>
      </span>
    </li>
  );
}

/** Name changes of verified publishers that an administrator has to decide on. */
function NameRequests() {
  const waiting = usePages((cursor) => apiRequest('GET /api/admin/name-requests', { query: { cursor } }));
  return (
    <Card title="Name changes of verified publishers">
      <Loaded query={waiting}>
        {(pages) => {
          const requests = pages.flatMap((page) => page.requests);
          return requests.length === 0 ? (
            <p>No name changes to review.</p>
          ) : (
            <ul className="rows">
              {requests.map((request) => (
                <Row key={`${request.publisher.slug} ${request.name}`} request={request} />
              ))}
            </ul>
          );
        }}
      </Loaded>
      <More more={waiting.more} />
    </Card>
  );
}

/** The actions on a publisher: verification and suspension. */
function Actions({ publisher: { slug, name, verified, suspended } }: { publisher: Publisher }) {
  const change = useChange((json: { verified?: boolean; suspended?: boolean; reason?: string }) =>
    apiRequest('PATCH /api/admin/publishers/:slug', { params: { slug }, json }),
  );
  return (
    <>
      <span className="buttons">
        {verified ? (
          <ConfirmButton
            tone="quiet"
            label="Remove verification"
            sure={`Remove the verification of ${name}?`}
            act={() => change.mutate({ verified: false })}
          />
        ) : (
          <ConfirmButton
            tone="plain"
            label="Verify"
            sure={`Verify ${name} on behalf of the store?`}
            act={() => change.mutate({ verified: true })}
          />
        )}
        <Suspension
          name={name}
          effect="This hides all its apps and notifies its members. Nothing of it is published or approved, its tokens have no effect, and its versions leave the review queue until the suspension ends."
          suspended={suspended}
          change={(json) => change.mutate(json)}
        />
        <PublisherAccess slug={slug} name={name} />
      </span>
      <ErrorMessage error={change.error} />
    </>
  );
}

const COLUMNS: readonly Column<Publisher>[] = [
  {
    label: 'Publisher',
    sort: 'name',
    cell: ({ name, website, verified, verifiedHost, suspended, suspension }) => (
      <>
        <bdi>{name}</bdi> <VerifiedBadge verified={verified} verifiedHost={verifiedHost} />{' '}
        <SuspendedBadge suspended={suspended} suspension={suspension} />
        {website === undefined ? null : (
          <>
            <br />
            <span className="soft">{website}</span>
          </>
        )}
      </>
    ),
  },
  {
    label: 'Short name',
    sort: 'slug',
    cell: ({ slug }) => (
      <a href={`/admin/apps?${new URLSearchParams({ publisher: slug })}`}>
        <code>{slug}</code>
      </a>
    ),
  },
  { label: 'Created', sort: 'created', cell: ({ createdAt }) => day(createdAt) },
  { label: 'Access', cell: (publisher) => <Actions publisher={publisher} /> },
];

function NewPublisher() {
  const [isMine, setMine] = useState(true);
  const create = useChange((json: NewPublisherRecord) => apiRequest('POST /api/admin/publishers', { json }));
  const submit = (data: FormData) => {
    const website = textOf(data, 'website');
    const owner = isMine ? 'me' : textOf(data, 'owner');
    return create.mutateAsync({
      slug: textOf(data, 'slug'),
      name: textOf(data, 'name'),
      ...(website && { website }),
      ...(owner && { owner }),
    });
  };
  const home = create.data && isMine ? `/account/publishers/${create.data.slug}` : null;
  return (
    <Card title="Create a publisher">
      <Fields action="Create publisher" busy={create.isPending} submit={submit}>
        <Field label="Name" name="name" required maxLength={80} />
        <Field
          label="Short name"
          name="slug"
          required
          maxLength={40}
          pattern="[a-z0-9]([a-z0-9\-]*[a-z0-9])?"
          autoCapitalize="none"
          spellCheck={false}
        />
        <Field label="Website" name="website" type="url" placeholder="https://" />
        <label className="choice">
          <input type="checkbox" checked={isMine} onChange={(event) => setMine(event.target.checked)} />I
          publish for it
        </label>
        {isMine ? null : (
          <Field
            label="Email address of its owner"
            hint="Optional. Of an existing user; add others under Users first."
            name="owner"
            type="email"
            maxLength={254}
          />
        )}
      </Fields>
      <p role="status" className="good">
        {create.data ? `${create.data.name} is created. ` : ''}
        {home ? <a href={home}>Publish its first app</a> : null}
      </p>
      <ErrorMessage error={create.error} />
    </Card>
  );
}

/** Lists the publishers, their verifications and suspensions. */
export function Publishers() {
  const params = useParams<QueryName<'GET /api/admin/publishers'>>([
    'q',
    'verified',
    'suspended',
    'sort',
    'direction',
  ]);
  const publishers = usePages((cursor) =>
    apiRequest('GET /api/admin/publishers', { query: { ...filled(params), cursor } }),
  );
  return (
    <>
      <h1>Publishers</h1>
      <Filters>
        <SearchField label="Short name or name starts with" name="q" defaultValue={params.q} maxLength={80} />
        <Choice label="Verified" name="verified" value={params.verified} options={YES_OR_NO} />
        <Choice label="Suspended" name="suspended" value={params.suspended} options={YES_OR_NO} />
      </Filters>
      <PagedTable
        label="Publishers"
        columns={COLUMNS}
        pages={publishers}
        rowsOf={(page) => page.publishers}
        keyOf={({ slug }) => slug}
        sorting={sortingOf(params, { sort: 'slug', direction: 'asc' })}
      />
      <NameRequests />
      <NewPublisher />
    </>
  );
}
