import { useState } from 'react';
import { WORDS } from '../words.ts';

/** Result of copying, announced to screen readers; empty before the first attempt. */
type Outcome = '' | 'copied' | 'failed';

/** A text with a button that copies it. If the browser does not allow that, the user can select the text. */
export function Copyable({ name, text }: { name: string; text: string }) {
  const [outcome, setOutcome] = useState<Outcome>('');
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setOutcome('copied'),
      () => setOutcome('failed'),
    );
  return (
    <span className="copyable">
      <code>{text}</code>
      <button type="button" aria-label={WORDS.copyOf(name)} onClick={copy}>
        {WORDS.copy}
      </button>
      <span role="status" className="soft">
        {outcome === '' ? '' : WORDS[outcome]}
      </span>
    </span>
  );
}
