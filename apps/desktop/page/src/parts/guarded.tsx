import { Boundary, Button, CopyButton, Fault } from '@svc/ui';
import { type ReactNode, useState } from 'react';
import { LongText } from './long-text.tsx';
import { shortJson } from './short-json.ts';

/** Longest text that is shown or copied of what could not be drawn, in characters. */
const MAX_TEXT = 1_000_000;

/** A text of any value, of which no more is read than is shown. */
export const textOfAny = (value: unknown): string =>
  typeof value === 'string' ? value.slice(0, MAX_TEXT) : shortJson(value, MAX_TEXT);

type NotDrawnProps = {
  /** Such as `message`. */
  what: string;
  /** What it has, as text. */
  text(): string;
  /** More buttons, such as one that deletes it. */
  actions?: ReactNode;
};

function NotDrawn({ what, text, actions }: NotDrawnProps) {
  const [isShown, setShown] = useState(false);
  const [said] = useState(text);
  return (
    <div className="not-drawn">
      <Fault>{`This ${what} could not be drawn.`}</Fault>
      <div className="buttons">
        <Button
          label={isShown ? 'Hide text' : 'Show as text'}
          aria-expanded={isShown}
          onClick={() => setShown(!isShown)}
        />
        <CopyButton text={said} className="" />
        {actions}
      </div>
      {isShown ? <LongText text={said} /> : null}
    </div>
  );
}

/** Draws what others sent. If that fails, it says so in its place, with its text, and the rest of the page stays. */
export const Guarded = ({ of, children, ...rest }: NotDrawnProps & { of: unknown; children: ReactNode }) => (
  <Boundary of={of} instead={() => <NotDrawn {...rest} />}>
    {children}
  </Boundary>
);
