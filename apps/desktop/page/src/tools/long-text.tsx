import { useState } from 'react';
import { visible } from '../parts/visible.ts';
import { WORDS } from '../words.ts';

/** Characters shown at first: laying out a megabyte of text takes a browser seconds. */
const MAX_SHOWN = 20_000;

/** A text of an app. A long one is cut until the user expands it. */
export function LongText({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(false);
  const isCut = text.length > MAX_SHOWN && !isWhole;
  return (
    <>
      <pre className="result">{visible(isCut ? `${text.slice(0, MAX_SHOWN)}…` : text)}</pre>
      {isCut ? (
        <button type="button" onClick={() => setWhole(true)}>
          {WORDS.tools.showAll(text.length)}
        </button>
      ) : null}
    </>
  );
}
