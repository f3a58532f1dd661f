import { Fragment, type ReactNode } from 'react';
import { JsonView } from './json-view.tsx';
import { LongText } from './long-text.tsx';
import { isShallow, jsonIn } from './table-of.ts';

/** A part of a result: text, or a file as rendered by the caller. */
export type AnswerPart = { type: 'text'; text: string } | { type: 'file'; id: string; shown: ReactNode };

function TextPart({ text, isFolded }: { text: string; isFolded: boolean }) {
  const data = jsonIn(text);
  return data ? <JsonView value={data} /> : <LongText text={text} isFolded={isFolded} />;
}

/**
 * The result of a tool, for the model or the user. It is shown as text and data, and files from bytes on the desktop: no markup of an app
 * is rendered, and nothing is loaded from other hosts.
 */
export function Answer({
  parts,
  structured,
  isError,
  isFolded = false,
}: {
  parts: readonly AnswerPart[];
  structured: object | null;
  isError: boolean;
  /** Cuts long texts after a few lines. */
  isFolded?: boolean;
}) {
  const data = isShallow(structured) ? structured : null;
  const json = JSON.stringify(data);
  // Servers repeat structured content as text, for clients that do not support it.
  const isRepeated = (part: AnswerPart): boolean =>
    part.type === 'text' && data !== null && JSON.stringify(jsonIn(part.text)) === json;
  const shown = parts.filter((part) => !isRepeated(part));
  return (
    <>
      {isError ? <p className="fault">The tool reported an error.</p> : null}
      {shown.map((part, i) =>
        part.type === 'text' ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts of an answer have an order, and nothing else
          <TextPart key={i} text={part.text} isFolded={isFolded} />
        ) : (
          <Fragment key={part.id}>{part.shown}</Fragment>
        ),
      )}
      {data ? <JsonView value={data} /> : null}
      {structured !== null && data === null ? (
        <p className="mild">The data is nested too deeply to show.</p>
      ) : null}
      {shown.length === 0 && !structured ? <p className="soft">The tool returned nothing.</p> : null}
    </>
  );
}
