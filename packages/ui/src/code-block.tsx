import { useRef } from 'react';
import { Icon } from './icon.tsx';
import { useCopy } from './use-copy.ts';
import { WORDS } from './words.ts';

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
      <button type="button" className="quiet" aria-label={WORDS.copy} onClick={onClick}>
        <Icon name={outcome === 'copied' ? 'check' : 'copy'} />
      </button>
      <span role="status" className="unseen">
        {outcome === null ? '' : outcome === 'copied' ? WORDS.copied : WORDS.selected}
      </span>
    </div>
  );
}
