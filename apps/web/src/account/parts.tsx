import type { MemberRole, PersonRole } from '@svc/contracts';
import {
  Button,
  CodeBlock,
  ConfirmButton,
  EmptyState,
  ErrorMessage,
  Field,
  Form,
  type FormProps,
  Select,
} from '@svc/ui';
import { type ComponentProps, type ReactNode, useState } from 'react';
import { MAX_SLUG, slugOf } from './slug.ts';
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
  /** Whether the page is about something that is not there, and not an unknown path. */
  isGone?: boolean;
};

/** The page for an unknown path, or for something that is not there. */
export const NotFound = ({ href, label, isGone = false }: NotFoundProps) => (
  <EmptyState icon="search-x" title={isGone ? 'Not found' : 'Page not found'} isPage>
    <p>{isGone ? 'It was deleted, or the address is wrong.' : 'There is no page at this address.'}</p>
    <p>
      <a href={href}>{label}</a>
    </p>
  </EmptyState>
);

/** A button that loads the next page of a list, where there is one. */
export const LoadMore = ({
  query: { hasNextPage, isFetchingNextPage, fetchNextPage },
  label,
}: {
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage(): unknown };
  label: string;
}) =>
  hasNextPage ? <Button label={label} disabled={isFetchingNextPage} onClick={() => fetchNextPage()} /> : null;

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

type ChangeFormProps<Answer> = Pick<FormProps, 'action' | 'tone' | 'change' | 'more' | 'children'> & {
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
      <Form
        {...fields}
        {...(status && { status: isSuccess ? status(data) : '' })}
        busy={isPending}
        error={error}
        submit={(values) => mutateAsync(values).then((answer) => done?.(answer))}
      />
      {isSuccess ? shows?.(data) : null}
    </>
  );
}

type ChangeButtonProps<Answer> = {
  label: string;
  /** The question before it; without one the change is sent at once. */
  sure?: string;
  tone?: 'bad' | 'quiet' | 'plain';
  request(): ReturnType<RequestOf<Answer, void>>;
  /** What happens after a success, such as leaving the page. */
  done?(answer: Answer): void;
};

/** A button that sends a change to the store, and shows its error. */
export function ChangeButton<Answer>({ label, sure, tone, request, done }: ChangeButtonProps<Answer>) {
  const { mutate, isPending, error } = useChange<Answer>(request);
  const act = () => mutate(undefined, { onSuccess: (answer) => done?.(answer) });
  return (
    <>
      {sure === undefined ? (
        <Button label={label} className={tone} disabled={isPending} onClick={act} />
      ) : (
        <ConfirmButton {...{ label, sure, act, ...(tone && { tone }) }} />
      )}
      <ErrorMessage error={error} />
    </>
  );
}

/** The field `role` of a form that makes a user a member of a publisher. */
export const RoleField = () => (
  <Select label="Role" of={Object.entries(MEMBER_ROLES)} name="role" defaultValue="member" />
);

/** The short name of a publisher. */
export const SlugField = (field: Omit<ComponentProps<typeof Field>, 'label'> & { label?: string }) => (
  <Field
    label="Short name"
    name="slug"
    maxLength={MAX_SLUG}
    pattern="[a-z0-9]([a-z0-9\-]*[a-z0-9])?"
    autoCapitalize="none"
    spellCheck={false}
    {...field}
  />
);

/** The name of a new publisher and its short name, which follows the name until it is written. */
export function NameAndSlug({ hint, slugHint }: { hint?: string; slugHint?: string }) {
  const [name, setName] = useState('');
  const [slug, setSlug] = useState<string | null>(null);
  return (
    <>
      <Field
        label="Name"
        hint={hint}
        name="name"
        required
        maxLength={80}
        value={name}
        onChange={({ target }: { target: HTMLInputElement }) => setName(target.value)}
      />
      <SlugField
        hint={slugHint}
        required
        value={slug ?? slugOf(name)}
        onChange={({ target }: { target: HTMLInputElement }) => setSlug(target.value)}
      />
    </>
  );
}
