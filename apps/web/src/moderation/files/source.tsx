import { ErrorMessage } from '@svc/ui';
import { useEffect, useState } from 'react';
import { Window } from '../window.tsx';
import type { View } from './opened.ts';
import type { Reader } from './reader.ts';
import type { Row } from './text-rows.ts';

/** Height of a line, in rem. */
const LINE_REM = 1.35;

const TONES = { ' ': '', '+': 'added', '-': 'removed', gap: 'gap' } as const;
const SIGN_WORDS = { ' ': '', '+': 'added', '-': 'removed', gap: '' } as const;

function Line({ row }: { row: Row }) {
  const { sign, before, after, text } = row;
  if (sign === 'gap')
    return <div className="line gap">{`${text} equal ${text === '1' ? 'line' : 'lines'}`}</div>;
  return (
    <div className={`line ${TONES[sign]}`}>
      <span className="number">{before ?? ''}</span>
      <span className="number">{after ?? ''}</span>
      <span className="line-sign">{sign === '-' ? '−' : sign}</span>
      {SIGN_WORDS[sign] === '' ? null : <span className="unseen">{SIGN_WORDS[sign]} </span>}
      <code>{text}</code>
    </div>
  );
}

/** A text file with line numbers, whole or as a diff with the published version. */
export function Source({ reader, path, whole }: { reader: Reader; path: string; whole: boolean }) {
  const [view, setView] = useState<View | null>(null);
  const [error, setError] = useState<Error | null>(null);
  useEffect(() => {
    let isOver = false;
    setView(null);
    setError(null);
    reader.view(path, whole).then(
      (loaded) => isOver || setView(loaded),
      (failure: Error) => isOver || setError(failure),
    );
    return () => {
      isOver = true;
    };
  }, [reader, path, whole]);
  if (error) return <ErrorMessage error={error} />;
  if (!view) return <p role="status">Loading…</p>;
  return (
    <>
      <Window
        className="source"
        isText
        label={`Content of ${path}`}
        count={view.rows.length}
        rowRem={LINE_REM}
        row={(index) => <Line row={view.rows[index] as Row} />}
      />
      {view.cut ? (
        <p className="callout">
          This file is too long to show in full. Download the bundle to read the rest.
        </p>
      ) : null}
    </>
  );
}
