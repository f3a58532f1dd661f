import { visible } from '@svc/text';
import { Button } from '@svc/ui';
import { useState } from 'react';

/** Characters shown at first, and added by each click: laying out a megabyte of text stops a browser for seconds. */
export const MAX_SHOWN = 20_000;
const MORE = 100_000;

/** A folded text shows this many lines, and no more characters than fill them. */
const FOLDED_LINES = 12;
const FOLDED = 1_200;

const cut = (text: string, isFolded: boolean): string =>
  isFolded ? text.split('\n', FOLDED_LINES).join('\n').slice(0, FOLDED) : text.slice(0, MAX_SHOWN);

const charactersText = (length: number) => `${length.toLocaleString('en')} characters`;

/** What a click shows next of a text. */
function moreText(text: string, left: number, isOpened: boolean, isFolded: boolean): string {
  if (isFolded && !isOpened) return 'Open whole';
  return text.length > MORE
    ? `Show more (${charactersText(left)} left)`
    : `Show all ${charactersText(text.length)}`;
}

/** A text of an app. A long one is cut until the user expands it. @param isFolded cuts it after a few lines */
export function LongText({ text, isFolded = false }: { text: string; isFolded?: boolean }) {
  const [opened, setOpened] = useState(0);
  const begin = opened === 0 ? cut(text, isFolded) : text.slice(0, opened);
  const left = text.length - begin.length;
  return (
    <>
      <pre className="plain" dir="auto">
        {visible(left > 0 ? `${begin}…` : text)}
      </pre>
      {left > 0 ? (
        <Button label={moreText(text, left, opened > 0, isFolded)} onClick={() => setOpened(opened + MORE)} />
      ) : null}
    </>
  );
}
