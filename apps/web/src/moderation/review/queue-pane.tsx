import type { QueueEntry } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { visible } from '@svc/text';
import { useEffect, useState } from 'react';
import { useRead } from '../../account/use-store.ts';
import { useKeys } from '../keys.tsx';
import { queueSearch } from '../queue-search.ts';
import { pathOf } from '../version-path.ts';
import { dueWords, versionsText } from '../words.ts';

const WIDE = '(min-width: 80rem)';
const MAX_SHOWN = 50;

type Ref = { appId: string; version: string };

/** Whether the window has room for the queue next to the version. */
function useWide(): boolean {
  const [wide, setWide] = useState(() => window.matchMedia(WIDE).matches);
  useEffect(() => {
    const media = window.matchMedia(WIDE);
    const look = () => setWide(media.matches);
    media.addEventListener('change', look);
    return () => media.removeEventListener('change', look);
  }, []);
  return wide;
}

function Entry({ entry, isOpen }: { entry: QueueEntry; isOpen: boolean }) {
  return (
    <li>
      <a href={pathOf(entry)} {...(isOpen && { 'aria-current': 'page' as const })}>
        <bdi>{visible(entry.name)}</bdi>
        <span className="soft">
          {visible(entry.version)}, {dueWords(entry.dueAt, Date.now())}
        </span>
      </a>
    </li>
  );
}

function Entries({ open }: { open: Ref }) {
  const query = { ...Object.fromEntries(new URLSearchParams(queueSearch())), limit: MAX_SHOWN };
  const { data } = useRead(apiRequest('GET /api/moderation/queue', { query }));
  const entries = data?.entries ?? [];
  const at = entries.findIndex(({ appId, version }) => appId === open.appId && version === open.version);
  const go = (by: number) => () => {
    const entry = entries[at + by];
    if (at >= 0 && entry) window.location.assign(pathOf(entry));
  };
  useKeys({ ']': go(1), '[': go(-1) });
  return (
    <nav className="queue-pane" aria-label="Queue">
      <p className="soft">{data ? `${versionsText(data.total)} waiting` : 'Loading…'}</p>
      <ol>
        {entries.map((entry, index) => (
          <Entry key={pathOf(entry)} entry={entry} isOpen={index === at} />
        ))}
      </ol>
    </nav>
  );
}

/** The queue with its last filters, next to the open version; hidden in a narrow window. */
export function QueuePane({ open }: { open: Ref }) {
  return useWide() ? <Entries open={open} /> : null;
}
