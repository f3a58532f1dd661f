import { Dialog } from '@svc/ui';
import { useEffect, useRef, useState } from 'react';

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
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const act = isShortcut(event) ? latest.current[event.key] : undefined;
      if (!act) return;
      event.preventDefault();
      act();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
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
      <button type="button" className="quiet" onClick={show}>
        Shortcuts (?)
      </button>
      {isOpen ? (
        <Dialog
          title="Keyboard shortcuts"
          leave={close}
          buttons={
            <button type="button" className="main" onClick={close}>
              Close
            </button>
          }
        >
          <dl className="facts">
            {keys.map(([key, effect]) => (
              <div key={key}>
                <dt>
                  <kbd>{key}</kbd>
                </dt>
                <dd>{effect}</dd>
              </div>
            ))}
          </dl>
          <p className="soft">Shortcuts do nothing while you type in a field.</p>
          <label className="choice">
            <input type="checkbox" checked={on} onChange={(event) => turn(event.target.checked)} />
            Single-key shortcuts are on
          </label>
        </Dialog>
      ) : null}
    </>
  );
}
