import { type MouseEvent, useState } from 'react';
import { copyText, NOT_COPIED } from '../static/copy.js';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';

type CopyButtonProps = {
  text: string;
  /** What it copies, for screen readers. */
  name?: string;
  label?: string;
  className?: string;
  /** An icon in place of the label, which screen readers and pointers at rest still get. */
  isIcon?: boolean;
};

/** A button that copies a text, and says so. If the browser refuses that, it says that, and selects the text around the button. */
export function CopyButton({
  text,
  name,
  label = 'Copy',
  className = 'quiet small',
  isIcon = false,
}: CopyButtonProps) {
  const [copied, setCopied] = useState<boolean | null>(null);
  const copy = async ({ currentTarget }: MouseEvent) => setCopied(await copyText(text, currentTarget));
  const words = copied ? 'Copied' : label;
  return (
    <>
      <Button
        label={isIcon ? <Icon name={copied ? 'check' : 'copy'} /> : words}
        className={className}
        aria-label={isIcon ? words : name && `Copy ${name}`}
        title={isIcon ? words : undefined}
        onClick={copy}
      />
      <span role="status" className={copied === false ? 'soft' : 'unseen'}>
        {copied === null ? '' : copied ? 'Copied' : NOT_COPIED}
      </span>
    </>
  );
}

/** A command or lines of code, with a button that copies them. */
export const CodeBlock = ({ text }: { text: string }) => (
  <div className="code-block">
    <pre>
      <code>{text}</code>
    </pre>
    <CopyButton text={text} />
  </div>
);

/** A short text in a line, with a button that copies it. */
export const Copyable = ({ name, text }: { name: string; text: string }) => (
  <span className="copyable">
    <code>{text}</code>
    <CopyButton text={text} name={name} className="small" />
  </span>
);
