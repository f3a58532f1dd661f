import { visible } from '@svc/text';
import { When } from '@svc/ui';
import { useEffect, useRef } from 'react';
import type { Selection } from './selection.tsx';
import type { Row } from './use-queue.ts';
import { iconOf, pathOf } from './version-path.ts';
import { dueWords, reasonWords, span } from './words.ts';

function Badges({ row }: { row: Row }) {
  const { isFirst, widens, reasons, superseded, changesRequestedAt } = row;
  // The first two badges show these two reasons.
  const others = reasons.filter((reason) => reason !== 'first-version' && reason !== 'permissions-widened');
  return (
    <span className="badges">
      {widens ? <span className="badge wider">+ asks for new permissions</span> : null}
      {isFirst ? <span className="badge">first version</span> : null}
      {others.map((reason) => (
        <span key={reason} className={reason.startsWith('flagged') ? 'badge flagged' : 'badge'}>
          {reasonWords(reason)}
        </span>
      ))}
      {changesRequestedAt === null ? null : <span className="badge">changes requested</span>}
      {superseded ? <span className="badge">superseded</span> : null}
    </span>
  );
}

/** The moderator who holds the lock, or else the one the version is assigned to. */
function Lock({ row, who }: { row: Row; who(by: string): string }) {
  if (row.lock) return <span className="badge lock">{`locked by ${who(row.lock.by)}`}</span>;
  if (row.assignedTo === null) return null;
  return <span className="badge lock">{`assigned to ${who(row.assignedTo)}`}</span>;
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
export function QueueRow({ row, now, isActive, hasFocus, selection, who, onFocus }: RowProps) {
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (hasFocus && document.activeElement !== link.current) link.current?.focus({ preventScroll: true });
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
        <Badges row={row} />
        <span className="when">
          <span className={isLate ? 'fault' : ''}>
            {dueWords(row.dueAt, now)}, <When at={row.dueAt} />
          </span>
          <span className="soft">{`submitted ${span(now - Date.parse(row.submittedAt))} ago`}</span>
        </span>
        <Lock row={row} who={who} />
      </a>
    </>
  );
}
