import { type FormEvent, type ReactNode, useState } from 'react';

type CardProps = {
  /** Left out where the heading of the page says it. */
  title?: string;
  className?: string;
  children: ReactNode;
};

/** A part of the page. */
export function Card({ title, className = '', children }: CardProps) {
  return (
    <section className={`card ${className}`.trim()}>
      {title === undefined ? null : <h2>{title}</h2>}
      {children}
    </section>
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

type LoadedProps<T> = {
  query: Loading<T>;
  /** The heading of the page until it has its own, where nothing else on it could have one. */
  page?: string;
  children: (data: T) => ReactNode;
};

/** What was asked for, once it is there. */
export function Loaded<T>({ query, page, children }: LoadedProps<T>) {
  if (query.data !== undefined) return children(query.data);
  const heading = page === undefined ? null : <h1>{page}</h1>;
  if (query.error === null)
    return (
      <>
        {heading}
        <p role="status">Loading…</p>
      </>
    );
  return (
    <div className={page === undefined ? undefined : 'error-state'}>
      {heading}
      <ErrorMessage error={query.error} />
      <button type="button" onClick={() => query.refetch()}>
        Try again
      </button>
    </div>
  );
}

/** A page that is not there. The link leads to where such pages begin. */
export const NothingHere = ({ href, label }: { href: string; label: string }) => (
  <div className="empty-state">
    <h1>Nothing here</h1>
    <p>There is nothing at this address.</p>
    <p>
      <a href={href}>{label}</a>
    </p>
  </div>
);

type ConfirmProps = {
  label: string;
  sure: string;
  act(): void;
  /** `quiet` where many stand below each other, `plain` for what does no harm. */
  tone?: 'bad' | 'quiet' | 'plain';
};

/** A button for what cannot be taken back: it asks once more in its own place. */
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
        // biome-ignore lint/a11y/noAutofocus: the question stands where the button was that was pressed
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

/** A button whose form opens in its place; closing the form leads back to the button. */
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
      // biome-ignore lint/a11y/noAutofocus: closing the form leads back to what opened it
      autoFocus={form === 'closed'}
      onClick={() => setForm('open')}
    >
      {label}
    </button>
  );
}

/** A text to take elsewhere. */
export function Copied({ text, label }: { text: string; label: string }) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setDone(true);
  };
  return (
    <div className="secret">
      <span className="soft">{label}</span>
      <code>{text}</code>
      <div className="buttons">
        <button type="button" onClick={copy}>
          {done ? 'Copied' : 'Copy'}
        </button>
      </div>
    </div>
  );
}

/** A form whose fields are handed over by name; it is emptied once what it asked for is done. */
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
      // What went wrong is shown by the caller.
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

/** A field with its name, and a word on what it is for. */
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

/** A day, or a moment, where the reader is. */
export const day = (iso: string): string => DATE.format(new Date(iso));
export const moment = (iso: string): string => MOMENT.format(new Date(iso));

/** A text field of a form, trimmed. */
export const textOf = (data: FormData, name: string): string => String(data.get(name) ?? '').trim();
