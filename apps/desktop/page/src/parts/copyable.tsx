import { useState } from 'react';
import { WORDS } from '../words.ts';

/** How it went, as words for who reads and who listens; nothing before it was tried. */
type Outcome = '' | 'copied' | 'failed';

/** A text that people carry elsewhere whole, with a button that copies it. Where that is not allowed, it can be marked. */
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
