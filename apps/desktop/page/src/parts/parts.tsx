import { type ReactNode, type Ref, useEffect, useId, useRef } from 'react';

/** A section of the page with a heading. */
export function Section({ title, children }: { title: string; children: ReactNode }) {
  const id = useId();
  return (
    <section className="card" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

/**
 * The heading of a page. It takes the focus after navigation, so that screen readers announce the page.
 * @param unseen for a page that shows by itself what it is
 */
export function Heading({ unseen, children }: { unseen?: true; children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // Do not take the focus from a field or dialog in use.
    if (document.activeElement === document.body) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <h1 ref={heading} tabIndex={-1} className={unseen && 'unseen'}>
      {children}
    </h1>
  );
}

/** A notice above a page, with its buttons. */
export const Banner = ({ ref, children }: { ref?: Ref<HTMLDivElement>; children: ReactNode }) => (
  <div ref={ref} className="callout cluster apart banner">
    {children}
  </div>
);

/** The first letter of an app's name, in place of a missing icon. */
export const Letter = ({ name }: { name: string }) => (
  <span className="app-icon letter" aria-hidden="true">
    {[...name.trim()][0]?.toUpperCase() ?? '?'}
  </span>
);
