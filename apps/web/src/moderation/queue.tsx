import { visible } from '@svc/text';
import { count, spanText } from '@svc/text/quantity';
import { Button, EmptyState, ErrorMessage, ReloadButton, useMedia, useReload, When } from '@svc/ui';
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { visit } from '../address.ts';
import { Badges } from './badges.tsx';
import { KeysHelp, useKeys, useMark } from './keys.tsx';
import { openFilters, QueueFilters } from './queue-filters.tsx';
import { BulkBar, type Selection, useSelection } from './selection.tsx';
import { type Filter, keepList, keepQueueSearch, type Row, readFilter, useQueue } from './use-queue.ts';
import { badgesOf } from './version-cases.ts';
import { iconOf, pathOf } from './version-path.ts';
import { useWho } from './who.ts';
import { type Span, Window } from './window.tsx';
import { dueWords } from './words.ts';

/** The moderator who holds the lock, or else the one the version is assigned to. */
function Lock({ row, who }: { row: Row; who(by: string): string }) {
  if (row.lock) return <span className="badge good lock">{`Locked by ${who(row.lock.by)}`}</span>;
  if (row.assignedTo === null) return null;
  return <span className="badge good lock">{`Assigned to ${who(row.assignedTo)}`}</span>;
}

type RowProps = {
  row: Row;
  now: number;
  isActive: boolean;
  hasFocus: boolean;
  selection: Selection;
  who(by: string): string;
  onFocus(): void;
};

/** A version in the queue: a link to its review, beside the box that selects it. */
function QueueRow({ row, now, isActive, hasFocus, selection, who, onFocus }: RowProps) {
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (!hasFocus || document.activeElement === link.current) return;
    link.current?.focus({ preventScroll: true });
    // The end of the list may be below the window.
    link.current?.scrollIntoView({ block: 'nearest' });
  }, [hasFocus]);
  const isLate = Date.parse(row.dueAt) < now;
  const isOther = selection.publisher !== null && selection.publisher !== row.publisher;
  return (
    <>
      <input
        type="checkbox"
        className="pick"
        aria-label={`Select ${visible(row.name)} ${visible(row.version)}`}
        title={isOther ? 'Select versions of one publisher.' : undefined}
        checked={selection.has(row)}
        disabled={isOther}
        tabIndex={-1}
        onChange={() => selection.toggle(row)}
      />
      <a ref={link} href={pathOf(row)} className="queue-row" tabIndex={isActive ? 0 : -1} onFocus={onFocus}>
        <span className="place">{row.position}</span>
        <img className="app-icon" src={iconOf(row)} alt="" width={36} height={36} loading="lazy" />
        <span className="what">
          <bdi className="name">{visible(row.name)}</bdi>
          <span className="soft">
            <code>{visible(row.appId)}</code> {visible(row.version)}, {visible(row.publisher)}
          </span>
        </span>
        <Badges badges={badgesOf(row)}>
          <Lock row={row} who={who} />
        </Badges>
        <span className="when">
          <span className={isLate ? 'fault' : ''}>
            {dueWords(row.dueAt, now)}, <When at={row.dueAt} />
          </span>
          <span className="soft">{`submitted ${spanText(now - Date.parse(row.submittedAt))} ago`}</span>
        </span>
      </a>
    </>
  );
}

const ASSIGNEES = { '': 'All', me: 'Mine', nobody: 'Unassigned' } as const;

const QUEUE = [
  ['j or ↓', 'next version'],
  ['k or ↑', 'previous version'],
  ['Home, End', 'first, last loaded version'],
  ['Enter', 'open the version'],
  ['s', 'select the version, with others of its publisher'],
  ['a, x', 'approve, reject the selected versions'],
  ['r', 'reload the queue'],
  ['/', 'go to the filters'],
] as const;

/** Heights of a row in rem: in a wide window, and in a narrow one where its parts are stacked. */
const ROW_REM = { wide: 3.75, narrow: 11.75 };
const NARROW = '(max-width: 48rem)';

/** Storage key of the position in the queue, which is restored when the moderator returns from a version. */
const positionKey = () => `svc-desk-place${window.location.search}`;

/** The current time, updated every minute. */
function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 60_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** Filters by assignee; the other filters stay. */
function AssigneeFilter({ filter }: { filter: Filter }) {
  const { assigned = '', ...others } = filter;
  return (
    <nav className="pills" aria-label="Assigned to">
      {Object.entries(ASSIGNEES).map(([to, label]) => (
        <a
          key={to}
          href={`/moderation/versions?${new URLSearchParams({ ...others, ...(to !== '' && { assigned: to }) })}`}
          {...(to === assigned && { 'aria-current': 'page' as const })}
        >
          {label}
        </a>
      ))}
    </nav>
  );
}

/** An empty queue, or one whose filters match nothing. */
function NothingWaiting({ filter }: { filter: Filter }) {
  if (Object.keys(filter).length > 0)
    return (
      <EmptyState icon="search-x" title="No versions match these filters">
        <p>
          <a href="/moderation/versions">Show all versions</a>
        </p>
      </EmptyState>
    );
  return (
    <EmptyState icon="inbox" title="No versions waiting">
      <p>New versions that need a review appear here.</p>
    </EmptyState>
  );
}

export function Queue() {
  const filter = readFilter();
  useEffect(() => {
    const search = String(new URLSearchParams(filter));
    keepQueueSearch(search);
    keepList(search === '' ? '/moderation/versions' : `/moderation/versions?${search}`);
  });
  const queue = useQueue(filter);
  const reload = useReload({ error: queue.error, refetch: queue.reload });
  const who = useWho();
  const now = useNow();
  const isNarrow = useMedia(NARROW);
  const rowRem = isNarrow ? ROW_REM.narrow : ROW_REM.wide;
  const { rows, total, more } = queue;
  const { at: active, moved, set, go } = useMark(total, positionKey());
  const selection = useSelection();
  const seen = useRef<Span>({ from: 0, to: 0 });
  const load = useCallback(() => {
    if (rows.length < Math.max(seen.current.to, active + 1)) more();
  }, [rows.length, active, more]);
  useEffect(load, [load]);
  const onSpan = (now: Span) => {
    seen.current = now;
    load();
  };
  const last = Math.max(0, rows.length - 1);
  useKeys({
    j: () => go(active + 1),
    ArrowDown: () => go(active + 1),
    k: () => go(active - 1),
    ArrowUp: () => go(active - 1),
    Home: () => go(0),
    End: () => go(last),
    s: () => {
      const row = rows[active];
      if (row) selection.toggle(row);
    },
    r: reload.reload,
    '/': openFilters,
    Enter: () => {
      const row = rows[active];
      if (row) visit(pathOf(row));
    },
  });
  const show = (index: number): ReactNode => {
    const row = rows[index];
    if (!row) return <span className="queue-row soft">…</span>;
    const isActive = index === active;
    const props = { row, now, isActive, who, selection, hasFocus: isActive && moved };
    return <QueueRow key={`${row.appId} ${row.version}`} {...props} onFocus={() => set(index)} />;
  };
  return (
    <>
      <div className="cluster head">
        <h1>Versions</h1>
        <p role="status" className="soft">
          {queue.isPending ? 'Loading…' : queue.error ? '' : `${count(total, 'version')} waiting`}
        </p>
        <span className="buttons">
          <ReloadButton {...reload} />
          <KeysHelp keys={QUEUE} />
        </span>
      </div>
      <AssigneeFilter filter={filter} />
      <QueueFilters key={String(isNarrow)} filter={filter} isOpen={!isNarrow} />
      <ErrorMessage error={queue.error} />
      {queue.error ? <Button label="Retry" onClick={() => void queue.retry()} /> : null}
      {!queue.isPending && !queue.error && total === 0 ? <NothingWaiting filter={filter} /> : null}
      <BulkBar selection={selection} reload={queue.reload} />
      {total > 0 ? (
        <Window
          className="queue"
          label="Versions waiting for review, oldest first"
          count={total}
          rowRem={rowRem}
          pinned={active}
          shown={active}
          row={show}
          onSpan={onSpan}
        />
      ) : null}
    </>
  );
}
