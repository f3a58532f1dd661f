import type { ExtensionName } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { visible } from '@svc/text';
import { count, spanText } from '@svc/text/quantity';
import { EmptyState, ErrorMessage, ReloadButton, useReload, When } from '@svc/ui';
import { useMutation, useQueries, useQuery } from '@tanstack/react-query';
import { type ReactNode, type RefObject, useEffect } from 'react';
import { read, send } from '../account/api.ts';
import { useActor, useSignedIn } from '../account/use-store.ts';
import { useParams, visit } from '../address.ts';
import { hasExtension } from '../extensions/has.ts';
import { Badges } from './badges.tsx';
import type { Case, Waiting } from './cases.ts';
import { CASE_KEYS, KeysHelp, useKeys, useRows } from './keys.tsx';
import { keepList, keepQueueSearch } from './use-queue.ts';
import { useWho } from './who.ts';
import { dueWords } from './words.ts';

/** A kind of case: the page of those of the kind alone, and how they are read. */
export type Kind = {
  path: string;
  label: string;
  /** One of them, as counts name it. */
  one: string;
  extension?: ExtensionName;
  view: ReactNode;
  /** Reads those that wait longest, and how many there are. */
  read(): Promise<Waiting>;
};

/** What the store says of cases of all kinds: whose they are, and how long one may wait. A store without it has this for versions alone. */
function useAssignments() {
  const { data, refetch } = useQuery({
    queryKey: ['inbox', 'assignments'],
    queryFn: () => read(apiRequest('GET /api/moderation/cases')),
    enabled: hasExtension('cases'),
    gcTime: 0,
  });
  const keyOf = ({ kind, subject }: Case['of']) => `${kind} ${subject}`;
  const assigned = new Map(data?.assignments.map((one) => [keyOf(one), one.assignedTo]));
  return {
    refetch,
    /** Adds to a case what its own list does not say. */
    complete: <One extends Case>(one: One): One => ({
      ...one,
      assignedTo: one.assignedTo ?? assigned.get(keyOf(one.of)) ?? null,
      dueAt: one.dueAt ?? (data ? new Date(Date.parse(one.since) + data.reviewMs).toISOString() : null),
    }),
  };
}

/** Reads what waits of each kind. A kind that cannot be read hides no other. */
function useCases(kinds: readonly Kind[]) {
  return useQueries({
    queries: kinds.map(({ path, read }) => ({ queryKey: ['inbox', path], queryFn: read, gcTime: 0 })),
    combine: (results) => ({
      cases: results
        .flatMap(
          ({ data }, index) => data?.cases.map((one) => ({ ...one, kind: kinds[index] as Kind })) ?? [],
        )
        .sort((a, b) => (a.since < b.since ? -1 : a.since > b.since ? 1 : 0)),
      counts: results.flatMap(({ data }, index) =>
        data && data.total > 0
          ? [`${data.isMore ? 'more than ' : ''}${count(data.total, (kinds[index] as Kind).one)}`]
          : [],
      ),
      isPending: results.some(({ isPending }) => isPending),
      failed: results.flatMap(({ error }, index) =>
        error ? [{ label: (kinds[index] as Kind).label, error }] : [],
      ),
      refetch: () => Promise.all(results.map(({ refetch }) => refetch())),
    }),
  });
}

const INBOX = [
  ...CASE_KEYS,
  ['Enter', 'open the case'],
  ['m', 'assign the case to me, or no longer'],
  ['r', 'reload the list'],
] as const;

const WHOSE = { '': 'All', me: 'Mine', none: 'Unassigned' } as const;

/** Filters by the moderator that cases are assigned to. */
function WhoseFilter({ whose }: { whose: string }) {
  return (
    <nav className="pills" aria-label="Assigned to">
      {Object.entries(WHOSE).map(([to, label]) => (
        <a
          key={to}
          href={to === '' ? '/moderation' : `/moderation?whose=${to}`}
          {...(to === whose && { 'aria-current': 'page' as const })}
        >
          {label}
        </a>
      ))}
    </nav>
  );
}

function CaseRow({ one, who }: { one: Case & { kind: Kind }; who(by: string): string }) {
  const now = Date.now();
  const isLate = one.dueAt !== null && Date.parse(one.dueAt) < now;
  return (
    <a href={one.href} className="queue-row case">
      <span className="kind soft">{one.kind.one}</span>
      {one.icon === null ? (
        <span className="app-icon" />
      ) : (
        <img className="app-icon" src={one.icon} alt="" width={36} height={36} loading="lazy" />
      )}
      <span className="what">
        <bdi className="name">{visible(one.name)}</bdi>
        <span className="soft">{one.about}</span>
      </span>
      <Badges badges={one.badges}>
        {one.assignedTo === null ? null : (
          <span className="badge good lock">{`Assigned to ${who(one.assignedTo)}`}</span>
        )}
      </Badges>
      <span className="when">
        <span className={isLate ? 'fault' : ''}>
          {one.dueAt === null ? null : `${dueWords(one.dueAt, now)}, `}
          <When at={one.dueAt ?? one.since} />
        </span>
        <span className="soft">{`waiting for ${spanText(now - Date.parse(one.since))}`}</span>
      </span>
    </a>
  );
}

/** Everything that waits for a moderator, the longest waiting first. Each kind has a page of its own, with its filters. */
export function Inbox({ kinds }: { kinds: readonly Kind[] }) {
  useEffect(() => {
    keepList('/moderation');
    keepQueueSearch('');
  }, []);
  const { whose = '' } = useParams(['whose']);
  const [inbox, assignments, me, who] = [useCases(kinds), useAssignments(), useActor(), useWho()];
  const { counts, isPending, failed } = inbox;
  const all = inbox.cases.map(assignments.complete);
  const cases = all.filter(
    ({ assignedTo }) => whose === '' || (whose === 'me' ? assignedTo === me : assignedTo === null),
  );
  const refetch = () => Promise.all([inbox.refetch(), assignments.refetch()]);
  const reload = useReload({ error: failed[0]?.error ?? null, refetch });
  const rows = useRows(cases.map(({ href }) => href));
  const { csrf } = useSignedIn();
  // Over with the answer: a press while the lists are read again counts.
  const assign = useMutation({
    mutationFn: ({ of, assignedTo }: Case) =>
      send(
        csrf,
        apiRequest('PUT /api/moderation/cases/:kind/:subject/assignment', {
          params: of,
          json: { to: assignedTo === me ? null : me, from: assignedTo },
        }),
      ),
    onSettled: () => void refetch(),
  });
  useKeys({
    ...rows.keys,
    r: reload.reload,
    m: () => {
      const one = cases[rows.at];
      // Twice for one case would be refused, as the first may have changed it.
      const isBusy = assign.isPending && assign.variables.href === one?.href;
      if (one && hasExtension('cases') && !isBusy) assign.mutate(one);
    },
    Enter: () => {
      const one = cases[rows.at];
      if (one) visit(one.href);
    },
  });
  return (
    <>
      <div className="cluster head">
        <h1>Inbox</h1>
        <span className="buttons">
          <ReloadButton {...reload} />
          <KeysHelp keys={INBOX} />
        </span>
      </div>
      {hasExtension('cases') ? <WhoseFilter whose={whose} /> : null}
      {/* Below all that is shown before the cases are there: it may take two lines. */}
      <p role="status" className="soft">
        {isPending ? 'Loading…' : counts.join(', ')}
      </p>
      <ErrorMessage error={assign.error} />
      {failed.length === 0 ? null : (
        <p>{`${failed.map(({ label }) => label).join(', ')} could not be read. Reload the list to try again.`}</p>
      )}
      {/* Of a store that is away, once. */}
      {[...new Map(failed.map(({ error }) => [error.message, error])).values()].map((error) => (
        <ErrorMessage key={error.message} error={error} />
      ))}
      {!isPending && failed.length === 0 && cases.length === 0 ? (
        <EmptyState icon="inbox" title={all.length === 0 ? 'Nothing is waiting' : 'No such case is waiting'}>
          <p>
            {all.length === 0 ? (
              'New versions, changed servers, appeals, reports and reviews appear here.'
            ) : (
              <a href="/moderation">Show all cases</a>
            )}
          </p>
        </EmptyState>
      ) : null}
      {/* All kinds at once: a kind that came later would move the rows of others. */}
      {isPending || cases.length === 0 ? null : (
        <ol
          ref={rows.list as RefObject<HTMLOListElement | null>}
          className="inbox"
          aria-label="Cases, the longest waiting first"
        >
          {cases.map((one, index) => (
            <li key={one.href} {...rows.rowProps(index)}>
              <CaseRow one={one} who={who} />
            </li>
          ))}
        </ol>
      )}
    </>
  );
}
