import type { MemberRole, PersonRole } from '@svc/contracts';
import { CodeBlock, EmptyState, ErrorMessage, Options } from '@svc/ui';
import { type FormEvent, type ReactNode, useState } from 'react';
import { type RequestOf, useChange } from './use-store.ts';

/** The first letters of the first and the last word of a name. */
export function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/);
  const letters = [words[0], words.length > 1 ? words.at(-1) : ''].map((word) => Array.from(word ?? '')[0]);
  return letters.join('') || '?';
}

/** A user or a publisher as letters on a ground. */
export const Initials = ({ name, isPerson = false }: { name: string; isPerson?: boolean }) => (
  <span className={`app-icon letter-44 ${isPerson ? 'person' : ''}`} aria-hidden="true">
    {initialsOf(name)}
  </span>
);

/** What a row or a page is about: its picture, its name, and what is below the name. */
export const Named = ({ picture, children }: { picture: ReactNode; children: ReactNode }) => (
  <div className="named">
    {picture}
    <div>{children}</div>
  </div>
);

/** The roles of people in the store. */
export const ROLES = {
  person: 'User',
  moderator: 'Moderator',
  administrator: 'Administrator',
} satisfies Record<PersonRole, string>;

const MEMBER_ROLES = {
  member: 'Member: publishes and yanks versions',
  owner: 'Owner: also manages members, tokens and settings',
} satisfies Record<MemberRole, string>;

type CardProps = {
  /** Left out where the heading of the page is the title. */
  title?: string | undefined;
  /** What the section is for, in a sentence. */
  lead?: string;
  className?: string;
  children: ReactNode;
};

/** A section of a page, with an optional title. */
export function Card({ title, lead, className = '', children }: CardProps) {
  return (
    <section className={`card ${className}`.trim()}>
      {lead === undefined ? (
        title !== undefined && <h2>{title}</h2>
      ) : (
        <header>
          <h2>{title}</h2>
          <p className="soft">{lead}</p>
        </header>
      )}
      {children}
    </section>
  );
}

type NotFoundProps = {
  /** Where the link leads: the start of the area, or the list. */
  href: string;
  label: string;
  title?: string;
  text?: string;
};

/** The page for an unknown path. */
export const NotFound = ({
  href,
  label,
  title = 'Page not found',
  text = 'There is no page at this address.',
}: NotFoundProps) => (
  <EmptyState icon="search-x" title={title} isPage>
    <p>{text}</p>
    <p>
      <a href={href}>{label}</a>
    </p>
  </EmptyState>
);

/** A detail page of something that is not there. */
export const Gone = ({ list, label }: { list: string; label: string }) => (
  <NotFound href={list} label={label} title="Not found" text="It was deleted, or the address is wrong." />
);

/** A button that loads the next page of a list, where there is one. */
export const LoadMore = ({
  query: { hasNextPage, isFetchingNextPage, fetchNextPage },
  label,
}: {
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage(): unknown };
  label: string;
}) =>
  hasNextPage ? (
    <button type="button" disabled={isFetchingNextPage} onClick={() => fetchNextPage()}>
      {label}
    </button>
  ) : null;

/** A secret that is shown once, with a button that copies it. */
export const Secret = ({ text, label }: { text: string; label: string }) => (
  <div className="secret">
    <span className="soft">{label}</span>
    <CodeBlock text={text} />
  </div>
);

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

type FieldsProps = {
  action: string;
  /** Of its button: `plain` where the page has several equal forms or another main button, `bad` for what takes something away. */
  tone?: 'main' | 'plain' | 'bad';
  busy?: boolean;
  submit(data: FormData): Promise<unknown>;
  children: ReactNode;
};

/** A form that passes its fields as `FormData`, and resets itself after a successful submit. */
export function Fields({ action, tone = 'main', busy = false, submit, children }: FieldsProps) {
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
        <button type="submit" className={tone === 'plain' ? undefined : tone} disabled={busy}>
          {action}
        </button>
      </div>
    </form>
  );
}

type ChangeFormProps<Answer> = Pick<FieldsProps, 'action' | 'tone' | 'children'> & {
  /** Builds the request from the fields. What it throws is shown as the error of the form. */
  request: RequestOf<Answer, FormData>;
  /** What happens after a success, such as closing the form. */
  done?(answer: Answer): void;
  /** A sentence that announces a success. */
  status?(answer: Answer): ReactNode;
  /** What a success leaves below the form, such as a secret to copy. */
  shows?(answer: Answer): ReactNode;
};

/** A form that sends a change to the store, and shows its success and its error. */
export function ChangeForm<Answer>({ request, done, status, shows, ...fields }: ChangeFormProps<Answer>) {
  const { mutateAsync, isPending, isSuccess, data, error } = useChange(request);
  return (
    <>
      <Fields
        {...fields}
        busy={isPending}
        submit={(values) => mutateAsync(values).then((answer) => done?.(answer))}
      />
      {status === undefined ? null : (
        <p role="status" className="good">
          {isSuccess ? status(data) : ''}
        </p>
      )}
      {isSuccess ? shows?.(data) : null}
      <ErrorMessage error={error} />
    </>
  );
}

/** The field `role` of a form that makes a user a member of a publisher. */
export const RoleField = () => (
  <label>
    Role
    <select name="role" defaultValue="member">
      <Options of={Object.entries(MEMBER_ROLES)} />
    </select>
  </label>
);

/** A text field of a form, trimmed. */
export const textOf = (data: FormData, name: string): string => String(data.get(name) ?? '').trim();
