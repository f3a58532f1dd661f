import { ButtonLink, Options } from '@svc/ui';
import { type ComponentProps, type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { goTo } from '../address.ts';

/** Time without typing after which a list is searched, in milliseconds. */
const DEBOUNCE_MS = 250;

/** The query of the page with the fields of a form. Its sort order stays. */
function queryOf(form: HTMLFormElement): URLSearchParams {
  const query = new URLSearchParams(window.location.search);
  for (const [name, value] of new FormData(form)) {
    const text = String(value).trim();
    if (text === '') query.delete(name);
    else query.set(name, text);
  }
  return query;
}

type FiltersProps = {
  /** False for fields whose values mean nothing while they are typed: a button applies them. */
  isLive?: boolean;
  /** Shows the list of a query. */
  apply?(query: URLSearchParams, how: 'push' | 'replace'): void;
  children: ReactNode;
  /** Fields that few users need: they unfold, and stay so while one is set. */
  more?: { label: string; isOpen: boolean; children: ReactNode };
};

/** A line of fields that become query parameters of the page, as the user types. */
export function Filters({ isLive = true, apply = goTo, children, more }: FiltersProps) {
  const [answer, setAnswer] = useState('');
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // One step back leaves the search, not its last letter.
  const isSearching = useRef(false);
  const search = (form: HTMLFormElement) => {
    clearTimeout(timer.current);
    const query = queryOf(form);
    if (`?${query}` === (window.location.search || '?'))
      return query.size === 0 ? 'Choose a filter first.' : 'These filters are applied already.';
    apply(query, isSearching.current ? 'replace' : 'push');
    isSearching.current = true;
    return '';
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setAnswer(search(event.currentTarget));
  };
  const input = ({ currentTarget }: FormEvent<HTMLFormElement>) => {
    setAnswer('');
    if (!isLive) return;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => search(currentTarget), DEBOUNCE_MS);
  };
  // Another page, or going back, ends a search that has not started.
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <search>
      <form
        className="filters"
        method="get"
        onSubmit={submit}
        onInput={input}
        onBlur={() => {
          isSearching.current = false;
        }}
      >
        {children}
        {isLive ? null : (
          <button type="submit" className="main">
            Apply
          </button>
        )}
        {window.location.search === '' ? null : (
          <ButtonLink label="Clear" className="quiet" href={window.location.pathname} />
        )}
        {more && (
          <details className="more-filters" open={more.isOpen}>
            <summary>{more.label}</summary>
            <div className="filters">{more.children}</div>
          </details>
        )}
        <span role="status" className="soft">
          {answer}
        </span>
      </form>
    </search>
  );
}

/** A text field of a list, with its label inside. */
export const SearchField = ({ label, ...props }: { label: string } & ComponentProps<'input'>) => (
  <input type="search" aria-label={label} placeholder={label} autoComplete="off" {...props} />
);

/** A select field. The first option names it. */
export function Choice({
  label,
  name,
  value,
  options,
}: {
  label: string;
  name: string;
  value: string | undefined;
  options: readonly (readonly [string, string])[];
}) {
  return (
    <select name={name} aria-label={label} defaultValue={value}>
      <Options of={options.map(([key, text]) => [key, key === '' ? `${label}: ${text}` : text])} />
    </select>
  );
}

/** Options of a filter: any, yes or no. */
export const YES_OR_NO = [
  ['', 'any'],
  ['true', 'yes'],
  ['false', 'no'],
] as const;
