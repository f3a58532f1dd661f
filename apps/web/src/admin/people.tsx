import type { PeoplePage, PersonRole } from '@svc/contracts';
import { apiRequest, type QueryName } from '@svc/contracts/client';
import { visible } from '@svc/text';
import { day, Facts, Field, Loaded, Select, textOf } from '@svc/ui';
import { type Act, ActButton, ActList, RowMenu } from '../account/acts.tsx';
import { Card, Initials, Named, NotFound, ROLES, Secret } from '../account/parts.tsx';
import { useChange, useRead, useSignedIn } from '../account/use-store.ts';
import { useParams } from '../address.ts';
import { PersonTokens } from './access.tsx';
import { type Column, Day } from './data-table.tsx';
import { History } from './history.tsx';
import { Choice, Filters, SearchField, YES_OR_NO } from './list.tsx';
import { filled, PagedTable } from './paged-table.tsx';
import { sortingOf } from './sort.ts';
import { SuspendedBadge, SuspensionNote, suspensionOf } from './suspension.tsx';

type Person = PeoplePage['people'][number];

const RESET_LABEL = 'Send this link to the user in a way you trust. It works once and expires in an hour.';

const ROLE_OPTIONS = Object.entries(ROLES) as [PersonRole, string][];

const pathOf = (id: string): string => `/admin/people/${encodeURIComponent(id)}`;

const RoleChoice = ({ person: { name, role } }: { person: Person }) => (
  <Select label={`Role of ${name}`} of={ROLE_OPTIONS} name="role" defaultValue={role} />
);

/** The acts on an account. There are none on your own, so that administrators cannot lock themselves out. */
function useActs(person: Person): Act[] {
  const me = useSignedIn();
  const { id, suspended } = person;
  const name = visible(person.name);
  const params = { id };
  const change = useChange((json: { role?: PersonRole; suspended?: boolean; reason?: string }) =>
    apiRequest('PATCH /api/admin/people/:id', { params, json }),
  );
  const reset = useChange(() => apiRequest('POST /api/admin/people/:id/reset-link', { params }));
  if (id === me.id) return [];
  return [
    {
      label: 'Change role…',
      title: `Change the role of ${name}`,
      yes: 'Change role',
      tone: 'main',
      effect:
        'The new role applies immediately. Moderators decide on versions; administrators change everything.',
      notice: 'The user and the other administrators get a mail. The audit log records it.',
      fields: <RoleChoice person={person} />,
      send: (data) => change.mutateAsync({ role: textOf(data, 'role') as PersonRole }),
    },
    {
      label: 'Create password reset link…',
      title: `Password reset link for ${name}`,
      yes: 'Create link',
      tone: 'main',
      effect:
        'Shows a link with which the user sets a new password. Using it ends sessions, tokens and passkeys.',
      notice: 'You send the link. The user gets a mail that it was made, if the address is confirmed.',
      send: () => reset.mutateAsync(),
      shows: (answer) => <Secret label={RESET_LABEL} text={(answer as { url: string }).url} />,
    },
    suspensionOf({
      name,
      effect:
        'Ends their sessions and hides their reviews. Their tokens, also those that they created for publishers, have no effect, and their versions leave the review queue until the suspension ends.',
      copies: 'Go on working.',
      notice:
        'The user gets a mail with the reason, if the address is confirmed; the other administrators get one if the user is one of them.',
      suspended,
      cites: false,
      change: change.mutateAsync,
    }),
  ];
}

const Menu = ({ person }: { person: Person }) => {
  const acts = useActs(person);
  return acts.length === 0 ? (
    <span className="soft">you</span>
  ) : (
    <RowMenu name={visible(person.name)} acts={acts} />
  );
};

const Publishers = ({ slugs }: { slugs: readonly string[] }) =>
  slugs.map((slug, n) => (
    <span key={slug}>
      {n === 0 ? '' : ', '}
      <a href={`/admin/publishers/${slug}`}>{slug}</a>
    </span>
  ));

const emailText = ({ email, emailVerified }: Person): string =>
  email === null ? 'no email' : `${email}${emailVerified ? '' : ', not confirmed'}`;

const COLUMNS: readonly Column<Person>[] = [
  {
    label: 'User',
    sort: 'name',
    cell: (person) => (
      <Named picture={<Initials name={person.name} isPerson />}>
        <a href={pathOf(person.id)}>
          <bdi>{visible(person.name)}</bdi>
        </a>{' '}
        <SuspendedBadge {...person} />
        <br />
        <span className="soft">{emailText(person)}</span>
      </Named>
    ),
  },
  {
    label: 'Role',
    cell: ({ role }) => (role === 'person' ? ROLES.person : <span className="badge now">{ROLES[role]}</span>),
  },
  { label: 'Publishers', cell: ({ publishers }) => <Publishers slugs={publishers} /> },
  { label: 'Joined', sort: 'created', cell: ({ createdAt }) => <Day at={createdAt} /> },
  { label: 'Actions', atEnd: true, cell: (person) => <Menu person={person} /> },
];

/** Adds a user, also where sign-up is closed, and shows the link with which the user sets a password. */
function NewUser() {
  const add = useChange((json: { name: string; email: string }) =>
    apiRequest('POST /api/admin/people', { json }),
  );
  const act: Act<{ link: { url: string } }> = {
    label: 'Add a user',
    title: 'Add a user',
    yes: 'Add user',
    tone: 'main',
    effect: 'Creates an account without a password. The user chooses one with the link that you get.',
    notice: 'No mail is sent: you send the link.',
    fields: (
      <>
        <Field label="Name" name="name" required maxLength={80} />
        <Field label="Email address" name="email" type="email" required maxLength={254} />
      </>
    ),
    send: (data) => add.mutateAsync({ name: textOf(data, 'name'), email: textOf(data, 'email') }),
    shows: ({ link }) => (
      <>
        <Secret label={RESET_LABEL} text={link.url} />
        <p className="soft">To let users publish, make them members of a publisher under Publishers.</p>
      </>
    ),
  };
  return <ActButton act={act} />;
}

/** Lists the users of the store, their roles and suspensions. */
export function People() {
  const params = useParams<QueryName<'GET /api/admin/people'>>([
    'q',
    'role',
    'suspended',
    'sort',
    'direction',
  ]);
  return (
    <>
      <div className="cluster apart head">
        <h1>Users</h1>
        <NewUser />
      </div>
      <Filters>
        <SearchField label="Search by name, email or id" name="q" defaultValue={params.q} maxLength={254} />
        <Choice label="Role" name="role" value={params.role} options={[['', 'any'], ...ROLE_OPTIONS]} />
        <Choice label="Suspended" name="suspended" value={params.suspended} options={YES_OR_NO} />
      </Filters>
      <PagedTable
        label="Users"
        columns={COLUMNS}
        pageAt={(cursor) => apiRequest('GET /api/admin/people', { query: { ...filled(params), cursor } })}
        rowsOf={(page) => page.people}
        keyOf={({ id }) => id}
        sorting={sortingOf(params, { sort: 'created', direction: 'desc' })}
      />
    </>
  );
}

function Detail({ person }: { person: Person }) {
  const acts = useActs(person);
  return (
    <>
      <Named picture={<Initials name={person.name} isPerson />}>
        <h1>
          <bdi>{visible(person.name)}</bdi> <SuspendedBadge {...person} />
        </h1>
        <p className="soft">{emailText(person)}</p>
      </Named>
      <SuspensionNote suspension={person.suspension} />
      <Card>
        <Facts
          facts={[
            ['Role', ROLES[person.role]],
            [
              'Publishers',
              person.publishers.length === 0 ? 'none' : <Publishers key="all" slugs={person.publishers} />,
            ],
            ['Joined', day(person.createdAt)],
            ['Id', <code key="id">{person.id}</code>],
          ]}
        />
      </Card>
      {acts.length === 0 ? null : <ActList acts={acts} />}
      <PersonTokens id={person.id} />
      <History title="What they did" query={{ actor: `person:${person.id}` }} />
    </>
  );
}

export function PersonView({ id }: { id: string }) {
  const people = useRead(apiRequest('GET /api/admin/people', { query: { id } }));
  return (
    <Loaded query={people} page="User">
      {({ people: [person] }) =>
        person === undefined ? (
          <NotFound isGone href="/admin/people" label="All users" />
        ) : (
          <Detail person={person} />
        )
      }
    </Loaded>
  );
}
