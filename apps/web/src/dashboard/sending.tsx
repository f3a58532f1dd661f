import { Progress } from '@svc/ui';
import { useEffect, useState } from 'react';
import { Findings } from '../check/report.tsx';
import { sizeText, visible } from '../check/words.ts';
import type { UploadError } from './upload-error.ts';
import { WORDS } from './words.ts';

const { publish: words } = WORDS;

type SendingProps = { name: string; sent: number; total: number; cancel(): void };

/** An upload on its way. How far it is is shown all the time, and said but twice. */
export function Sending({ name, sent, total, cancel }: SendingProps) {
  const text = words.sent(sizeText(sent), sizeText(total));
  return (
    <>
      <p>
        <strong>
          <bdi>{visible(name)}</bdi>
        </strong>
      </p>
      <p role="status">{sent < total ? words.sending : words.arrived}</p>
      <Progress label={words.progress} value={sent} max={total} text={text} />
      <div className="buttons">
        {/* biome-ignore lint/a11y/noAutofocus: it stands where the button was that began this */}
        <button type="button" autoFocus onClick={cancel}>
          {words.cancel}
        </button>
      </div>
    </>
  );
}

/** Counts seconds down to none. */
function useSecondsLeft(from: number): number {
  const [left, setLeft] = useState(from);
  useEffect(() => {
    if (left <= 0) return undefined;
    const timer = setTimeout(() => setLeft(left - 1), 1000);
    return () => clearTimeout(timer);
  }, [left]);
  return left;
}

function Again({ wait, again }: { wait: number; again(): void }) {
  const left = useSecondsLeft(wait);
  return (
    <button type="button" className="main" disabled={left > 0} onClick={again}>
      {left > 0 ? words.againIn(left) : words.again}
    </button>
  );
}

/** An upload that came to nothing: why, and what to do. */
export function Stopped({
  uploadError: { say, again: mayGoOn, wait, signIn, issues },
  again,
  reset,
}: {
  uploadError: UploadError;
  again(): void;
  reset(): void;
}) {
  return (
    <>
      <p role="alert" className="failure">
        {visible(say)}
      </p>
      {issues.length > 0 ? <Findings issues={issues} /> : null}
      <div className="buttons">
        {signIn ? (
          <a className="button" href="/sign-in" target="_blank" rel="noopener">
            {words.signIn}
          </a>
        ) : null}
        {mayGoOn ? <Again wait={wait} again={again} /> : null}
        <button type="button" onClick={reset}>
          {words.another}
        </button>
      </div>
    </>
  );
}
