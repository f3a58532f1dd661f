import { Button } from '@svc/ui';
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';

/** An entry of a list that opens while the user types. */
export type Option = { key: string; choose(): void; shown: ReactNode };

/**
 * A list below or above a field from which keys choose: arrows move, Enter takes, Escape closes it (ARIA Authoring Practices, "Combobox").
 * @param isFirstChosen whether Enter takes the first entry before an arrow was pressed
 * @param close called by Escape
 */
export function useOptions(
  label: string,
  options: readonly Option[],
  { isFirstChosen, close }: { isFirstChosen: boolean; close(): void },
) {
  const id = useId();
  const [moved, setMoved] = useState<{ keys: string; at: number } | null>(null);
  const keys = options.map(({ key }) => key).join('\n');
  const current = moved?.keys === keys ? moved.at : isFirstChosen ? 0 : -1;
  const isOpen = options.length > 0;

  /** @returns whether the list took the key */
  function onKey(event: KeyboardEvent): boolean {
    if (!isOpen || event.nativeEvent.isComposing) return false;
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const chosen = options[current];
    if (by !== undefined)
      setMoved({ keys, at: (Math.max(current, by > 0 ? -1 : 0) + by + options.length) % options.length });
    else if (event.key === 'Escape') close();
    else if ((event.key === 'Enter' || event.key === 'Tab') && chosen) chosen.choose();
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  }
  const list = isOpen ? (
    <div id={id} className="completions" role="listbox" aria-label={label}>
      {options.map(({ key, choose, shown }, at) => (
        <Button
          key={key}
          label={shown}
          id={`${id}-${at}`}
          role="option"
          aria-selected={at === current}
          tabIndex={-1}
          onMouseDown={(event) => event.preventDefault()}
          onClick={choose}
        />
      ))}
    </div>
  ) : null;
  /** Of the field, for screen readers. */
  const described = isOpen
    ? { 'aria-controls': id, ...(current >= 0 && { 'aria-activedescendant': `${id}-${current}` }) }
    : {};
  return { list, onKey, described, isOpen };
}
