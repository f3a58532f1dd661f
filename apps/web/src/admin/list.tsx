import type { FormEvent, ReactNode } from 'react';
import { goTo, useTimesMoved } from './address.ts';
import { WORDS } from './words.ts';

/** The rest of a list, when there is more. */
export function More({ more }: { more: (() => void) | null }) {
  return more ? (
    <button type="button" onClick={more}>
      {WORDS.more}
    </button>
  ) : null;
}

/** A form whose fields become the query of the page, beside the order it is in. */
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
    <form key={useTimesMoved()} className="narrow" method="get" onSubmit={submit}>
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

/** A choice of a few words. */
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

/** Yes, no, or no matter. */
export const YES_OR_NO = [
  ['', WORDS.any],
  ['true', WORDS.yes],
  ['false', WORDS.no],
] as const;
