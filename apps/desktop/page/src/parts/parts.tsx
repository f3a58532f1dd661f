import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { WORDS } from '../words.ts';
import { moment } from './figures.ts';

/** A part of the page with a heading of its own. */
export function Section({ title, children }: { title: string; children: ReactNode }) {
  const id = useId();
  return (
    <section className="card" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

/** The heading of a page. It takes the focus when the page is another, so that readers are told where they are. */
export function Heading({ children }: { children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // A person who is typing or answering goes on with it.
    if (document.activeElement === document.body) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  );
}

/** What went wrong, announced at once by screen readers. */
export function ErrorMessage({ error }: { error: Error | null }) {
  return (
    <p role="alert" className="fault" hidden={error === null}>
      {error?.message}
    </p>
  );
}

type Loading<T> = { data: T | undefined; error: Error | null; refetch(): unknown };

/** What was asked for, once it is there. */
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

/** A button for what cannot be taken back: it asks once more in its own place, and has the focus again once it is answered. */
export function ConfirmButton({ label, sure, act }: { label: string; sure: string; act(): void }) {
  const [step, setStep] = useState<'begun' | 'asking' | 'answered'>('begun');
  if (step !== 'asking') {
    return (
      <button
        type="button"
        className="bad"
        // biome-ignore lint/a11y/noAutofocus: the button stands where the answer was that was pressed
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
        // biome-ignore lint/a11y/noAutofocus: the question stands where the button was that was pressed
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

/** A field with its name, and a word on what it is for. */
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

/** Names and values below each other. Values that are not there are left out with their names. */
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

/** A moment, for people and for machines. */
export const When = ({ at }: { at: string }) => <time dateTime={at}>{moment(at)}</time>;

/** The first letter of an app, where there is no picture of it. */
export const Letter = ({ name }: { name: string }) => (
  <span className="app-icon letter" aria-hidden="true">
    {[...name.trim()][0]?.toUpperCase() ?? '?'}
  </span>
);
