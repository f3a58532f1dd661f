import type { CatalogEntry, CatalogPage, FeaturedApps } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { LIMITS } from '@svc/contracts/vocabulary';
import { visible } from '@svc/text';
import { Button, ErrorMessage, Icon, Loaded, MenuButton, useDebounced } from '@svc/ui';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useLayoutEffect, useState } from 'react';
import { read } from '../../account/api.ts';
import { Card, Named } from '../../account/parts.tsx';
import { useChange, useLeaveGuard, useRead } from '../../account/use-store.ts';
import { SearchField } from '../../admin/list.tsx';
import { Icon as AppIcon, drawingOf } from '../../dashboard/parts.tsx';
import { iconOf } from '../../moderation/version-path.ts';
import { FeaturedPreview } from './featured-preview.tsx';

const MAX_RESULTS = 8;
/** Time without typing after which the search starts, in milliseconds. */
const DEBOUNCE_MS = 200;

type FindProps = {
  /** Ids of the apps that are featured already. */
  featuredIds: ReadonlySet<string>;
  isFull: boolean;
  add(app: CatalogEntry): void;
};

function Results({ apps, featuredIds, isFull, add }: FindProps & Pick<CatalogPage, 'apps'>) {
  if (apps.length === 0) return <p role="status">No apps match.</p>;
  return (
    <ul className="rows" aria-label="Matching apps">
      {apps.map((app) => {
        const name = visible(app.name);
        return (
          <li key={app.appId}>
            <Named picture={<AppIcon path={drawingOf(app.iconUrl)} name={name} side={44} />}>
              <bdi>{name}</bdi>
              <p className="soft">
                <bdi>{visible(app.publisher.name)}</bdi>, <code>{app.appId}</code>
              </p>
            </Named>
            {featuredIds.has(app.appId) ? (
              <span className="badge">featured</span>
            ) : (
              <Button
                label="Add"
                disabled={isFull}
                aria-label={`Add ${name}`}
                aria-describedby="row-is-full"
                onClick={() => add(app)}
              />
            )}
          </li>
        );
      })}
    </ul>
  );
}

/** Searches the catalogue, and adds apps to the row. */
function FindApp(props: FindProps) {
  const [text, setText] = useState('');
  const q = useDebounced(text, DEBOUNCE_MS).trim();
  const results = useQuery({
    queryKey: ['catalogue', q],
    queryFn: () => read(apiRequest('GET /api/apps/catalog', { query: { q, limit: MAX_RESULTS } })),
    enabled: q !== '',
    placeholderData: keepPreviousData,
  });
  return (
    <Card title="Add an app">
      <SearchField
        label="Find an app"
        id="find-app"
        value={text}
        maxLength={200}
        onChange={(event) => setText(event.target.value)}
      />
      {props.isFull ? (
        <p id="row-is-full" className="mild">
          The row is full. Remove an app first.
        </p>
      ) : null}
      {q === '' ? null : <Loaded query={results}>{({ apps }) => <Results apps={apps} {...props} />}</Loaded>}
    </Card>
  );
}

type Row = FeaturedApps['apps'][number];
type Action = 'up' | 'down' | 'top' | 'remove';

const MOVES = { up: 'Move up', down: 'Move down', top: 'Move to the top' } as const;

/** The id of what holds a button of a row. */
const idOf = (button: 'move' | 'remove', appId: string): string => `${button} ${appId}`;
const idsOf = (rows: readonly Row[]): string[] => rows.map(({ appId }) => appId);

/** Moves the row at `from` to `to`. */
const moved = (rows: readonly Row[], from: number, to: number): Row[] => {
  const row = rows[from];
  return row ? rows.toSpliced(from, 1).toSpliced(to, 0, row) : [...rows];
};

/** Returns a function that focuses an element by id after the next render: moving a row takes the focus from its buttons. */
function useFocusAfter(rows: readonly Row[]): (id: string) => void {
  const [focusId, setFocusId] = useState<string | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the button exists once the rows are rendered
  useLayoutEffect(() => {
    if (focusId === null) return;
    const place = document.getElementById(focusId);
    (place?.querySelector('button') ?? place)?.focus();
    setFocusId(null);
  }, [rows, focusId]);
  return setFocusId;
}

type RowProps = {
  row: Row;
  at: number;
  count: number;
  act(action: Action, at: number): void;
  /** Moves a row that was dragged here. */
  place(from: number, to: number): void;
};

/** The type of what is dragged: the place of a row. Files and texts from elsewhere are not taken. */
const DRAGGED = 'application/x-featured-place';

function FeaturedRow({ row: { appId, name, publisher, version }, at, count, act, place }: RowProps) {
  const shown = visible(name);
  const moves = [...(at > 0 ? (['up', 'top'] as const) : []), ...(at < count - 1 ? (['down'] as const) : [])];
  return (
    <li
      draggable
      onDragStart={({ dataTransfer }) => dataTransfer.setData(DRAGGED, String(at))}
      onDragOver={(event) => {
        if (event.dataTransfer.types.includes(DRAGGED)) event.preventDefault();
      }}
      onDrop={({ dataTransfer }) => place(Number(dataTransfer.getData(DRAGGED)), at)}
    >
      <Named
        picture={
          <>
            <span id={idOf('move', appId)} className="grip">
              <MenuButton label={<Icon name="grip-vertical" />} name={`Move ${shown}`}>
                {(close) =>
                  moves.map((action) => (
                    <Button
                      key={action}
                      label={MOVES[action]}
                      onClick={() => {
                        close();
                        act(action, at);
                      }}
                    />
                  ))
                }
              </MenuButton>
            </span>
            <AppIcon path={version === null ? null : iconOf({ appId, version })} name={shown} side={44} />
          </>
        }
      >
        <strong>
          <bdi>{shown}</bdi>
        </strong>{' '}
        {version === null ? (
          <span className="badge mild">not shown: suspended, or no published version</span>
        ) : null}
        <p className="soft">
          <bdi>{visible(publisher)}</bdi>, <code>{appId}</code>
        </p>
      </Named>
      <span id={idOf('remove', appId)}>
        <Button
          className="quiet"
          aria-label={`Remove ${shown}`}
          title="Remove"
          onClick={() => act('remove', at)}
        >
          <Icon name="x" />
        </Button>
      </span>
    </li>
  );
}

/** Unsaved changes of the row, and the saved order they started from. */
type Draft = { from: string[]; rows: Row[] };

function Editor({ saved, reload }: { saved: readonly Row[]; reload(): unknown }) {
  const [draft, setDraft] = useState<Draft | null>(null);
  const [status, setStatus] = useState('');
  const rows = draft?.rows ?? saved;
  useLeaveGuard(draft !== null);
  const focus = useFocusAfter(rows);
  const save = useChange(({ from, rows: next }: Draft) =>
    apiRequest('PUT /api/admin/featured', { json: { apps: idsOf(next), from } }),
  );
  const change = (next: Row[], words: string) => {
    setDraft({ from: draft?.from ?? idsOf(saved), rows: next });
    setStatus(words);
  };
  const place = (at: number, to: number) => {
    const row = rows[at];
    if (row && at !== to)
      change(moved(rows, at, to), `${visible(row.name)} is now ${to + 1} of ${rows.length}. Not saved yet.`);
  };
  const act = (action: Action, at: number) => {
    const row = rows[at];
    if (!row) return;
    if (action === 'remove') {
      const neighbour = rows[at + 1] ?? rows[at - 1];
      change(rows.toSpliced(at, 1), `${visible(row.name)} removed. Not saved yet.`);
      focus(neighbour ? idOf('remove', neighbour.appId) : 'find-app');
      return;
    }
    place(at, { up: at - 1, down: at + 1, top: 0 }[action]);
    focus(idOf('move', row.appId));
  };
  const end = (words: string) => {
    setDraft(null);
    setStatus(words);
    save.reset();
  };
  return (
    <>
      <Card>
        <p className="soft">{`Drag a row by its handle, or press it. The front page shows the first ${LIMITS.catalog.featuredShown} of up to ${LIMITS.catalog.featured} apps. Suspended apps and apps without a published version are skipped.`}</p>
        {rows.length === 0 ? (
          <p>No app is featured. The catalogue hides this row.</p>
        ) : (
          <ol className="rows">
            {rows.map((row, at) => (
              <FeaturedRow key={row.appId} row={row} at={at} count={rows.length} act={act} place={place} />
            ))}
          </ol>
        )}
      </Card>
      <FeaturedPreview ids={rows.filter(({ version }) => version !== null).map(({ appId }) => appId)} />
      <FindApp
        featuredIds={new Set(idsOf(rows))}
        isFull={rows.length >= LIMITS.catalog.featured}
        add={({ appId, name, version, publisher }) =>
          change(
            [...rows, { appId, name, version, publisher: publisher.name }],
            `${visible(name)} added. Not saved yet.`,
          )
        }
      />
      <div className={draft === null ? undefined : 'save-bar card'}>
        <p role="status">{status}</p>
        {draft === null ? null : (
          <div className="buttons">
            <Button
              label="Save"
              className="main"
              runs={save}
              onClick={() =>
                save.mutate(draft, { onSuccess: () => end('Saved. The catalogue is up to date.') })
              }
            />
            <Button
              label="Discard changes"
              onClick={() => {
                end('Changes discarded.');
                // Another administrator may have changed the row meanwhile.
                reload();
              }}
            />
          </div>
        )}
        <ErrorMessage error={save.error} />
      </div>
    </>
  );
}

/** Edits the featured apps of the catalogue. */
export function Featured() {
  const featured = useRead(apiRequest('GET /api/admin/featured'));
  return (
    <>
      <h1>Featured apps</h1>
      <Loaded query={featured}>{({ apps }) => <Editor saved={apps} reload={featured.refetch} />}</Loaded>
    </>
  );
}
