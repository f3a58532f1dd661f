import type { PersonRecord, PersonRole } from '@svc/contracts';
import { apiRequest, type QueryName } from '@svc/contracts/client';
import { ConfirmButton, day, ErrorMessage, Field } from '@svc/ui';
import { useState } from 'react';
import { Card, Fields, ROLES, Secret, textOf } from '../account/parts.tsx';
import { useChange, useSignedIn } from '../account/use-store.ts';
import { PersonAccess } from './access.tsx';
import { useParams } from './address.ts';
import type { Column } from './data-table.tsx';
import { Choice, Filters, SearchField, YES_OR_NO } from './list.tsx';
import { filled, PagedTable, usePages } from './paged-table.tsx';
import { sortingOf } from './sort.ts';
import { SuspendedBadge, Suspension } from './suspension.tsx';

const RESET_LABEL = 'Send this link to the user in a way you trust. It works once and expires in an hour.';

const ROLE_OPTIONS = Object.entries(ROLES) as [PersonRole, string][];

/** Changes a role after a confirmation: the new role applies immediately. */
function Role({ person, change }: { person: PersonRecord; change(role: PersonRole): void }) {
  const [chosen, choose] = useState<PersonRole>(person.role);
  return (
    <>
      <select
        aria-label={`Role of ${person.name}`}
        value={chosen}
        onChange={(event) => choose(event.target.value as PersonRole)}
      >
        {ROLE_OPTIONS.map(([role, label]) => (
          <option key={role} value={role}>
            {label}
          </option>
        ))}
      </select>
      {chosen === person.role ? null : (
        <ConfirmButton
          tone="plain"
          label={`Make ${ROLES[chosen].toLowerCase()}`}
          sure={`Change the role of ${person.name} to ${ROLES[chosen]}?`}
          act={() => change(chosen)}
        />
      )}
    </>
  );
}

/** The actions on an account. There are none on your own, so that administrators cannot lock themselves out. */
function Actions({ person }: { person: PersonRecord }) {
  const me = useSignedIn();
  const { id, name, suspended } = person;
  const params = { id };
  const change = useChange((json: { role?: PersonRole; suspended?: boolean; reason?: string }) =>
    apiRequest('PATCH /api/admin/people/:id', { params, json }),
  );
  const reset = useChange(() => apiRequest('POST /api/admin/people/:id/reset-link', { params }));
  if (id === me.id) return <span className="badge">{ROLES[person.role]}</span>;
  return (
    <>
      <span className="buttons">
        <Role key={person.role} person={person} change={(role) => change.mutate({ role })} />
        <Suspension
          name={name}
          effect="This ends their sessions. Their tokens, also those that they created for publishers, have no effect, and their versions leave the review queue until the suspension ends."
          suspended={suspended}
          change={(json) => change.mutate(json)}
        />
        <button type="button" className="quiet" onClick={() => reset.mutate()}>
          Create password reset link
        </button>
        <PersonAccess id={id} name={name} />
      </span>
      <ErrorMessage error={change.error ?? reset.error} />
      {reset.data ? <Secret label={RESET_LABEL} text={reset.data.url} /> : null}
    </>
  );
}

const COLUMNS: readonly Column<PersonRecord>[] = [
  {
    label: 'User',
    sort: 'name',
    cell: ({ name, email, emailVerified, suspended, suspension }) => (
      <>
        <bdi>{name}</bdi> <SuspendedBadge suspended={suspended} suspension={suspension} />
        <br />
        <span className="soft">
          {email ?? 'no email'}
          {email !== null && !emailVerified ? ', email not confirmed' : ''}
        </span>
      </>
    ),
  },
  { label: 'Joined', sort: 'created', cell: ({ createdAt }) => day(createdAt) },
  { label: 'Role and access', cell: (person) => <Actions person={person} /> },
];

/** Adds a user, also where sign-up is closed, and shows the link with which the user sets a password. */
function NewUser() {
  const add = useChange((json: { name: string; email: string }) =>
    apiRequest('POST /api/admin/people', { json }),
  );
  return (
    <Card title="Add a user">
      <p className="soft">The user chooses a password with the link that you get.</p>
      <Fields
        action="Add user"
        busy={add.isPending}
        submit={(data) => add.mutateAsync({ name: textOf(data, 'name'), email: textOf(data, 'email') })}
      >
        <Field label="Name" name="name" required maxLength={80} />
        <Field label="Email address" name="email" type="email" required maxLength={254} />
      </Fields>
      {add.data ? (
        <>
          <Secret label={RESET_LABEL} text={add.data.link.url} />
          <p className="soft">To let users publish, make them members of a publisher under Publishers.</p>
        </>
      ) : null}
      <ErrorMessage error={add.error} />
    </Card>
  );
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
  const people = usePages((cursor) =>
    apiRequest('GET /api/admin/people', { query: { ...filled(params), cursor } }),
  );
  return (
    <>
      <h1>Users</h1>
      <Filters>
        <SearchField label="Name or email starts with" name="q" defaultValue={params.q} maxLength={254} />
        <Choice label="Role" name="role" value={params.role} options={[['', 'any'], ...ROLE_OPTIONS]} />
        <Choice label="Suspended" name="suspended" value={params.suspended} options={YES_OR_NO} />
      </Filters>
      <PagedTable
        label="Users"
        columns={COLUMNS}
        pages={people}
        rowsOf={(page) => page.people}
        keyOf={({ id }) => id}
        sorting={sortingOf(params, { sort: 'created', direction: 'desc' })}
      />
      <NewUser />
    </>
  );
}
