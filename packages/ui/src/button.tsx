import type { ComponentProps, ReactNode } from 'react';

type Labelled<Tag extends 'a' | 'button'> = ComponentProps<Tag> & { label?: ReactNode };

type ButtonProps = Labelled<'button'> & {
  /** What the button starts: meanwhile it is disabled, and its words are `busy`. */
  runs?: { isPending: boolean };
  busy?: string;
};

/** A button that submits no form. Its words are its `label`, or its children where they have elements. */
export const Button = ({ label, busy, runs, children, ...props }: ButtonProps) => (
  <button type="button" disabled={runs?.isPending} {...props}>
    {runs?.isPending && busy !== undefined ? busy : (label ?? children)}
  </button>
);

/** A link that looks like a button. */
export const ButtonLink = ({ label, className = '', ...props }: Labelled<'a'>) => (
  <a className={`button ${className}`.trim()} {...props}>
    {label}
  </a>
);

/** A link to another site, in a window of its own that learns nothing of this one. */
export const OutsideLink = ({ label, ...props }: Labelled<'a'>) => (
  <a target="_blank" rel="noopener noreferrer" {...props}>
    {label}
  </a>
);
