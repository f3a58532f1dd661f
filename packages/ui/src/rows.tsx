import type { ReactNode, RefObject } from 'react';

type RowsProps<Item> = {
  of: readonly Item[];
  /** What stands in place of an empty list; an empty list without it. */
  none?: string;
  /** The `li` of an item, with its key. */
  children(item: Item, index: number): ReactNode;
  /** The list itself. */
  list?: RefObject<HTMLElement | null>;
};

/** A list with a line between its rows. */
export function Rows<Item>({ of, none, list, children }: RowsProps<Item>) {
  if (of.length === 0 && none !== undefined) return <p className="soft">{none}</p>;
  return (
    <ul ref={list as RefObject<HTMLUListElement | null> | undefined} className="rows">
      {of.map((item, index) => children(item, index))}
    </ul>
  );
}
