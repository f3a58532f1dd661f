import type { FormEvent, ReactNode } from 'react';
import { goTo, useNavigationCount } from './address.ts';
import { WORDS } from './words.ts';

/** A button that loads the next page of a list; nothing when there is none. */
export function More({ more }: { more: (() => void) | null }) {
  return more ? (
    <button type="button" onClick={more}>
      {WORDS.more}
    </button>
  ) : null;
}

/** A form whose fields become query parameters of the page. Its sort order stays. */
export function Filters({ children }: { children: ReactNode }) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const query = new URLSearchParams(window.location.search);
    for (const [name, value] of new FormData(event.currentTarget)) {
      const text = String(value).trim();
      if (text === '') query.delete(name);
      else query.set(name, text);
    }
    goTo(query);
  };
  return (
    <form key={useNavigationCount()} className="narrow" method="get" onSubmit={submit}>
      {children}
      <span className="buttons">
        <button type="submit" className="main">
          {WORDS.search}
        </button>
        <a className="button" href={window.location.pathname}>
          {WORDS.clear}
        </a>
      </span>
    </form>
  );
}

/** A select field. */
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
    <label>
      {label}
      <select name={name} defaultValue={value}>
        {options.map(([key, text]) => (
          <option key={key} value={key}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Options of a filter: any, yes or no. */
export const YES_OR_NO = [
  ['', WORDS.any],
  ['true', WORDS.yes],
  ['false', WORDS.no],
] as const;
