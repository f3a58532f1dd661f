import { useCopy } from './use-copy.ts';

/** A short text in a line, with a button that copies it. */
export function Copyable({ name, text }: { name: string; text: string }) {
  const { outcome, copy } = useCopy(text);
  return (
    <span className="copyable">
      <code>{text}</code>
      <button type="button" aria-label={`Copy ${name}`} onClick={copy}>
        Copy
      </button>
      <span role="status" className="soft">
        {outcome === null
          ? ''
          : outcome === 'copied'
            ? 'Copied'
            : 'Could not copy. Select the text and copy it.'}
      </span>
    </span>
  );
}
