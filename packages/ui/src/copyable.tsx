import { useRef, useState } from 'react';
import { Icon } from './icon.tsx';

/** A command or lines of code, with a button that copies them. If the browser refuses that, it selects the text. */
export function CodeBlock({ text }: { text: string }) {
  const { outcome, copy } = useCopy(text);
  const code = useRef<HTMLElement>(null);
  const onClick = async () => {
    if ((await copy()) === 'failed' && code.current) getSelection()?.selectAllChildren(code.current);
  };
  return (
    <div className="code-block">
      <pre>
        <code ref={code}>{text}</code>
      </pre>
      <button type="button" className="quiet" aria-label="Copy" onClick={onClick}>
        <Icon name={outcome === 'copied' ? 'check' : 'copy'} />
      </button>
      <span role="status" className="unseen">
        {outcome === null
          ? ''
          : outcome === 'copied'
            ? 'Copied'
            : 'Could not copy. The text is selected: copy it.'}
      </span>
    </div>
  );
}

/** The result of copying; null before the first attempt. */
type CopyOutcome = 'copied' | 'failed' | null;

/** Copies a text to the clipboard, and returns what became of the last attempt. Browsers may refuse. */
export function useCopy(text: string): { outcome: CopyOutcome; copy(): Promise<CopyOutcome> } {
  const [outcome, setOutcome] = useState<CopyOutcome>(null);
  const finish = (result: CopyOutcome) => {
    setOutcome(result);
    return result;
  };
  return {
    outcome,
    copy: () =>
      // Pages that are not served over https have no clipboard.
      (navigator.clipboard?.writeText(text) ?? Promise.reject(new Error('no clipboard'))).then(
        () => finish('copied'),
        () => finish('failed'),
      ),
  };
}

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
