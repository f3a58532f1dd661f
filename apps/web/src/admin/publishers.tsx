import type { NewPublisher as NewPublisherRecord, Publisher } from '@svc/contracts';
import { apiRequest, type QueryName } from '@svc/contracts/client';
import { ConfirmButton, day, ErrorMessage, Field } from '@svc/ui';
import { useState } from 'react';
import { Card, Fields, textOf } from '../account/parts.tsx';
import { useChange } from '../account/use-store.ts';
import { VerifiedBadge } from '../account/verified-badge.tsx';
import { PublisherAccess } from './access.tsx';
import { useParams } from './address.ts';
import type { Column } from './data-table.tsx';
import { Choice, Filters, SearchField, YES_OR_NO } from './list.tsx';
import { NameRequests } from './name-requests.tsx';
import { PagedTable } from './paged-table.tsx';
import { sortingOf } from './sort.ts';
import { SuspendedBadge, Suspension } from './suspension.tsx';
import { filled, usePages } from './use-pages.ts';
import { WORDS } from './words.ts';

const MESSAGES = WORDS.publishers;

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
            label={MESSAGES.unverify}
            sure={MESSAGES.unverifySure(name)}
            act={() => change.mutate({ verified: false })}
          />
        ) : (
          <ConfirmButton
            tone="plain"
            label={MESSAGES.verify}
            sure={MESSAGES.verifySure(name)}
            act={() => change.mutate({ verified: true })}
          />
        )}
        <Suspension
          name={name}
          effect={MESSAGES.suspendEffect}
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
    label: MESSAGES.publisher,
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
    label: MESSAGES.slug,
    sort: 'slug',
    cell: ({ slug }) => (
      <a href={`/admin/apps?${new URLSearchParams({ publisher: slug })}`}>
        <code>{slug}</code>
      </a>
    ),
  },
  { label: MESSAGES.created, sort: 'created', cell: ({ createdAt }) => day(createdAt) },
  { label: MESSAGES.access, cell: (publisher) => <Actions publisher={publisher} /> },
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
    <Card title={MESSAGES.create}>
      <Fields action={MESSAGES.submit} busy={create.isPending} submit={submit}>
        <Field label={MESSAGES.name} name="name" required maxLength={80} />
        <Field
          label={MESSAGES.slug}
          name="slug"
          required
          maxLength={40}
          pattern="[a-z0-9]([a-z0-9\-]*[a-z0-9])?"
          autoCapitalize="none"
          spellCheck={false}
        />
        <Field label={MESSAGES.website} name="website" type="url" placeholder="https://" />
        <label className="choice">
          <input type="checkbox" checked={isMine} onChange={(event) => setMine(event.target.checked)} />
          {MESSAGES.mine}
        </label>
        {isMine ? null : (
          <Field label={MESSAGES.owner} hint={MESSAGES.ownerHint} name="owner" type="email" maxLength={254} />
        )}
      </Fields>
      <p role="status" className="good">
        {create.data ? `${MESSAGES.createdNow(create.data.name)} ` : ''}
        {home ? <a href={home}>{MESSAGES.firstPublish}</a> : null}
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
      <h1>{MESSAGES.title}</h1>
      <Filters>
        <SearchField label={MESSAGES.q} name="q" defaultValue={params.q} maxLength={80} />
        <Choice label={MESSAGES.verified} name="verified" value={params.verified} options={YES_OR_NO} />
        <Choice label={WORDS.isSuspended} name="suspended" value={params.suspended} options={YES_OR_NO} />
      </Filters>
      <PagedTable
        label={MESSAGES.title}
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
