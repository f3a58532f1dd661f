import type { AppRecords, RevocationEntry } from '@svc/contracts';
import { apiRequest, type QueryName } from '@svc/contracts/client';
import { visible } from '@svc/text';
import { count, day, Facts, Field, Loaded, moment, Rows, textOf } from '@svc/ui';
import { type Act, ActList, RowMenu } from '../account/acts.tsx';
import { Card, Named, NotFound } from '../account/parts.tsx';
import { useChange, useRead } from '../account/use-store.ts';
import { useParams } from '../address.ts';
import { Icon, StateBadge } from '../dashboard/parts.tsx';
import { hasExtension } from '../extensions/has.ts';
import { iconOf, pathOf as reviewPath } from '../moderation/version-path.ts';
import { type Column, Day } from './data-table.tsx';
import { History } from './history.tsx';
import { Choice, Filters, SearchField } from './list.tsx';
import { filled, PagedTable } from './paged-table.tsx';
import { sortingOf } from './sort.ts';
import { SuspendedBadge, SuspensionNote, suspensionOf } from './suspension.tsx';

type App = AppRecords['apps'][number];

const pathOf = (appId: string): string => `/admin/apps/${encodeURIComponent(appId)}`;

const stopOf = (appId: string) =>
  hasExtension('emergencies')
    ? [['Stop everywhere…', `/admin/emergencies?${new URLSearchParams({ appId })}`] as const]
    : [];

function useActs({ appId, suspended }: App): Act[] {
  const params = { appId };
  const change = useChange((json: { suspended: boolean; reason?: string }) =>
    apiRequest('PATCH /api/admin/apps/:appId', { params, json }),
  );
  const reassign = useChange((json: { publisher: string; reason: string }) =>
    apiRequest('POST /api/admin/apps/:appId/reassign', { params, json }),
  );
  return [
    {
      label: 'Give to another publisher…',
      title: `Give ${appId} to another publisher`,
      yes: 'Give to this publisher',
      tone: 'main',
      effect: 'Gives the app to another publisher. Tokens and CI workflows for it end.',
      copies: 'Go on working. Users are asked again at the next update, as the publisher changes.',
      notice: 'The members of both publishers get a mail.',
      fields: <Field label="Short name of the publisher" name="publisher" required maxLength={40} />,
      reason: 'Reason, recorded',
      send: (data) =>
        reassign.mutateAsync({ publisher: textOf(data, 'publisher'), reason: textOf(data, 'reason') }),
    },
    suspensionOf({
      name: appId,
      effect:
        'Hides the app, blocks new uploads, and takes its versions out of the review queue until the suspension ends.',
      copies: 'Go on working. To switch them off too, use “Stop everywhere”.',
      notice: 'The members of its publisher get a mail with the reason.',
      suspended,
      change: change.mutateAsync,
    }),
  ];
}

const Menu = ({ app }: { app: App }) => (
  <RowMenu name={visible(app.name)} acts={useActs(app)} links={stopOf(app.appId)} />
);

const iconPath = ({ appId, newest }: App): string | null =>
  newest && iconOf({ appId, version: newest.version });

const Newest = ({ app: { appId, newest } }: { app: App }) =>
  newest === null ? (
    'none'
  ) : (
    <span className="one-line">
      <a href={reviewPath({ appId, version: newest.version })}>{visible(newest.version)}</a>{' '}
      <StateBadge state={newest.status} />
    </span>
  );

const Owner = ({ app: { publisher, publisherName } }: { app: App }) => (
  <a href={`/admin/publishers/${publisher}`}>
    <bdi>{visible(publisherName)}</bdi>
  </a>
);

/** Where an app is in the catalogue, in words. */
const STATES: Readonly<Record<App['state'], string>> = {
  listed: 'listed',
  delisted: 'delisted',
  unpublished: 'not published',
  held: 'no new installs',
  suspended: 'suspended',
};

const STATE_LOOKS: Readonly<Partial<Record<App['state'], string>>> = {
  held: 'badge mild',
  suspended: 'badge fault',
};

/** Where an app is in the catalogue. The publisher's suspension hides it too. */
const State = ({ app: { state, suspended, suspension } }: { app: App }) => (
  <span
    className={STATE_LOOKS[state] ?? 'badge'}
    title={
      state !== 'suspended'
        ? undefined
        : suspended
          ? suspension && `${suspension.reason} (${moment(suspension.at)})`
          : 'Its publisher is suspended.'
    }
  >
    {STATES[state]}
  </span>
);

const COLUMNS: readonly Column<App>[] = [
  {
    label: 'App',
    sort: 'id',
    cell: (app) => (
      <Named picture={<Icon path={iconPath(app)} name={visible(app.name)} side={44} />}>
        <a href={pathOf(app.appId)}>
          <bdi>{visible(app.name)}</bdi>
        </a>
        <br />
        <code className="soft">{app.appId}</code>
      </Named>
    ),
  },
  {
    label: 'Publisher',
    sort: 'publisher',
    cell: (app) => <Owner app={app} />,
  },
  { label: 'State', cell: (app) => <State app={app} /> },
  { label: 'Newest version', cell: (app) => <Newest app={app} /> },
  { label: 'Versions', atEnd: true, cell: ({ versions }) => versions.toLocaleString('en') },
  { label: 'Installs', atEnd: true, cell: ({ installs }) => installs.toLocaleString('en') },
  { label: 'First upload', sort: 'created', cell: ({ createdAt }) => <Day at={createdAt} /> },
  { label: 'Actions', atEnd: true, cell: (app) => <Menu app={app} /> },
];

function Yanked({ entry: { appId, version, reason, at } }: { entry: RevocationEntry }) {
  const undo = useChange((why: string) =>
    apiRequest('POST /api/admin/apps/:appId/versions/:version/unyank', {
      params: { appId, version },
      json: { reason: why },
    }),
  );
  const act: Act = {
    label: 'Undo yank…',
    title: `Undo the yank of ${appId} ${version}`,
    yes: 'Undo yank',
    tone: 'main',
    effect:
      'Publishes the version again, with its original signature. Where the policy demands two persons, the first is recorded, and the second publishes.',
    copies: 'Clients enable the version again within minutes.',
    notice: 'No mail is sent. The reason is shown with the version.',
    reason: 'Reason, recorded and shown with the version',
    send: (data) => undo.mutateAsync(textOf(data, 'reason')),
  };
  return (
    <li>
      <div>
        <a href={pathOf(appId)}>
          <code>{appId}</code>
        </a>{' '}
        {version} <span className="soft">{moment(at)}</span>
        <p className="plain">{reason}</p>
      </div>
      <RowMenu name={`${appId} ${version}`} acts={[act]} />
    </li>
  );
}

/** The yanked versions of the store, or of one app. */
function YankedVersions({ appId }: { appId?: string }) {
  const list = useRead(apiRequest('GET /api/apps/revocations'));
  return (
    <Card title="Yanked versions">
      <Loaded query={list}>
        {({ entries: all }) => {
          const entries = all.filter((entry) => appId === undefined || entry.appId === appId);
          return (
            <Rows none="No versions are yanked." of={entries}>
              {(entry) => <Yanked key={`${entry.appId} ${entry.version}`} entry={entry} />}
            </Rows>
          );
        }}
      </Loaded>
    </Card>
  );
}

/** A table of apps, of all or of one publisher. */
export const AppTable = ({ query, label }: { query: Record<string, string>; label: string }) => (
  <PagedTable
    label={label}
    columns={query.publisher === undefined ? COLUMNS : COLUMNS.filter(({ label }) => label !== 'Publisher')}
    pageAt={(cursor) => apiRequest('GET /api/admin/apps', { query: { ...filled(query), cursor } })}
    rowsOf={(page) => page.apps}
    keyOf={({ appId }) => appId}
    sorting={sortingOf(query, { sort: 'id', direction: 'asc' })}
  />
);

export function Apps() {
  const params = useParams<QueryName<'GET /api/admin/apps'>>(['q', 'state', 'sort', 'direction']);
  return (
    <>
      <h1>Apps</h1>
      <Filters>
        <SearchField
          label="Search by name, id or publisher"
          name="q"
          defaultValue={params.q}
          maxLength={80}
        />
        <Choice
          label="State"
          name="state"
          value={params.state}
          options={[['', 'any'], ...Object.entries(STATES)]}
        />
      </Filters>
      <AppTable query={params} label="Apps" />
      <YankedVersions />
    </>
  );
}

/** The states of apps that have a public page. */
const PUBLIC: ReadonlySet<App['state']> = new Set(['listed', 'delisted']);

function Detail({ app }: { app: App }) {
  const { appId, publisher, versions, installs, createdAt } = app;
  const owners = useRead(apiRequest('GET /api/admin/publishers', { query: { slug: publisher } }));
  const owner = owners.data?.publishers[0];
  return (
    <>
      <Named picture={<Icon path={iconPath(app)} name={visible(app.name)} side={64} />}>
        <h1>
          <bdi>{visible(app.name)}</bdi> <SuspendedBadge {...app} />
        </h1>
        <p>
          <code>{appId}</code>
        </p>
      </Named>
      <SuspensionNote suspension={app.suspension} />
      <Card>
        <Facts
          facts={[
            [
              'Publisher',
              <>
                <Owner app={app} /> {owner ? <SuspendedBadge {...owner} /> : null}
              </>,
            ],
            ['Newest version', <Newest key="newest" app={app} />],
            ['Uploaded', `${count(versions, 'version')}, the first on ${day(createdAt)}`],
            ['Installs', installs.toLocaleString('en')],
            [
              'In the catalogue',
              <>
                <State app={app} />{' '}
                {hasExtension('storefront') && PUBLIC.has(app.state) ? (
                  <a href={`/apps/${encodeURIComponent(appId)}`}>Its public page</a>
                ) : null}
              </>,
            ],
          ]}
        />
      </Card>
      <ActList acts={useActs(app)} links={stopOf(appId)} />
      <YankedVersions appId={appId} />
      <History title="What happened" query={{ appId }} />
    </>
  );
}

export function AppView({ appId }: { appId: string }) {
  const apps = useRead(apiRequest('GET /api/admin/apps', { query: { appId } }));
  return (
    <Loaded query={apps} page="App">
      {({ apps: [app] }) =>
        app === undefined ? <NotFound isGone href="/admin/apps" label="All apps" /> : <Detail app={app} />
      }
    </Loaded>
  );
}
