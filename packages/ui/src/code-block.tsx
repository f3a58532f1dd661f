import { useRef } from 'react';
import { Icon } from './icon.tsx';
import { useCopy } from './use-copy.ts';

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
