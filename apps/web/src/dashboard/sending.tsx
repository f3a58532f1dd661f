import { visible } from '@svc/text';
import { Progress } from '@svc/ui';
import { sizeText } from '@svc/ui/text';
import { useEffect, useState } from 'react';
import { Findings } from '../check/report.tsx';
import type { UploadError } from './upload-error.ts';

type SendingProps = { name: string; sent: number; total: number; cancel(): void };

/** An upload in progress. Screen readers announce only its start and its end. */
export function Sending({ name, sent, total, cancel }: SendingProps) {
  const text = `${sizeText(sent)} of ${sizeText(total)}`;
  return (
    <>
      <p>
        <strong>
          <bdi>{visible(name)}</bdi>
        </strong>
      </p>
      <p role="status">
        {sent < total ? 'Uploading the bundle…' : 'Uploaded. The store is checking the bundle…'}
      </p>
      <Progress label="Upload" value={sent} max={total} text={text} />
      <div className="buttons">
        {/* biome-ignore lint/a11y/noAutofocus: it replaces the button that started the upload */}
        <button type="button" autoFocus onClick={cancel}>
          Cancel
        </button>
      </div>
    </>
  );
}

/** Counts down the seconds to 0. */
function useCountdown(from: number): number {
  const [remaining, setRemaining] = useState(from);
  useEffect(() => {
    if (remaining <= 0) return undefined;
    const timer = setTimeout(() => setRemaining(remaining - 1), 1000);
    return () => clearTimeout(timer);
  }, [remaining]);
  return remaining;
}

function Retry({ wait, retry }: { wait: number; retry(): void }) {
  const remaining = useCountdown(wait);
  return (
    <button type="button" className="main" disabled={remaining > 0} onClick={retry}>
      {remaining > 0 ? `Retry in ${remaining} s` : 'Retry'}
    </button>
  );
}

/** A failed upload: why, and what to do. */
export function Stopped({
  uploadError: { message, canRetry, wait, signIn, issues },
  retry,
  reset,
}: {
  uploadError: UploadError;
  retry(): void;
  reset(): void;
}) {
  return (
    <>
      <p role="alert" className="failure">
        {visible(message)}
      </p>
      {issues.length > 0 ? <Findings issues={issues} /> : null}
      <div className="buttons">
        {signIn ? (
          <a className="button" href="/sign-in" target="_blank" rel="noopener">
            Sign in in a new tab
          </a>
        ) : null}
        {canRetry ? <Retry wait={wait} retry={retry} /> : null}
        <button type="button" onClick={reset}>
          Choose another bundle
        </button>
      </div>
    </>
  );
}
