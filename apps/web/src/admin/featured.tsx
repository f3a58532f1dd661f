import type { FeaturedApps } from '@svc/contracts';
import { LIMITS } from '@svc/contracts/vocabulary';
import { useLayoutEffect, useState } from 'react';
import { Card, ErrorMessage, Loaded } from '../account/parts.tsx';
import { useChange, useRead } from '../account/use-store.ts';
import { visible } from '../check/words.ts';
import { FindApp } from './find-app.tsx';
import { WORDS } from './words.ts';

const MESSAGES = WORDS.featured;
const PATH = '/api/admin/featured';

type Row = FeaturedApps['apps'][number];
type Act = 'up' | 'down' | 'remove';

const idOf = (act: Act, appId: string): string => `${act} ${appId}`;
const idsOf = (rows: readonly Row[]): string[] => rows.map(({ appId }) => appId);

/** The same rows with the one at a place moved to another. */
const moved = (rows: readonly Row[], from: number, to: number): Row[] => {
  const row = rows[from];
  return row ? rows.toSpliced(from, 1).toSpliced(to, 0, row) : [...rows];
};

/** Moving a row takes the focus from its buttons: it goes back to the one that was pressed, or to the row that took the place. */
function useFocusAfter(rows: readonly Row[]): (id: string) => void {
  const [wanted, want] = useState<string | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the button is there once the rows are
  useLayoutEffect(() => {
    if (wanted === null) return;
    document.getElementById(wanted)?.focus();
    want(null);
  }, [rows, wanted]);
  return want;
}

type RowProps = { row: Row; at: number; count: number; act(act: Act, at: number): void };

function FeaturedRow({ row: { appId, name, publisher, listed }, at, count, act }: RowProps) {
  const shown = visible(name);
  const button = (what: Act, isOff = false) => (
    <button
      type="button"
      id={idOf(what, appId)}
      className={what === 'remove' ? 'quiet' : ''}
      aria-label={MESSAGES.labels[what](shown)}
      // Not `disabled`: the focus stays where it is when a row has reached an end.
      {...(isOff ? { 'aria-disabled': true } : { onClick: () => act(what, at) })}
    >
      {MESSAGES[what]}
    </button>
  );
  return (
    <li>
      <div>
        <strong>
          <bdi>{shown}</bdi>
        </strong>{' '}
        {listed ? null : <span className="badge mild">{MESSAGES.notListed}</span>}
        <p className="soft">
          <bdi>{visible(publisher)}</bdi>, <code>{appId}</code>
        </p>
      </div>
      <span className="buttons">
        {button('up', at === 0)}
        {button('down', at === count - 1)}
        {button('remove')}
      </span>
    </li>
  );
}

/** The row as it is being changed: nothing counts until it is saved. */
type Draft = { from: string[]; rows: Row[] };

function Editor({ saved, reload }: { saved: readonly Row[]; reload(): unknown }) {
  const [draft, setDraft] = useState<Draft | null>(null);
  const [said, say] = useState('');
  const rows = draft?.rows ?? saved;
  const focus = useFocusAfter(rows);
  const save = useChange<FeaturedApps, Draft>(({ from, rows: wanted }) => ({
    method: 'PUT',
    path: PATH,
    json: { apps: idsOf(wanted), from },
  }));
  const change = (next: Row[], words: string) => {
    setDraft({ from: draft?.from ?? idsOf(saved), rows: next });
    say(words);
  };
  const act = (what: Act, at: number) => {
    const row = rows[at];
    if (!row) return;
    const name = visible(row.name);
    if (what === 'remove') {
      const neighbour = rows[at + 1] ?? rows[at - 1];
      change(rows.toSpliced(at, 1), MESSAGES.removed(name));
      focus(neighbour ? idOf('remove', neighbour.appId) : 'find-app');
      return;
    }
    const to = what === 'up' ? at - 1 : at + 1;
    change(moved(rows, at, to), MESSAGES.movedTo(name, to + 1, rows.length));
    focus(idOf(what, row.appId));
  };
  const end = (words: string) => {
    setDraft(null);
    say(words);
    save.reset();
  };
  return (
    <>
      <Card>
        <p className="soft">{MESSAGES.hint(LIMITS.catalog.featured)}</p>
        {rows.length === 0 ? (
          <p>{MESSAGES.none}</p>
        ) : (
          <ol className="rows">
            {rows.map((row, at) => (
              <FeaturedRow key={row.appId} row={row} at={at} count={rows.length} act={act} />
            ))}
          </ol>
        )}
        <p role="status">{said}</p>
        {draft === null ? null : (
          <div className="buttons">
            <button
              type="button"
              className="main"
              disabled={save.isPending}
              onClick={() => save.mutate(draft, { onSuccess: () => end(MESSAGES.saved) })}
            >
              {MESSAGES.save}
            </button>
            <button
              type="button"
              onClick={() => {
                end(MESSAGES.discarded);
                // Another administrator may have changed the row meanwhile.
                reload();
              }}
            >
              {MESSAGES.discard}
            </button>
          </div>
        )}
        <ErrorMessage error={save.error} />
      </Card>
      <FindApp
        taken={new Set(idsOf(rows))}
        isFull={rows.length >= LIMITS.catalog.featured}
        add={({ appId, name, publisher }) =>
          change(
            [...rows, { appId, name, publisher: publisher.name, listed: true }],
            MESSAGES.added(visible(name)),
          )
        }
      />
    </>
  );
}

/** What the first page of the catalogue features. */
export function Featured() {
  const featured = useRead<FeaturedApps>(PATH);
  return (
    <>
      <h1>{MESSAGES.title}</h1>
      <Loaded query={featured}>{({ apps }) => <Editor saved={apps} reload={featured.refetch} />}</Loaded>
    </>
  );
}
