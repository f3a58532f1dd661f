import { EmptyState, ErrorMessage } from '@svc/ui';
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { KeysHelp, useKeys } from './keys.tsx';
import { openFilters, QueueFilters, readFilter } from './queue-filters.tsx';
import { keepQueueSearch } from './queue-search.ts';
import { type Filter, type Row, useQueue } from './use-queue.ts';
import { pathOf } from './version-path.ts';
import { visible } from './visible.ts';
import { useWho } from './who.ts';
import { type Span, Window } from './window.tsx';
import { dueWords, reasonWords, span, WORDS } from './words.ts';

/** Heights of a row in rem: in a wide window, and in a narrow one where its parts are stacked. */
const ROW_REM = { wide: 4.5, narrow: 12 };
const NARROW = '(max-width: 48rem)';

/** Storage key of the position in the queue, which is restored when the moderator returns from a version. */
const positionKey = () => `svc-desk-place${window.location.search}`;

function useNarrow(): boolean {
  const [narrow, setNarrow] = useState(() => window.matchMedia(NARROW).matches);
  useEffect(() => {
    const media = window.matchMedia(NARROW);
    const look = () => setNarrow(media.matches);
    media.addEventListener('change', look);
    return () => media.removeEventListener('change', look);
  }, []);
  return narrow;
}

/** The current time, updated every minute. */
function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 60_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

function Badges({ row }: { row: Row }) {
  const { isFirst, widens, reasons, superseded, changesRequestedAt } = row;
  // The first two badges show these two reasons.
  const others = reasons.filter((reason) => reason !== 'first-version' && reason !== 'permissions-widened');
  return (
    <span className="badges">
      {widens ? <span className="badge wider">+ {WORDS.queue.addsPermissions}</span> : null}
      {isFirst ? <span className="badge">{WORDS.queue.first}</span> : null}
      {others.map((reason) => (
        <span key={reason} className={reason.startsWith('flagged') ? 'badge flagged' : 'badge'}>
          {reasonWords(reason)}
        </span>
      ))}
      {changesRequestedAt === null ? null : <span className="badge">{WORDS.queue.changesRequested}</span>}
      {superseded ? <span className="badge">{WORDS.queue.supersededBadge}</span> : null}
    </span>
  );
}

/** The moderator who holds the lock, or else the one the version is assigned to. */
function Lock({ row, who }: { row: Row; who(by: string): string }) {
  if (row.lock) {
    return <span className="badge lock">{WORDS.queue.locked(who(row.lock.by))}</span>;
  }
  if (row.assignedTo === null) return null;
  return <span className="badge lock">{WORDS.queue.assignedTo(who(row.assignedTo))}</span>;
}

type RowProps = {
  row: Row;
  now: number;
  isActive: boolean;
  hasFocus: boolean;
  who(by: string): string;
  onFocus(): void;
};

function QueueRow({ row, now, isActive, hasFocus, who, onFocus }: RowProps) {
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (hasFocus && document.activeElement !== link.current) link.current?.focus({ preventScroll: true });
  }, [hasFocus]);
  const late = Date.parse(row.dueAt) < now;
  return (
    <a ref={link} href={pathOf(row)} className="queue-row" tabIndex={isActive ? 0 : -1} onFocus={onFocus}>
      <span className="place">{row.position}</span>
      <span className="what">
        <bdi className="name">{visible(row.name)}</bdi>
        <span className="soft">
          <code>{visible(row.appId)}</code> {visible(row.version)}, {visible(row.publisher)}
        </span>
      </span>
      <Badges row={row} />
      <span className="when">
        <span className={late ? 'fault' : ''}>{dueWords(row.dueAt, now)}</span>
        <span className="soft">{WORDS.queue.submitted(span(now - Date.parse(row.submittedAt)))}</span>
      </span>
      <Lock row={row} who={who} />
    </a>
  );
}

/** Filters by assignee; the other filters stay. */
function AssigneeFilter({ filter }: { filter: Filter }) {
  const { assigned = '', ...others } = filter;
  return (
    <nav className="whose" aria-label={WORDS.queue.assignee}>
      {Object.entries(WORDS.queue.assignees).map(([to, label]) => (
        <a
          key={to}
          href={`/moderation?${new URLSearchParams({ ...others, ...(to !== '' && { assigned: to }) })}`}
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
      <EmptyState icon="search-x" title={WORDS.queue.noMatch}>
        <p>
          <a href="/moderation">{WORDS.queue.clear}</a>
        </p>
      </EmptyState>
    );
  return (
    <EmptyState icon="inbox" title={WORDS.queue.none}>
      <p>{WORDS.queue.noneHint}</p>
    </EmptyState>
  );
}

/** The active row of the queue. It is stored, so that it is restored when the moderator returns. */
function useActive(count: number) {
  const [active, setActive] = useState(() => Number(window.sessionStorage.getItem(positionKey()) ?? 0) || 0);
  // The list takes the focus once a key moves the active row, and not when the page opens.
  const [moved, setMoved] = useState(false);
  const at = Math.max(0, Math.min(active, count - 1));
  const set = (index: number) => {
    window.sessionStorage.setItem(positionKey(), String(index));
    setActive(index);
  };
  const go = (index: number) => {
    set(Math.max(0, Math.min(index, count - 1)));
    setMoved(true);
  };
  return { active: at, moved, set, go };
}

/** The queue of versions waiting for a review. */
export function Queue() {
  const filter = readFilter();
  useEffect(() => keepQueueSearch(String(new URLSearchParams(filter))));
  const queue = useQueue(filter);
  const who = useWho();
  const now = useNow();
  const rowRem = useNarrow() ? ROW_REM.narrow : ROW_REM.wide;
  const { rows, total, more } = queue;
  const { active, moved, set, go } = useActive(total);
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
    r: () => void queue.reload(),
    '/': openFilters,
    Enter: () => {
      const row = rows[active];
      if (row) window.location.assign(pathOf(row));
    },
  });
  const show = (index: number): ReactNode => {
    const row = rows[index];
    if (!row) return <span className="queue-row soft">…</span>;
    const isActive = index === active;
    const props = { row, now, isActive, who, hasFocus: isActive && moved };
    return <QueueRow key={`${row.appId} ${row.version}`} {...props} onFocus={() => set(index)} />;
  };
  return (
    <>
      <div className="head">
        <h1>{WORDS.queue.title}</h1>
        <p role="status" className="soft">
          {queue.isPending ? WORDS.loading : queue.error ? '' : WORDS.queue.total(total)}
        </p>
        <span className="buttons">
          <button type="button" className="quiet" onClick={() => void queue.reload()}>
            {WORDS.queue.reload}
          </button>
          <KeysHelp keys={WORDS.keys.queue} />
        </span>
      </div>
      <AssigneeFilter filter={filter} />
      <QueueFilters filter={filter} />
      <ErrorMessage error={queue.error} />
      {queue.error ? (
        <button type="button" onClick={() => void queue.retry()}>
          {WORDS.retry}
        </button>
      ) : null}
      {!queue.isPending && !queue.error && total === 0 ? <NothingWaiting filter={filter} /> : null}
      {total > 0 ? (
        <Window
          className="queue"
          label={WORDS.queue.list}
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
