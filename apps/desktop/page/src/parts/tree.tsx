import { visible } from '@svc/text';
import { useState } from 'react';
import { LongText, MAX_SHOWN } from './long-text.tsx';

/** Most entries shown of one list or object, and levels that start open. */
const MAX_ENTRIES = 500;
const OPEN_LEVELS = 2;

const isParent = (value: unknown): value is object => typeof value === 'object' && value !== null;

const entriesOf = (value: object): [string, unknown][] =>
  Array.isArray(value) ? value.map((item, i) => [String(i), item]) : Object.entries(value);

type Shown = { value: unknown; name?: string; depth?: number; whole?: boolean };

/** A JSON value as a collapsible tree. @param whole shows everything expanded, for values that the user approves */
export function Tree({ value, name = '', depth = 0, whole = false }: Shown) {
  const [isOpen, setOpen] = useState(whole || depth < OPEN_LEVELS);
  const label = name === '' ? null : <span className="tree-name">{visible(name)}: </span>;
  if (!isParent(value)) {
    const text = JSON.stringify(value) ?? 'undefined';
    return (
      <div className="tree-leaf">
        {label}
        {text.length > MAX_SHOWN ? <LongText text={text} /> : <code>{visible(text)}</code>}
      </div>
    );
  }
  const entries = entriesOf(value);
  const shown = whole ? entries : entries.slice(0, MAX_ENTRIES);
  return (
    <details className="tree" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {label}
        <span className="soft">{Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`}</span>
      </summary>
      {/* Collapsed nodes are not rendered: untrusted values may nest too deeply for a page. */}
      {isOpen
        ? shown.map(([key, inner]) => (
            <Tree key={key} name={key} value={inner} depth={depth + 1} whole={whole} />
          ))
        : null}
      {entries.length > shown.length ? <p className="soft">… {entries.length - shown.length}</p> : null}
    </details>
  );
}

/** The values of an object by name, such as the arguments of a call. @param whole as in `Tree` */
export function Entries({ of, whole = false }: { of: Readonly<Record<string, unknown>>; whole?: boolean }) {
  const entries = Object.entries(of);
  if (entries.length === 0) return <p className="soft">none</p>;
  const shown = whole ? entries : entries.slice(0, MAX_ENTRIES);
  return (
    <div className="tree">
      {shown.map(([name, value]) => (
        <Tree key={name} name={name} value={value} depth={1} whole={whole} />
      ))}
      {entries.length > shown.length ? <p className="soft">… {entries.length - shown.length}</p> : null}
    </div>
  );
}
