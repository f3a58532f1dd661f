import type { ReactNode } from 'react';

type RowsProps<Item> = {
  of: readonly Item[];
  /** What stands in place of an empty list; an empty list without it. */
  none?: string;
  /** The `li` of an item, with its key. */
  children(item: Item): ReactNode;
};

/** A list with a line between its rows. */
export function Rows<Item>({ of, none, children }: RowsProps<Item>) {
  if (of.length === 0 && none !== undefined) return <p className="soft">{none}</p>;
  return <ul className="rows">{of.map((item) => children(item))}</ul>;
}
