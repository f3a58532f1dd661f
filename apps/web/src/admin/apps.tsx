import type { AppRecords, RevocationEntry } from '@svc/contracts';
import { apiRequest, type QueryName } from '@svc/contracts/client';
import { visible } from '@svc/text';
import { day, ErrorMessage, Field, Loaded, moment } from '@svc/ui';
import { Card, Fields, textOf } from '../account/parts.tsx';
import { useChange, useRead } from '../account/use-store.ts';
import { useParams } from './address.ts';
import type { Column } from './data-table.tsx';
import { Choice, Filters, SearchField, YES_OR_NO } from './list.tsx';
import { filled, PagedTable, usePages } from './paged-table.tsx';
import { sortingOf } from './sort.ts';
import { SuspendedBadge, Suspension } from './suspension.tsx';

type App = AppRecords['apps'][number];

/** Suspends an app after a confirmation, or ends its suspension. */
function AppSuspension({ app: { appId, suspended } }: { app: App }) {
  const change = useChange((json: { suspended: boolean; reason?: string }) =>
    apiRequest('PATCH /api/admin/apps/:appId', { params: { appId }, json }),
  );
  return (
    <>
      <Suspension
        name={appId}
        effect="This hides the app, blocks new uploads, and takes its versions out of the review queue until the suspension ends."
        suspended={suspended}
        change={(json) => change.mutate(json)}
      />
      <ErrorMessage error={change.error} />
    </>
  );
}

/** Gives an app to another publisher. */
function Reassign({ app: { appId } }: { app: App }) {
  const change = useChange((json: { publisher: string; reason: string }) =>
    apiRequest('POST /api/admin/apps/:appId/reassign', { params: { appId }, json }),
  );
  return (
    <details>
      <summary>Give to another publisher</summary>
      <Fields
        action="Give to another publisher"
        busy={change.isPending}
        submit={(data) =>
          change.mutateAsync({ publisher: textOf(data, 'publisher'), reason: textOf(data, 'reason') })
        }
      >
        <Field label="Publisher" name="publisher" required maxLength={40} />
        <Field label="Reason. It is recorded." name="reason" required maxLength={2_000} />
      </Fields>
      <ErrorMessage error={change.error} />
    </details>
  );
}

const COLUMNS: readonly Column<App>[] = [
  {
    label: 'App',
    sort: 'id',
    cell: ({ appId, name, suspended, suspension }) => (
      <>
        <bdi>{visible(name)}</bdi> <SuspendedBadge suspended={suspended} suspension={suspension} />
        <br />
        <code className="soft">{appId}</code>
      </>
    ),
  },
  {
    label: 'Publisher',
    sort: 'publisher',
    cell: ({ publisher }) => (
      <a href={`/admin/publishers?${new URLSearchParams({ q: publisher })}`}>{publisher}</a>
    ),
  },
  { label: 'First upload', sort: 'created', cell: ({ createdAt }) => day(createdAt) },
  {
    label: 'Access',
    cell: (app) => (
      <>
        <AppSuspension app={app} />
        <Reassign app={app} />
      </>
    ),
  },
];

function Yanked({ entry: { appId, version, reason, at } }: { entry: RevocationEntry }) {
  const undo = useChange((why: string) =>
    apiRequest('POST /api/admin/apps/:appId/versions/:version/unyank', {
      params: { appId, version },
      json: { reason: why },
    }),
  );
  return (
    <li>
      <div>
        <code>{appId}</code> {version} <span className="soft">{moment(at)}</span>
        <p className="said">{reason}</p>
        <details>
          <summary>Undo yank</summary>
          <Fields
            action="Undo yank"
            busy={undo.isPending}
            submit={(data) => undo.mutateAsync(textOf(data, 'reason'))}
          >
            <Field
              label="Reason, recorded and shown with the version"
              name="reason"
              required
              maxLength={2_000}
            />
          </Fields>
        </details>
        <p role="status" className="good">
          {undo.isSuccess ? 'Published again.' : ''}
        </p>
        <ErrorMessage error={undo.error} />
      </div>
    </li>
  );
}

function YankedVersions() {
  const list = useRead(apiRequest('GET /api/apps/revocations'));
  return (
    <Card title="Yanked versions">
      <p className="soft">
        Versions on the revocation list. Undoing a yank publishes the version again with its original
        signature.
      </p>
      <Loaded query={list}>
        {({ entries }) =>
          entries.length === 0 ? (
            <p>No versions are yanked.</p>
          ) : (
            <ul className="rows">
              {entries.map((entry) => (
                <Yanked key={`${entry.appId} ${entry.version}`} entry={entry} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  );
}

/** Lists all apps and all yanked versions. */
export function Apps() {
  const params = useParams<QueryName<'GET /api/admin/apps'>>([
    'q',
    'publisher',
    'suspended',
    'sort',
    'direction',
  ]);
  const apps = usePages((cursor) =>
    apiRequest('GET /api/admin/apps', { query: { ...filled(params), cursor } }),
  );
  return (
    <>
      <h1>Apps</h1>
      <Filters>
        <SearchField label="App id or name starts with" name="q" defaultValue={params.q} maxLength={80} />
        <SearchField label="Publisher" name="publisher" defaultValue={params.publisher} maxLength={40} />
        <Choice label="Suspended" name="suspended" value={params.suspended} options={YES_OR_NO} />
      </Filters>
      <PagedTable
        label="Apps"
        columns={COLUMNS}
        pages={apps}
        rowsOf={(page) => page.apps}
        keyOf={({ appId }) => appId}
        sorting={sortingOf(params, { sort: 'id', direction: 'asc' })}
      />
      <YankedVersions />
    </>
  );
}
