import { apiRequest } from '@svc/contracts/client';
import { visible } from '@svc/text';
import { count } from '@svc/text/quantity';
import { Button } from '@svc/ui';
import { useState } from 'react';
import { send } from '../account/api.ts';
import { useSignedIn } from '../account/use-store.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { useKeys } from './keys.tsx';
import {
  type Given,
  givenFor,
  missingFor,
  NoteField,
  ReasonFields,
  useVerdictDraft,
} from './review/verdict-fields.tsx';
import type { Row } from './use-queue.ts';
import { pathOf } from './version-path.ts';
import { approvalWords } from './words.ts';

type Ref = Pick<Row, 'appId' | 'version' | 'name'>;

export type Result = Ref & { message: string; isRefused: boolean };

/**
 * Sends a request about each of several versions, one after the other: a refusal stops none of the others.
 * @param send returns what happened, in words
 */
export async function resultsOf<R extends Ref>(
  refs: readonly R[],
  send: (ref: R) => Promise<string>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const ref of refs) {
    const outcome = await send(ref).then(
      (message) => ({ message, isRefused: false }),
      (error: Error) => ({ message: error.message, isRefused: true }),
    );
    results.push({ appId: ref.appId, version: ref.version, name: ref.name, ...outcome });
  }
  return results;
}

/** Decides on several versions: each is a decision of its own, with its own lock, mail and entry in the audit log. */
export const decideAll = (csrf: string, refs: readonly Ref[], verdict: 'approve' | 'reject', json: Given) =>
  resultsOf(refs, async ({ appId, version }) => {
    const path = `POST /api/moderation/apps/:appId/versions/:version/${verdict}` as const;
    // The tools of their servers are on the pages of the versions.
    const body = verdict === 'approve' ? { ...json, toolsRecordedAt: null } : json;
    const { status } = await send(csrf, apiRequest(path, { params: { appId, version }, json: body }));
    return approvalWords(status);
  });

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

/** The decisions on the selected versions, and what came of the last ones. */
export function BulkBar({ selection, reload }: { selection: Selection; reload(): unknown }) {
  const { csrf } = useSignedIn();
  const [asked, setAsked] = useState<'approve' | 'reject' | null>(null);
  const { draft, change, clear } = useVerdictDraft();
  const [isBusy, setBusy] = useState(false);
  const [results, setResults] = useState<readonly Result[]>([]);
  const { rows, publisher } = selection;
  const ask = (verdict: 'approve' | 'reject') => () => rows.length > 0 && setAsked(verdict);
  useKeys({ a: ask('approve'), x: ask('reject') });
  const act = async (verdict: 'approve' | 'reject') => {
    setBusy(true);
    setResults(await decideAll(csrf, rows, verdict, givenFor(verdict, draft)));
    setBusy(false);
    setAsked(null);
    clear();
    selection.clear();
    reload();
  };
  return (
    <>
      {results.length > 0 ? <Results results={results} /> : null}
      {publisher === null ? null : (
        <section className="cluster apart bulk" aria-label="Selected versions">
          <p>
            {count(rows.length, 'version')} of {publisher} selected
          </p>
          <span className="buttons">
            <Button label="Approve selected" className="main" onClick={ask('approve')} />
            <Button label="Reject selected" className="bad" onClick={ask('reject')} />
            <Button label="Clear selection" className="quiet" onClick={selection.clear} />
          </span>
        </section>
      )}
      {asked === null ? null : (
        <ConfirmDialog
          title={`${VERBS[asked].verb} ${count(rows.length, 'version')} of ${publisher ?? ''}?`}
          hint="Each version is a decision of its own: those that cannot be decided stay in the queue."
          {...VERBS[asked].button}
          missing={missingFor(asked, draft)}
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
          {asked === 'reject' ? (
            <ReasonFields draft={draft} change={change} />
          ) : (
            <NoteField label="Note" value={draft.note} change={(note) => change({ note })} />
          )}
        </ConfirmDialog>
      )}
    </>
  );
}
