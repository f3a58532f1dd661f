import type { Publisher, PublisherPage } from '@svc/contracts';
import { Card, ConfirmButton, day, ErrorMessage, Field, Fields, textOf } from '../account/parts.tsx';
import { useChange } from '../account/use-store.ts';
import { VerifiedBadge } from '../account/verified-badge.tsx';
import { useAsked } from './address.ts';
import type { Column } from './data-table.tsx';
import { Choice, Filters, YES_OR_NO } from './list.tsx';
import { NameRequests } from './name-requests.tsx';
import { PagedTable } from './paged-table.tsx';
import { sortingOf } from './sort.ts';
import { usePages } from './use-pages.ts';
import { WORDS } from './words.ts';

const MESSAGES = WORDS.publishers;
const PATH = '/api/admin/publishers';

/** What is done with a publisher: it is vouched for or not, suspended or not. */
function Actions({ publisher: { slug, name, verified, suspended } }: { publisher: Publisher }) {
  const change = useChange<unknown, { verified?: boolean; suspended?: boolean }>((json) => ({
    method: 'PATCH',
    path: `${PATH}/${slug}`,
    json,
  }));
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
        {suspended ? (
          <button type="button" onClick={() => change.mutate({ suspended: false })}>
            {WORDS.unsuspend}
          </button>
        ) : (
          <ConfirmButton
            tone="quiet"
            label={WORDS.suspend}
            sure={MESSAGES.suspendSure(name)}
            act={() => change.mutate({ suspended: true })}
          />
        )}
      </span>
      <ErrorMessage error={change.error} />
    </>
  );
}

const COLUMNS: readonly Column<Publisher>[] = [
  {
    label: MESSAGES.publisher,
    sort: 'name',
    cell: ({ name, website, verified, verifiedHost, suspended }) => (
      <>
        <bdi>{name}</bdi> <VerifiedBadge verified={verified} verifiedHost={verifiedHost} />{' '}
        {suspended ? <span className="badge fault">{WORDS.suspended}</span> : null}
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
  const make = useChange<unknown, object>((json) => ({ method: 'POST', path: PATH, json }));
  const submit = (data: FormData) => {
    const website = textOf(data, 'website');
    return make.mutateAsync({
      slug: textOf(data, 'slug'),
      name: textOf(data, 'name'),
      ...(website && { website }),
    });
  };
  return (
    <Card title={MESSAGES.make}>
      <Fields action={MESSAGES.makeIt} busy={make.isPending} submit={submit}>
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
      </Fields>
      <ErrorMessage error={make.error} />
    </Card>
  );
}

/** Who publishes here: whom the store vouches for, and who is suspended. */
export function Publishers() {
  const asked = useAsked(['q', 'verified', 'suspended', 'sort', 'direction']);
  const publishers = usePages<PublisherPage>(PATH, asked);
  return (
    <>
      <h1>{MESSAGES.title}</h1>
      <Filters>
        <label>
          {MESSAGES.q}
          <input type="search" name="q" defaultValue={asked.q} maxLength={80} />
        </label>
        <Choice label={MESSAGES.verified} name="verified" value={asked.verified} options={YES_OR_NO} />
        <Choice label={WORDS.isSuspended} name="suspended" value={asked.suspended} options={YES_OR_NO} />
      </Filters>
      <PagedTable
        label={MESSAGES.title}
        columns={COLUMNS}
        pages={publishers}
        rowsOf={(page) => page.publishers}
        keyOf={({ slug }) => slug}
        sorting={sortingOf(asked, { sort: 'slug', direction: 'asc' })}
      />
      <NameRequests />
      <NewPublisher />
    </>
  );
}
