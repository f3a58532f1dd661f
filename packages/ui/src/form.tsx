import type { FormEvent, ReactNode } from 'react';
import { ActionButton } from './action-button.tsx';
import { Done, ErrorMessage } from './states.tsx';

export type FormProps = {
  action: string;
  /** Of its button: `plain` where the page has several equal forms or another main button, `bad` for what takes something away. */
  tone?: 'main' | 'plain' | 'bad';
  busy?: boolean;
  /** What is missing for its button to act, as in `ActionButton`. */
  why?: string | null;
  className?: string;
  /** Takes the fields. Once a promise that it returns resolves, the form is reset. */
  submit(data: FormData): unknown;
  /** Called when the user changes a field. */
  change?(): void;
  /** Other buttons beside its own. */
  more?: ReactNode;
  /** A sentence that announces a success; empty before. */
  status?: ReactNode;
  error?: Error | null;
  children?: ReactNode;
};

/** A form with its button, and below it what became of the last submit. */
export function Form({
  action,
  tone = 'main',
  busy = false,
  why = null,
  className = 'fields',
  submit,
  change,
  more,
  status,
  error = null,
  children,
}: FormProps) {
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const sent = submit(new FormData(form));
    // The error is shown by its prop.
    if (sent instanceof Promise) void sent.then(() => form.reset()).catch(() => {});
  };
  return (
    <form className={className} onSubmit={onSubmit} onInput={change}>
      {children}
      <div className="buttons">
        <ActionButton type="submit" className={tone === 'plain' ? undefined : tone} why={busy ? '' : why}>
          {action}
        </ActionButton>
        {more}
      </div>
      {status === undefined ? null : <Done>{status}</Done>}
      <ErrorMessage error={error} />
    </form>
  );
}

/** A text field of a form, trimmed. */
export const textOf = (data: FormData, name: string): string => String(data.get(name) ?? '').trim();
