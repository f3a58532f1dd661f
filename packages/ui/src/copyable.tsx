import { useCopy } from './use-copy.ts';
import { WORDS } from './words.ts';

/** A short text in a line, with a button that copies it. */
export function Copyable({ name, text }: { name: string; text: string }) {
  const { outcome, copy } = useCopy(text);
  return (
    <span className="copyable">
      <code>{text}</code>
      <button type="button" aria-label={WORDS.copyOf(name)} onClick={copy}>
        {WORDS.copy}
      </button>
      <span role="status" className="soft">
        {outcome === null ? '' : outcome === 'copied' ? WORDS.copied : WORDS.notCopied}
      </span>
    </span>
  );
}
