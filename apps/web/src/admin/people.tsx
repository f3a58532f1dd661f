import type { PeoplePage, PersonRecord, PersonRole, ResetLink } from '@svc/contracts';
import { useState } from 'react';
import { Card, ConfirmButton, Copied, day, ErrorMessage, Loaded } from '../account/parts.tsx';
import { useChange, useSignedIn } from '../account/use-store.ts';
import { Choice, Filters, More, narrowedBy, YES_OR_NO } from './list.tsx';
import { usePages } from './use-pages.ts';
import { WORDS } from './words.ts';

const MESSAGES = WORDS.people;
const PATH = '/api/admin/people';

const ROLES = Object.entries(MESSAGES.roles) as [PersonRole, string][];

const appPath = (id: string): string => `${PATH}/${encodeURIComponent(id)}`;

/** Another role is given after one more question, as it holds at once. */
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

function Person({ person }: { person: PersonRecord }) {
  const me = useSignedIn();
  const { id, name, email, emailVerified, suspended, createdAt } = person;
  const change = useChange<unknown, { role?: PersonRole; suspended?: boolean }>((json) => ({
    method: 'PATCH',
    path: appPath(id),
    json,
  }));
  const reset = useChange<ResetLink>(() => ({ method: 'POST', path: `${appPath(id)}/reset-link` }));
  return (
    <li>
      <div>
        <strong>
          <bdi>{name}</bdi>
        </strong>{' '}
        {suspended ? <span className="badge fault">{WORDS.suspended}</span> : null}
        <p className="soft">
          {email ?? MESSAGES.noEmail}
          {email !== null && !emailVerified ? `, ${MESSAGES.unconfirmed}` : ''},{' '}
          {MESSAGES.since(day(createdAt))}
        </p>
        <ErrorMessage error={change.error ?? reset.error} />
        {reset.data ? <Copied label={MESSAGES.resetLabel} text={reset.data.url} /> : null}
      </div>
      {id === me.id ? (
        <span className="badge">{MESSAGES.roles[person.role]}</span>
      ) : (
        <span className="buttons">
          <Role key={person.role} person={person} change={(role) => change.mutate({ role })} />
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
          <button type="button" className="quiet" onClick={() => reset.mutate()}>
            {MESSAGES.reset}
          </button>
        </span>
      )}
    </li>
  );
}

/** Everybody who signs in to the store: their roles, and who is suspended. */
export function People() {
  const narrowed = narrowedBy(['q', 'role', 'suspended']);
  const people = usePages<PeoplePage>(PATH, narrowed);
  return (
    <>
      <h1>{MESSAGES.title}</h1>
      <Filters>
        <label>
          {MESSAGES.q}
          <input type="search" name="q" defaultValue={narrowed.q} maxLength={254} />
        </label>
        <Choice
          label={MESSAGES.role}
          name="role"
          value={narrowed.role}
          options={[['', WORDS.any], ...ROLES]}
        />
        <Choice label={WORDS.isSuspended} name="suspended" value={narrowed.suspended} options={YES_OR_NO} />
      </Filters>
      <Card title={MESSAGES.title}>
        <Loaded query={people}>
          {(pages) => (
            <ul className="rows">
              {pages
                .flatMap((page) => page.people)
                .map((person) => (
                  <Person key={person.id} person={person} />
                ))}
            </ul>
          )}
        </Loaded>
        <More more={people.more} />
      </Card>
    </>
  );
}
