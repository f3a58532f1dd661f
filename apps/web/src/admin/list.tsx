import type { FormEvent, ReactNode } from 'react';
import { WORDS } from './words.ts';

/** The rest of a list, when there is more. */
export function More({ more }: { more: (() => void) | null }) {
  return more ? (
    <button type="button" onClick={more}>
      {WORDS.more}
    </button>
  ) : null;
}

/** What a list is narrowed by, as it stands in the address of the page, so that it can be sent to a colleague. */
export const narrowedBy = (
  names: readonly string[],
  search = window.location.search,
): Record<string, string> => {
  const asked = new URLSearchParams(search);
  return Object.fromEntries(names.map((name) => [name, asked.get(name)?.trim() ?? '']));
};

/** A form whose fields become the query of the page. */
export function Filters({ children }: { children: ReactNode }) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = [...new FormData(event.currentTarget)].map(([name, value]) => [
      name,
      String(value).trim(),
    ]);
    const given = fields.filter(([, value]) => value !== '');
    window.location.assign(`${window.location.pathname}?${new URLSearchParams(given as [string, string][])}`);
  };
  return (
    <form className="narrow" method="get" onSubmit={submit}>
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
