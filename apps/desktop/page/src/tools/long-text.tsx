import { useState } from 'react';
import { visible } from '../parts/visible.ts';
import { WORDS } from '../words.ts';

/** Characters that are shown at first: a browser lays out a megabyte of text for seconds. */
const MAX_SHOWN = 20_000;

/** A text of an app as it is, a long one in part until the user asks for all of it. */
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
