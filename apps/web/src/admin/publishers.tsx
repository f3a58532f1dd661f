import type { NameRequestPage, Publisher, PublisherPage } from '@svc/contracts';
import { apiRequest, type BodyOf, type QueryName } from '@svc/contracts/client';
import { verdictOf } from '@svc/permissions';
import { visible } from '@svc/text';
import { Check, day, Facts, Field, Loaded, Rows, textOf, Verdict } from '@svc/ui';
import { useState } from 'react';
import { type Act, ActButton, ActList, RowMenu } from '../account/acts.tsx';
import {
  Card,
  ChangeButton,
  ChangeForm,
  Initials,
  LoadMore,
  NameAndSlug,
  Named,
  NotFound,
  OpenForm,
} from '../account/parts.tsx';
import { storageText } from '../account/storage.tsx';
import { useChange, useRead } from '../account/use-store.ts';
import { useParams } from '../address.ts';
import { usePages } from '../dashboard/use-live.ts';
import { hasExtension } from '../extensions/has.ts';
import { PublisherAccess } from './access.tsx';
import { AppTable } from './apps.tsx';
import { type Column, Day } from './data-table.tsx';
import { History } from './history.tsx';
import { Choice, Filters, SearchField, YES_OR_NO } from './list.tsx';
import { filled, PagedTable } from './paged-table.tsx';
import { sortingOf } from './sort.ts';
import { storageAct } from './storage.tsx';
import { SuspendedBadge, SuspensionNote, suspensionOf } from './suspension.tsx';

type Sized = PublisherPage['publishers'][number];
type Request = NameRequestPage['requests'][number];

function Row({ request }: { request: Request }) {
  const { publisher, name, askedAt } = request;
  const params = { slug: publisher.slug };
  const refusal = (data: FormData) =>
    apiRequest('POST /api/admin/name-requests/:slug/refuse', {
      params,
      json: { name, note: textOf(data, 'note') },
    });
  return (
    <li>
      <div>
        <code>{publisher.slug}</code> <Verdict of={verdictOf({ publisher })} />
        <p>
          From <bdi>{publisher.name}</bdi> to{' '}
          <strong>
            <bdi>{name}</bdi>
          </strong>
        </p>
        <p className="soft">{`requested on ${day(askedAt)}`}</p>
      </div>
      <span className="buttons">
        <ChangeButton
          tone="plain"
          label="Approve"
          sure={`Rename the publisher to ${name}?`}
          request={() =>
            apiRequest('POST /api/admin/name-requests/:slug/approve', { params, json: { name } })
          }
        />
        <OpenForm label="Reject">
          {() => (
            <ChangeForm action="Reject" request={refusal}>
              <Field
                label="Reason, shown to the members of the publisher"
                name="note"
                required
                maxLength={2000}
              />
            </ChangeForm>
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
        {({ pages }) => {
          const requests = pages.flatMap((page) => page.requests);
          return (
            <Rows none="No name changes to review." of={requests}>
              {(request) => <Row key={`${request.publisher.slug} ${request.name}`} request={request} />}
            </Rows>
          );
        }}
      </Loaded>
      <LoadMore query={waiting} label="Load more" />
    </Card>
  );
}

const pathOf = (slug: string): string => `/admin/publishers/${slug}`;

const stopOf = (publisher: string) =>
  hasExtension('emergencies')
    ? [['Stop everywhere…', `/admin/emergencies?${new URLSearchParams({ publisher })}`] as const]
    : [];

function useActs({ slug, verified, suspended, storage, ...publisher }: Sized): Act[] {
  const name = visible(publisher.name);
  const change = useChange((json: BodyOf<'PATCH /api/admin/publishers/:slug'>) =>
    apiRequest('PATCH /api/admin/publishers/:slug', { params: { slug }, json }),
  );
  const verification = verified
    ? ({
        label: 'Remove verification…',
        title: `Remove the verification of ${name}`,
        yes: 'Remove verification',
        effect: 'Its apps lose the verified host, rank lower in search, and need more reviews.',
      } as const)
    : ({
        label: 'Verify…',
        title: `Verify ${name} on behalf of the store`,
        yes: 'Verify',
        tone: 'main',
        effect: 'Its apps show that this store verified who publishes them.',
      } as const);
  return [
    {
      ...verification,
      copies: 'Go on working.',
      notice: 'No mail is sent. The audit log records it.',
      send: () => change.mutateAsync({ verified: !verified }),
    },
    storageAct({ name, storage, change: change.mutateAsync }),
    suspensionOf({
      name,
      effect:
        'Hides all its apps. Nothing of it is published or approved, its tokens have no effect, and its versions leave the review queue until the suspension ends.',
      copies: 'Go on working. To switch them off too, use “Stop everywhere”.',
      notice: 'Its members get a mail with the reason.',
      suspended,
      change: change.mutateAsync,
    }),
  ];
}

const Menu = ({ publisher }: { publisher: Sized }) => (
  <RowMenu name={visible(publisher.name)} acts={useActs(publisher)} links={stopOf(publisher.slug)} />
);

const COLUMNS: readonly Column<Sized>[] = [
  {
    label: 'Publisher',
    sort: 'name',
    cell: (publisher) => (
      <Named picture={<Initials name={publisher.name} />}>
        <a href={pathOf(publisher.slug)}>
          <bdi>{visible(publisher.name)}</bdi>
        </a>{' '}
        <Verdict of={verdictOf({ publisher })} /> <SuspendedBadge {...publisher} />
        <br />
        <span className="soft">{publisher.website}</span>
      </Named>
    ),
  },
  { label: 'Short name', sort: 'slug', cell: ({ slug }) => <code>{slug}</code> },
  { label: 'Apps', atEnd: true, cell: ({ apps }) => apps.toLocaleString('en') },
  { label: 'Installs', atEnd: true, cell: ({ installs }) => installs.toLocaleString('en') },
  { label: 'Created', sort: 'created', cell: ({ createdAt }) => <Day at={createdAt} /> },
  { label: 'Actions', atEnd: true, cell: (publisher) => <Menu publisher={publisher} /> },
];

/** Whether the administrator publishes for it, or who owns it. */
function OwnerFields() {
  const [isMine, setMine] = useState(true);
  return (
    <>
      <Check label="I publish for it" name="mine" checked={isMine} choose={setMine} />
      {isMine ? null : (
        <Field
          label="Email address of its owner"
          hint="Optional. Of an existing user; add others under Users first."
          name="owner"
          type="email"
          maxLength={254}
        />
      )}
    </>
  );
}

function NewPublisher() {
  const create = useChange((json: BodyOf<'POST /api/admin/publishers'>) =>
    apiRequest('POST /api/admin/publishers', { json }),
  );
  const act: Act<Publisher> = {
    label: 'Create a publisher',
    title: 'Create a publisher',
    yes: 'Create publisher',
    tone: 'main',
    effect: 'Its members can publish apps. The short name never changes.',
    notice: 'No mail is sent.',
    fields: (
      <>
        <NameAndSlug />
        <Field label="Website" name="website" type="url" placeholder="https://" />
        <OwnerFields />
      </>
    ),
    send: (data) => {
      const [slug, name, website] = [textOf(data, 'slug'), textOf(data, 'name'), textOf(data, 'website')];
      const owner = data.get('mine') === null ? textOf(data, 'owner') : 'me';
      return create.mutateAsync({ slug, name, ...(website && { website }), ...(owner && { owner }) });
    },
    shows: ({ name, slug }) => (
      <p role="status">
        <bdi>{visible(name)}</bdi> is created.{' '}
        <a href={`/account/publishers/${slug}`}>Its page for members</a>
      </p>
    ),
  };
  return <ActButton act={act} />;
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
  return (
    <>
      <div className="cluster apart head">
        <h1>Publishers</h1>
        <NewPublisher />
      </div>
      <Filters>
        <SearchField label="Search by name or short name" name="q" defaultValue={params.q} maxLength={80} />
        <Choice label="Verified" name="verified" value={params.verified} options={YES_OR_NO} />
        <Choice label="Suspended" name="suspended" value={params.suspended} options={YES_OR_NO} />
      </Filters>
      <PagedTable
        label="Publishers"
        columns={COLUMNS}
        pageAt={(cursor) => apiRequest('GET /api/admin/publishers', { query: { ...filled(params), cursor } })}
        rowsOf={(page) => page.publishers}
        keyOf={({ slug }) => slug}
        sorting={sortingOf(params, { sort: 'slug', direction: 'asc' })}
      />
      <NameRequests />
    </>
  );
}

function Detail({ publisher }: { publisher: Sized }) {
  const { slug, website, apps, installs, createdAt, storage } = publisher;
  const params = useParams(['sort', 'direction']);
  return (
    <>
      <Named picture={<Initials name={publisher.name} />}>
        <h1>
          <bdi>{visible(publisher.name)}</bdi> <Verdict of={verdictOf({ publisher })} />{' '}
          <SuspendedBadge {...publisher} />
        </h1>
        <p className="soft">{`${website ?? 'no website'}, created ${day(createdAt)}`}</p>
      </Named>
      <SuspensionNote suspension={publisher.suspension} />
      <Card>
        <Facts
          facts={[
            ['Short name', <code key="slug">{slug}</code>],
            ['Apps', apps.toLocaleString('en')],
            ['Installs', installs.toLocaleString('en')],
            ['Storage', storageText(storage) + (storage.isOwn ? ', a limit of its own' : '')],
            [
              'In the catalogue',
              publisher.suspended ? (
                'hidden while suspended'
              ) : !hasExtension('storefront') ? (
                'yes'
              ) : (
                <a key="page" href={`/publishers/${slug}`}>
                  Its public page
                </a>
              ),
            ],
          ]}
        />
      </Card>
      <AppTable label="Apps" query={{ ...params, publisher: slug }} />
      <ActList acts={useActs(publisher)} links={stopOf(slug)} />
      <PublisherAccess slug={slug} />
      <History title="What happened" query={{ publisher: slug }} />
    </>
  );
}

export function PublisherView({ slug }: { slug: string }) {
  const publishers = useRead(apiRequest('GET /api/admin/publishers', { query: { slug } }));
  return (
    <Loaded query={publishers} page="Publisher">
      {({ publishers: [publisher] }) =>
        publisher === undefined ? (
          <NotFound isGone href="/admin/publishers" label="All publishers" />
        ) : (
          <Detail publisher={publisher} />
        )
      }
    </Loaded>
  );
}
