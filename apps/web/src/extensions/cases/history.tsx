import { AUDIT_WORDS, type DecidedKind, type HistoryEntry } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { visible } from '@svc/text';
import { EmptyState, ErrorMessage, ReloadButton, useReload, When } from '@svc/ui';
import { LoadMore } from '../../account/parts.tsx';
import { useParams } from '../../address.ts';
import { usePages } from '../../dashboard/use-live.ts';
import { pathOf } from '../../moderation/version-path.ts';
import { useWho } from '../../moderation/who.ts';

const KINDS = {
  '': 'All',
  version: 'Versions',
  server: 'Servers',
  appeal: 'Appeals',
  report: 'Reports',
  review: 'Reviews',
  app: 'Apps',
} as const satisfies Record<DecidedKind | '', string>;

const addressOf = (query: { kind: string; by: string }): string => {
  const given = Object.entries(query).filter(([, value]) => value !== '');
  return `/moderation/history?${new URLSearchParams(given)}`;
};

function Pills({ label, of }: { label: string; of: readonly (readonly [string, string, boolean])[] }) {
  return (
    <nav className="pills" aria-label={label}>
      {of.map(([href, name, isCurrent]) => (
        <a key={href} href={href} {...(isCurrent && { 'aria-current': 'page' as const })}>
          {name}
        </a>
      ))}
    </nav>
  );
}

/** What a decision is about: a link to the version, or the app or publisher. */
function Subject({ entry }: { entry: HistoryEntry }) {
  const { appId, version, publisher } = entry;
  if (appId === null) return publisher === null ? null : <code>{visible(publisher)}</code>;
  if (version === null) return <code>{visible(appId)}</code>;
  return <a href={pathOf({ appId, version })}>{`${visible(appId)} ${visible(version)}`}</a>;
}

/** What was decided about cases of all kinds, the newest first. */
export function History() {
  const { kind: asked = '', by: askedBy = '' } = useParams(['kind', 'by']);
  const kind = asked !== '' && Object.hasOwn(KINDS, asked) ? (asked as DecidedKind) : undefined;
  const by = askedBy === 'me' ? 'me' : undefined;
  const query = usePages((cursor) =>
    apiRequest('GET /api/moderation/history', { query: { kind, by, cursor } }),
  );
  const reload = useReload(query);
  const entries = query.data?.pages.flatMap((page) => page.entries) ?? [];
  const who = useWho(Object.fromEntries(entries.map(({ by: actor, name }) => [actor, name ?? actor])));
  return (
    <>
      <div className="cluster head">
        <h1>History</h1>
        <p className="soft">{query.isPending ? 'Loading…' : 'What was decided, the newest first.'}</p>
        <span className="buttons">
          <ReloadButton {...reload} />
        </span>
      </div>
      <div className="cluster">
        <Pills
          label="Kind"
          of={Object.entries(KINDS).map(([one, label]) => [
            addressOf({ kind: one, by: by ?? '' }),
            label,
            one === (kind ?? ''),
          ])}
        />
        <Pills
          label="Decided by"
          of={[
            [addressOf({ kind: kind ?? '', by: '' }), 'Anyone', by === undefined],
            [addressOf({ kind: kind ?? '', by: 'me' }), 'You', by === 'me'],
          ]}
        />
      </div>
      <ErrorMessage error={query.error} />
      {query.isSuccess && entries.length === 0 ? (
        <EmptyState icon="inbox" title="No decisions">
          <p>Decisions about cases appear here.</p>
        </EmptyState>
      ) : null}
      {entries.length === 0 ? null : (
        <ol className="decided" aria-label="Decisions, the newest first">
          {entries.map((entry) => (
            <li key={entry.id}>
              <p>
                <bdi>{who(entry.by)}</bdi> {AUDIT_WORDS[entry.action as keyof typeof AUDIT_WORDS]}:{' '}
                <Subject entry={entry} />
              </p>
              <span className="soft">
                <When at={entry.at} />
              </span>
              {entry.note === null ? null : <p className="soft">{visible(entry.note)}</p>}
            </li>
          ))}
        </ol>
      )}
      <LoadMore query={query} label="Load older decisions" />
    </>
  );
}
