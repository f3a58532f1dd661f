import { useRef, useState } from 'react';
import { WORDS } from './words.ts';

// The same drawings as in `icons.json`.
const COPY = (
  <>
    <rect width="14" height="14" x="8" y="8" rx="2" ry="2" />
    <path d="M4 16c-1.1 0-2-.9-2-2V4c0-1.1.9-2 2-2h10c1.1 0 2 .9 2 2" />
  </>
);
const CHECK = <path d="M20 6 9 17l-5-5" />;

/** A command or some lines of code, with a button that copies them; where that is not allowed, it marks them. */
export function CodeBlock({ text }: { text: string }) {
  const [said, say] = useState('');
  const code = useRef<HTMLElement>(null);
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => say(WORDS.copied),
      () => {
        if (code.current) getSelection()?.selectAllChildren(code.current);
        say(WORDS.marked);
      },
    );
  return (
    <div className="code-block">
      <pre>
        <code ref={code}>{text}</code>
      </pre>
      <button type="button" className="quiet" aria-label={WORDS.copy} onClick={copy}>
        <svg className="icon" viewBox="0 0 24 24" aria-hidden="true">
          {said === WORDS.copied ? CHECK : COPY}
        </svg>
      </button>
      <span role="status" className="unseen">
        {said}
      </span>
    </div>
  );
}
