import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { WORDS } from '../words.ts';
import { moment } from './figures.ts';

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

/** The heading of a page. It takes the focus after navigation, so that screen readers announce the page. */
export function Heading({ children }: { children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // Do not take the focus from a field or dialog in use.
    if (document.activeElement === document.body) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  );
}

/** An error message, announced immediately by screen readers. */
export function ErrorMessage({ error }: { error: Error | null }) {
  return (
    <p role="alert" className="fault" hidden={error === null}>
      {error?.message}
    </p>
  );
}

type Loading<T> = { data: T | undefined; error: Error | null; refetch(): unknown };

/** Renders the data of a query, or its loading or error state. */
export function Loaded<T>({ query, children }: { query: Loading<T>; children: (data: T) => ReactNode }) {
  if (query.data !== undefined) return children(query.data);
  if (query.error === null) return <p role="status">{WORDS.loading}</p>;
  return (
    <>
      <ErrorMessage error={query.error} />
      <button type="button" onClick={() => query.refetch()}>
        {WORDS.again}
      </button>
    </>
  );
}

/** A button for an action that cannot be undone. It asks for confirmation in place, and gets the focus back afterwards. */
export function ConfirmButton({ label, sure, act }: { label: string; sure: string; act(): void }) {
  const [step, setStep] = useState<'initial' | 'asking' | 'answered'>('initial');
  if (step !== 'asking') {
    return (
      <button
        type="button"
        className="bad"
        // biome-ignore lint/a11y/noAutofocus: the button replaces the pressed answer
        autoFocus={step === 'answered'}
        onClick={() => setStep('asking')}
      >
        {label}
      </button>
    );
  }
  return (
    <fieldset className="buttons sure" aria-label={sure}>
      <span>{sure}</span>
      <button
        type="button"
        className="bad"
        // biome-ignore lint/a11y/noAutofocus: the question replaces the pressed button
        autoFocus
        onClick={() => {
          setStep('answered');
          act();
        }}
      >
        {WORDS.yes}
      </button>
      <button type="button" onClick={() => setStep('answered')}>
        {WORDS.no}
      </button>
    </fieldset>
  );
}

/** A labelled input with an optional hint. */
export function Field({
  label,
  hint,
  ...input
}: { label: string; hint?: string } & React.ComponentProps<'input'>) {
  return (
    <label className="field">
      {label}
      {hint === undefined ? null : <small>{hint}</small>}
      <input {...input} />
    </label>
  );
}

/** A list of names and values. Entries without a value are left out. */
export function Facts({ facts }: { facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="facts">
      {facts
        .filter(([, value]) => value !== null && value !== undefined && value !== '')
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** A formatted time with its machine-readable value. */
export const When = ({ at }: { at: string }) => <time dateTime={at}>{moment(at)}</time>;

/** The first letter of an app's name, in place of a missing icon. */
export const Letter = ({ name }: { name: string }) => (
  <span className="app-icon letter" aria-hidden="true">
    {[...name.trim()][0]?.toUpperCase() ?? '?'}
  </span>
);
