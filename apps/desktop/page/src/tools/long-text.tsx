import { visible } from '@svc/text';
import { useState } from 'react';

/** Characters shown at first: laying out a megabyte of text takes a browser seconds. */
const MAX_SHOWN = 20_000;

/** A folded text shows this many lines, and no more characters than fill them. */
const FOLDED_LINES = 12;
const FOLDED = 1_200;

const cut = (text: string, isFolded: boolean): string =>
  isFolded ? text.split('\n', FOLDED_LINES).join('\n').slice(0, FOLDED) : text.slice(0, MAX_SHOWN);

/** A text of an app. A long one is cut until the user expands it. @param isFolded cuts it after a few lines */
export function LongText({ text, isFolded = false }: { text: string; isFolded?: boolean }) {
  const [isWhole, setWhole] = useState(false);
  const begin = isWhole ? text : cut(text, isFolded);
  const isCut = begin.length < text.length;
  return (
    <>
      <pre className="result" dir="auto">
        {visible(isCut ? `${begin}…` : text)}
      </pre>
      {isCut ? (
        <button type="button" onClick={() => setWhole(true)}>
          {isFolded ? 'Open whole' : `Show all ${text.length.toLocaleString('en')} characters`}
        </button>
      ) : null}
    </>
  );
}
