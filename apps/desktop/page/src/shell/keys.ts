import { useEffect, useRef } from 'react';
import { flushSync } from 'react-dom';

/** Keys that work on every page. The key that is `⌘` on a Mac and `Ctrl` elsewhere is `Mod`. */
export const GLOBAL_KEYS = {
  find: ['Mod', 'K'],
  newChat: ['Mod', 'Shift', 'O'],
  model: ['Mod', '/'],
  help: ['Mod', '?'],
} as const;

export type GlobalKey = keyof typeof GLOBAL_KEYS;

/** Keys of one place, which hears them itself. */
export const PLACE_KEYS = {
  composer: {
    send: ['Enter'],
    newLine: ['Shift', 'Enter'],
    editLast: ['↑'],
    stop: ['Esc'],
  },
  palette: { choose: ['↑', '↓'], run: ['Enter'], leave: ['Esc'] },
} as const;

const isMac = (): boolean => /^(Mac|iP)/.test(navigator.platform);

/** Keys as this keyboard names them. */
export const keysText = (keys: readonly string[]): string =>
  keys.map((key) => (key === 'Mod' ? (isMac() ? '⌘' : 'Ctrl') : key)).join(' ');

const isLetter = (key: string): boolean => key.length === 1 && key >= 'A' && key <= 'Z';

type Pressed = Pick<KeyboardEvent, 'key' | 'metaKey' | 'ctrlKey' | 'altKey' | 'shiftKey'>;

/** Which of the keys that work everywhere was pressed. Signs are taken as they are typed: where Shift makes them differs. */
export function globalKeyOf({ key: typed, metaKey, ctrlKey, altKey, shiftKey }: Pressed): GlobalKey | null {
  if (!(metaKey || ctrlKey) || altKey) return null;
  const key = typed.toUpperCase();
  const pressed = isLetter(key) && shiftKey ? ['Mod', 'Shift', key] : ['Mod', key];
  const names = Object.keys(GLOBAL_KEYS) as GlobalKey[];
  return names.find((name) => GLOBAL_KEYS[name].join(' ') === pressed.join(' ')) ?? null;
}

/** Hears the keys that work everywhere. A dialog that asks something keeps them out. */
export function useGlobalKeys(hear: (key: GlobalKey) => void): void {
  const latest = useRef(hear);
  useEffect(() => {
    latest.current = hear;
  });
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const key = globalKeyOf(event);
      if (key === null) return;
      event.preventDefault();
      if (event.repeat || document.querySelector('dialog[open]:not(.palette)')) return;
      // Drawn at once: the next key is meant for what this one opens.
      flushSync(() => latest.current(key));
    };
    window.addEventListener('keydown', pressed);
    return () => window.removeEventListener('keydown', pressed);
  }, []);
}
