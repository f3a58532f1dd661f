import { visible } from './visible.ts';

/** Entries that are shown of one list or object, and levels that start open. */
const MAX_ENTRIES = 500;
const OPEN_LEVELS = 2;

const isParent = (value: unknown): value is object => typeof value === 'object' && value !== null;

const entriesOf = (value: object): [string, unknown][] =>
  Array.isArray(value) ? value.map((item, i) => [String(i), item]) : Object.entries(value);

/** A value of JSON as a tree that opens and closes. */
export function Tree({ value, name = '', depth = 0 }: { value: unknown; name?: string; depth?: number }) {
  const label = name === '' ? null : <span className="tree-name">{visible(name)}: </span>;
  if (!isParent(value)) {
    return (
      <div className="tree-leaf">
        {label}
        <code>{visible(JSON.stringify(value) ?? 'undefined')}</code>
      </div>
    );
  }
  const entries = entriesOf(value);
  return (
    <details className="tree" open={depth < OPEN_LEVELS}>
      <summary>
        {label}
        <span className="soft">{Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`}</span>
      </summary>
      {entries.slice(0, MAX_ENTRIES).map(([key, inner]) => (
        <Tree key={key} name={key} value={inner} depth={depth + 1} />
      ))}
      {entries.length > MAX_ENTRIES ? <p className="soft">… {entries.length - MAX_ENTRIES}</p> : null}
    </details>
  );
}
