import type { ExtensionName } from '@svc/contracts';
import { visible } from '@svc/text';
import { count, spanText } from '@svc/text/quantity';
import { EmptyState, ErrorMessage, ReloadButton, useReload, When } from '@svc/ui';
import { useQueries } from '@tanstack/react-query';
import { type ReactNode, type RefObject, useEffect } from 'react';
import { visit } from '../address.ts';
import { type Badge, Badges } from './badges.tsx';
import { CASE_KEYS, KeysHelp, useKeys, useRows } from './keys.tsx';
import { keepList, keepQueueSearch } from './use-queue.ts';
import { iconOf } from './version-path.ts';
import { dueWords } from './words.ts';

/** Something that waits for a moderator, of any kind. */
export type Case = {
  /** The page on which it is decided. */
  href: string;
  icon: string | null;
  name: string;
  /** What the line below the name says: ids and versions. */
  about: string;
  badges: readonly Badge[];
  since: string;
  /** Null for a kind without a time by which it is due. */
  dueAt: string | null;
};

/** A version as a case: where it is decided, and what names it. */
export const caseOfVersion = (
  href: string,
  ref: { appId: string; version: string; name: string; publisher: string },
): Pick<Case, 'href' | 'icon' | 'name' | 'about'> => ({
  href,
  icon: iconOf(ref),
  name: ref.name,
  about: `${visible(ref.appId)} ${visible(ref.version)}, ${visible(ref.publisher)}`,
});

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

/** The cases of a kind that wait longest. @property total how many wait; @property isMore whether more than these do, when that is all that is known */
export type Waiting = { cases: readonly Case[]; total: number; isMore?: boolean };

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

const INBOX = [...CASE_KEYS, ['Enter', 'open the case'], ['r', 'reload the list']] as const;

function CaseRow({ one }: { one: Case & { kind: Kind } }) {
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
      <Badges badges={one.badges} />
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
  const inbox = useCases(kinds);
  const { cases, counts, isPending, failed } = inbox;
  const reload = useReload({ error: failed[0]?.error ?? null, refetch: inbox.refetch });
  const rows = useRows(cases.map(({ href }) => href));
  useKeys({
    ...rows.keys,
    r: reload.reload,
    Enter: () => {
      const one = cases[rows.at];
      if (one) visit(one.href);
    },
  });
  return (
    <>
      <div className="cluster head">
        <h1>Inbox</h1>
        <p role="status" className="soft">
          {isPending ? 'Loading…' : counts.length === 0 ? '' : counts.join(', ')}
        </p>
        <span className="buttons">
          <ReloadButton {...reload} />
          <KeysHelp keys={INBOX} />
        </span>
      </div>
      {failed.map(({ label, error }) => (
        <div key={label}>
          <p>{`${label} could not be read. Reload the list to try again.`}</p>
          <ErrorMessage error={error} />
        </div>
      ))}
      {!isPending && failed.length === 0 && cases.length === 0 ? (
        <EmptyState icon="inbox" title="Nothing is waiting">
          <p>New versions, changed servers, appeals, reports and reviews appear here.</p>
        </EmptyState>
      ) : null}
      {cases.length === 0 ? null : (
        <ol
          ref={rows.list as RefObject<HTMLOListElement | null>}
          className="inbox"
          aria-label="Cases, the longest waiting first"
        >
          {cases.map((one, index) => (
            <li key={one.href} {...rows.rowProps(index)}>
              <CaseRow one={one} />
            </li>
          ))}
        </ol>
      )}
    </>
  );
}
