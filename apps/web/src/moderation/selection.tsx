import { apiRequest } from '@svc/contracts/client';
import { visible } from '@svc/text';
import { useState } from 'react';
import { send } from '../account/api.ts';
import { useSignedIn } from '../account/use-store.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { useKeys } from './keys.tsx';
import { type Draft, NoteField, ReasonField } from './review/verdict-fields.tsx';
import type { Row } from './use-queue.ts';
import { pathOf } from './version-path.ts';
import { NOTE_TO_PUBLISHER, versionsText } from './words.ts';

type Ref = Pick<Row, 'appId' | 'version' | 'name'>;

/** What happened to a version of a selection. */
type Result = Ref & { message: string; isRefused: boolean };

/**
 * Decides on several versions, one after the other: each is a decision of its own, with its own lock, mail and entry in the audit log. A
 * refusal stops none of the others.
 */
export async function decideAll(
  csrf: string,
  refs: readonly Ref[],
  verdict: 'approve' | 'reject',
  json: { note?: string; reason?: string },
): Promise<Result[]> {
  const results: Result[] = [];
  for (const { appId, version, name } of refs) {
    const params = { appId, version };
    const path = `POST /api/moderation/apps/:appId/versions/:version/${verdict}` as const;
    const outcome = await send(csrf, apiRequest(path, { params, json })).then(
      ({ status }) => ({ message: `Decided: this version is ${status}.`, isRefused: false }),
      (error: Error) => ({ message: error.message, isRefused: true }),
    );
    results.push({ appId, version, name, ...outcome });
  }
  return results;
}

/** What happened, with a link to each version. */
export const Results = ({ results }: { results: readonly Result[] }) => (
  <ul role="status" className="bulk-results">
    {results.map(({ message, isRefused, ...ref }) => (
      <li key={pathOf(ref)} className={isRefused ? 'fault' : ''}>
        <a href={pathOf(ref)}>
          <bdi>{visible(ref.name)}</bdi> {visible(ref.version)}
        </a>
        : {message}
      </li>
    ))}
  </ul>
);

/** The selected versions of the queue: all of one publisher, so that one reason fits them. */
export function useSelection() {
  const [rows, setRows] = useState<readonly Row[]>([]);
  const has = (row: Row) => rows.some((one) => pathOf(one) === pathOf(row));
  const publisher = rows[0]?.publisher ?? null;
  return {
    rows,
    publisher,
    has,
    toggle: (row: Row) => {
      if (has(row)) setRows((now) => now.filter((one) => pathOf(one) !== pathOf(row)));
      else if (publisher === null || publisher === row.publisher) setRows((now) => [...now, row]);
    },
    clear: () => setRows([]),
  };
}

export type Selection = ReturnType<typeof useSelection>;

const VERBS = {
  approve: { verb: 'Approve', button: { confirm: 'Approve and publish', tone: 'main' } },
  reject: { verb: 'Reject', button: { confirm: 'Reject', tone: 'bad' } },
} as const;

const EMPTY: Draft = { note: '', reason: '' };

/** The decisions on the selected versions, and what came of the last ones. */
export function BulkBar({ selection, reload }: { selection: Selection; reload(): unknown }) {
  const { csrf } = useSignedIn();
  const [asked, setAsked] = useState<'approve' | 'reject' | null>(null);
  const [draft, setDraft] = useState(EMPTY);
  const [isBusy, setBusy] = useState(false);
  const [results, setResults] = useState<readonly Result[]>([]);
  const { rows, publisher } = selection;
  const ask = (verdict: 'approve' | 'reject') => () => rows.length > 0 && setAsked(verdict);
  useKeys({ a: ask('approve'), x: ask('reject') });
  const act = async (verdict: 'approve' | 'reject') => {
    setBusy(true);
    const note = draft.note.trim();
    const reason = verdict === 'reject' && draft.reason !== '' && { reason: draft.reason };
    setResults(await decideAll(csrf, rows, verdict, { ...(note !== '' && { note }), ...reason }));
    setBusy(false);
    setAsked(null);
    setDraft(EMPTY);
    selection.clear();
    reload();
  };
  const change = (part: Partial<Draft>) => setDraft((now) => ({ ...now, ...part }));
  const hasText = draft.note.trim() !== '' || draft.reason !== '';
  return (
    <>
      {results.length > 0 ? <Results results={results} /> : null}
      {publisher === null ? null : (
        <section className="cluster apart bulk" aria-label="Selected versions">
          <p>
            {versionsText(rows.length)} of {publisher} selected
          </p>
          <span className="buttons">
            <button type="button" className="main" onClick={ask('approve')}>
              Approve selected
            </button>
            <button type="button" className="bad" onClick={ask('reject')}>
              Reject selected
            </button>
            <button type="button" className="quiet" onClick={selection.clear}>
              Clear selection
            </button>
          </span>
        </section>
      )}
      {asked === null ? null : (
        <ConfirmDialog
          title={`${VERBS[asked].verb} ${versionsText(rows.length)} of ${publisher ?? ''}?`}
          hint="Each version is a decision of its own: those that cannot be decided stay in the queue."
          {...VERBS[asked].button}
          canConfirm={rows.length > 0 && (asked === 'approve' || hasText)}
          busy={isBusy}
          error={null}
          act={() => void act(asked)}
          leave={() => setAsked(null)}
        >
          <ul>
            {rows.map((row) => (
              <li key={pathOf(row)}>
                <bdi>{visible(row.name)}</bdi> {visible(row.version)}
              </li>
            ))}
          </ul>
          {asked === 'reject' ? <ReasonField draft={draft} change={change} /> : null}
          <NoteField
            label={asked === 'reject' ? NOTE_TO_PUBLISHER : 'Note'}
            value={draft.note}
            change={(note) => change({ note })}
          />
        </ConfirmDialog>
      )}
    </>
  );
}
