import { Button, Check, Dialog, Facts } from '@svc/ui';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { decoded } from '../address.ts';

/** Handlers of keys, by `KeyboardEvent.key`. */
export type Keys = Readonly<Record<string, () => void>>;

const STORAGE_KEY = 'svc-desk-keys';

/** Whether single-key shortcuts are on. Users of speech input turn them off (WCAG 2.1.4). */
const areShortcutsOn = (): boolean => window.localStorage.getItem(STORAGE_KEY) !== 'off';

/** Fields that take letters: a box that was just checked is none of them. */
const TYPED = 'input:not([type=checkbox], [type=radio]), select, textarea, dialog';

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest(TYPED) !== null;

const isPressable = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('a, button, summary') !== null;

/** Whether a key press is a shortcut of the page. */
function isShortcut(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return false;
  if (isTyping(event.target) || document.querySelector('dialog[open]')) return false;
  // Enter on a focused button or link activates that.
  if (event.key === 'Enter' && isPressable(event.target)) return false;
  return event.key.length > 1 || areShortcutsOn();
}

/** Handles keys on the whole page, but not while the user types or a dialog is open. */
export function useKeys(keys: Keys): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const act = isShortcut(event) ? keys[event.key] : undefined;
    if (!act) return;
    event.preventDefault();
    act();
  });
  useEffect(() => {
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}

/**
 * The marked entry of a list. Keys move it, and then the focus goes with it.
 * @param storageKey where the mark is kept in this tab; nowhere without it
 */
export function useMark(count: number, storageKey?: string) {
  const [marked, setMarked] = useState(() =>
    storageKey === undefined ? 0 : Number(window.sessionStorage.getItem(storageKey)) || 0,
  );
  const [moved, setMoved] = useState(false);
  const set = (index: number) => {
    if (storageKey !== undefined) window.sessionStorage.setItem(storageKey, String(index));
    setMarked(index);
  };
  const go = (index: number) => {
    set(Math.max(0, Math.min(index, count - 1)));
    setMoved(true);
  };
  return { at: Math.max(0, Math.min(marked, count - 1)), moved, set, go };
}

/** The shortcuts of a list whose rows are marked. */
export const CASE_KEYS = [
  ['j or ↓', 'next case'],
  ['k or ↑', 'previous case'],
] as const;

/**
 * Marks the entry that the address of the page names, as links of the inbox do, once the list has come.
 * @param ids of the entries, in their order
 */
export function useTarget(ids: readonly string[], go: (index: number) => void): void {
  const show = useEffectEvent(() => {
    const index = ids.indexOf(decoded(window.location.hash.slice(1)));
    if (index >= 0) go(index);
  });
  const isHere = ids.length > 0;
  useEffect(() => {
    if (isHere) show();
  }, [isHere]);
}

/** A list whose rows are marked with j, k and the arrows, and by the address of the page. @param ids of the rows, in their order */
export function useRows(ids: readonly string[]) {
  const { at, moved, set, go } = useMark(ids.length);
  useTarget(ids, go);
  const list = useRef<HTMLElement>(null);
  useEffect(() => {
    const row = list.current?.children[at];
    if (!moved || !row || row.contains(document.activeElement)) return;
    const target = row.querySelector<HTMLElement>('.case') ?? (row as HTMLElement);
    target.focus();
  }, [at, moved]);
  const [next, before] = [() => go(at + 1), () => go(at - 1)];
  return {
    at,
    /** The list: its children are the rows. */
    list,
    keys: { j: next, ArrowDown: next, k: before, ArrowUp: before } satisfies Keys,
    rowProps: (index: number) => ({
      tabIndex: -1,
      onFocus: () => set(index),
      ...(index === at && { 'aria-current': true as const }),
    }),
  };
}

/** A button, and the key `?`, that open a list of the shortcuts of this page. */
export function KeysHelp({ keys }: { keys: readonly (readonly [string, string])[] }) {
  const [isOpen, setOpen] = useState(false);
  const [on, setOn] = useState(areShortcutsOn);
  const show = () => setOpen(true);
  const close = () => setOpen(false);
  useKeys({ '?': show });
  const turn = (isOn: boolean) => {
    window.localStorage.setItem(STORAGE_KEY, isOn ? 'on' : 'off');
    setOn(isOn);
  };
  return (
    <>
      <Button label="Shortcuts (?)" className="quiet" onClick={show} />
      {isOpen ? (
        <Dialog
          title="Keyboard shortcuts"
          leave={close}
          buttons={<Button label="Close" className="main" onClick={close} />}
        >
          <Facts facts={keys.map(([key, effect]) => [<kbd key={key}>{key}</kbd>, effect] as const)} />
          <p className="soft">Shortcuts do nothing while you type in a field.</p>
          <Check label="Single-key shortcuts are on" checked={on} choose={turn} />
        </Dialog>
      ) : null}
    </>
  );
}
