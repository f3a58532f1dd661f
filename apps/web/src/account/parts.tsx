import { type FormEvent, type ReactNode, useState } from 'react';
import { SHARED_WORDS } from '../shared-words.ts';

type CardProps = {
  /** Left out where the heading of the page is the title. */
  title?: string;
  className?: string;
  children: ReactNode;
};

/** A section of a page, with an optional title. */
export function Card({ title, className = '', children }: CardProps) {
  return (
    <section className={`card ${className}`.trim()}>
      {title === undefined ? null : <h2>{title}</h2>}
      {children}
    </section>
  );
}

/** An error message, which screen readers announce immediately. */
export function ErrorMessage({ error }: { error: Error | null }) {
  return (
    <p role="alert" className="fault" hidden={error === null}>
      {error?.message}
    </p>
  );
}

type Query<T> = { data: T | undefined; error: Error | null; refetch(): unknown };

type LoadedProps<T> = {
  query: Query<T>;
  /** The heading of the page while its data is loading, for pages without another one. */
  page?: string;
  children: (data: T) => ReactNode;
};

/** Renders the data of a query, or its loading or error state. */
export function Loaded<T>({ query, page, children }: LoadedProps<T>) {
  if (query.data !== undefined) return children(query.data);
  const heading = page === undefined ? null : <h1>{page}</h1>;
  if (query.error === null)
    return (
      <>
        {heading}
        <p role="status">{SHARED_WORDS.loading}</p>
      </>
    );
  return (
    <div className={page === undefined ? undefined : 'error-state'}>
      {heading}
      <ErrorMessage error={query.error} />
      <button type="button" onClick={() => query.refetch()}>
        {SHARED_WORDS.retry}
      </button>
    </div>
  );
}

/** The page for an unknown path, with a link to the start of its area. */
export const NotFound = ({ href, label }: { href: string; label: string }) => (
  <div className="empty-state">
    <h1>Page not found</h1>
    <p>There is no page at this address.</p>
    <p>
      <a href={href}>{label}</a>
    </p>
  </div>
);

type ConfirmProps = {
  label: string;
  sure: string;
  act(): void;
  /** `quiet` in rows of a list, `plain` for harmless actions. */
  tone?: 'bad' | 'quiet' | 'plain';
};

/** A button that asks for confirmation in its own place before it acts. */
export function ConfirmButton({ label, sure, act, tone = 'bad' }: ConfirmProps) {
  const [asking, setAsking] = useState(false);
  if (!asking) {
    return (
      <button type="button" className={tone} onClick={() => setAsking(true)}>
        {label}
      </button>
    );
  }
  return (
    <fieldset className="buttons" aria-label={sure}>
      <span>{sure}</span>
      <button
        type="button"
        className={tone === 'plain' ? 'main' : 'bad'}
        // biome-ignore lint/a11y/noAutofocus: the confirmation replaces the button that was pressed
        autoFocus
        onClick={() => {
          setAsking(false);
          act();
        }}
      >
        Yes
      </button>
      <button type="button" onClick={() => setAsking(false)}>
        No
      </button>
    </fieldset>
  );
}

/** A button that a form replaces when pressed; closing the form shows and focuses the button again. */
export function OpenForm({
  label,
  className,
  children,
}: {
  label: string;
  className?: string;
  children(close: () => void): ReactNode;
}) {
  const [form, setForm] = useState<'unopened' | 'open' | 'closed'>('unopened');
  if (form === 'open') return children(() => setForm('closed'));
  return (
    <button
      type="button"
      className={className}
      // biome-ignore lint/a11y/noAutofocus: closing the form returns the focus to its button
      autoFocus={form === 'closed'}
      onClick={() => setForm('open')}
    >
      {label}
    </button>
  );
}

/** A text with a copy button. */
export function Copyable({ text, label }: { text: string; label: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return (
    <div className="secret">
      <span className="soft">{label}</span>
      <code>{text}</code>
      <div className="buttons">
        <button type="button" onClick={copy}>
          {copied ? 'Copied' : 'Copy'}
        </button>
      </div>
    </div>
  );
}

/** A form that passes its fields as `FormData`, and resets itself after a successful submit. */
export function Fields({
  action,
  busy,
  submit,
  children,
}: {
  action: string;
  busy: boolean;
  submit(data: FormData): Promise<unknown>;
  children: ReactNode;
}) {
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    submit(new FormData(form)).then(
      () => form.reset(),
      // The caller shows the error.
      () => {},
    );
  };
  return (
    <form className="fields" onSubmit={onSubmit}>
      {children}
      <div className="buttons">
        <button type="submit" className="main" disabled={busy}>
          {action}
        </button>
      </div>
    </form>
  );
}

/** An input with a label and an optional hint. */
export function Field({
  label,
  hint,
  ...input
}: { label: string; hint?: string } & React.ComponentProps<'input'>) {
  return (
    <label>
      {label}
      {hint === undefined ? null : <small>{hint}</small>}
      <input {...input} />
    </label>
  );
}

const DATE = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });
const MOMENT = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

/** A date in the time zone of the user. */
export const day = (iso: string): string => DATE.format(new Date(iso));
/** A date and time in the time zone of the user. */
export const moment = (iso: string): string => MOMENT.format(new Date(iso));

/** A text field of a form, trimmed. */
export const textOf = (data: FormData, name: string): string => String(data.get(name) ?? '').trim();
