import type { PersonRecord, PersonRole } from '@svc/contracts';
import { apiRequest, type QueryName } from '@svc/contracts/client';
import { ConfirmButton, day, ErrorMessage, Field } from '@svc/ui';
import { useState } from 'react';
import { Card, Fields, Secret, textOf } from '../account/parts.tsx';
import { useChange, useSignedIn } from '../account/use-store.ts';
import { PersonAccess } from './access.tsx';
import { useParams } from './address.ts';
import type { Column } from './data-table.tsx';
import { Choice, Filters, SearchField, YES_OR_NO } from './list.tsx';
import { PagedTable } from './paged-table.tsx';
import { sortingOf } from './sort.ts';
import { SuspendedBadge, Suspension } from './suspension.tsx';
import { filled, usePages } from './use-pages.ts';
import { WORDS } from './words.ts';

const MESSAGES = WORDS.people;

const ROLES = Object.entries(MESSAGES.roles) as [PersonRole, string][];

/** Changes a role after a confirmation: the new role applies immediately. */
function Role({ person, change }: { person: PersonRecord; change(role: PersonRole): void }) {
  const [chosen, choose] = useState<PersonRole>(person.role);
  return (
    <>
      <select
        aria-label={MESSAGES.roleOf(person.name)}
        value={chosen}
        onChange={(event) => choose(event.target.value as PersonRole)}
      >
        {ROLES.map(([role, label]) => (
          <option key={role} value={role}>
            {label}
          </option>
        ))}
      </select>
      {chosen === person.role ? null : (
        <ConfirmButton
          tone="plain"
          label={MESSAGES.makeRole(MESSAGES.roles[chosen])}
          sure={MESSAGES.roleSure(person.name, MESSAGES.roles[chosen])}
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
  if (id === me.id) return <span className="badge">{MESSAGES.roles[person.role]}</span>;
  return (
    <>
      <span className="buttons">
        <Role key={person.role} person={person} change={(role) => change.mutate({ role })} />
        <Suspension
          name={name}
          effect={MESSAGES.suspendEffect}
          suspended={suspended}
          change={(json) => change.mutate(json)}
        />
        <button type="button" className="quiet" onClick={() => reset.mutate()}>
          {MESSAGES.reset}
        </button>
        <PersonAccess id={id} name={name} />
      </span>
      <ErrorMessage error={change.error ?? reset.error} />
      {reset.data ? <Secret label={MESSAGES.resetLabel} text={reset.data.url} /> : null}
    </>
  );
}

const COLUMNS: readonly Column<PersonRecord>[] = [
  {
    label: MESSAGES.person,
    sort: 'name',
    cell: ({ name, email, emailVerified, suspended, suspension }) => (
      <>
        <bdi>{name}</bdi> <SuspendedBadge suspended={suspended} suspension={suspension} />
        <br />
        <span className="soft">
          {email ?? MESSAGES.noEmail}
          {email !== null && !emailVerified ? `, ${MESSAGES.unconfirmed}` : ''}
        </span>
      </>
    ),
  },
  { label: MESSAGES.joined, sort: 'created', cell: ({ createdAt }) => day(createdAt) },
  { label: MESSAGES.access, cell: (person) => <Actions person={person} /> },
];

/** Adds a user, also where sign-up is closed, and shows the link with which the user sets a password. */
function NewUser() {
  const add = useChange((json: { name: string; email: string }) =>
    apiRequest('POST /api/admin/people', { json }),
  );
  return (
    <Card title={MESSAGES.add}>
      <p className="soft">{MESSAGES.addHint}</p>
      <Fields
        action={MESSAGES.submit}
        busy={add.isPending}
        submit={(data) => add.mutateAsync({ name: textOf(data, 'name'), email: textOf(data, 'email') })}
      >
        <Field label={MESSAGES.name} name="name" required maxLength={80} />
        <Field label={MESSAGES.email} name="email" type="email" required maxLength={254} />
      </Fields>
      {add.data ? (
        <>
          <Secret label={MESSAGES.resetLabel} text={add.data.link.url} />
          <p className="soft">{MESSAGES.toPublishers}</p>
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
      <h1>{MESSAGES.title}</h1>
      <Filters>
        <SearchField label={MESSAGES.q} name="q" defaultValue={params.q} maxLength={254} />
        <Choice label={MESSAGES.role} name="role" value={params.role} options={[['', WORDS.any], ...ROLES]} />
        <Choice label={WORDS.isSuspended} name="suspended" value={params.suspended} options={YES_OR_NO} />
      </Filters>
      <PagedTable
        label={MESSAGES.title}
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
