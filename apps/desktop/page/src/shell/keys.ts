import { useEffect, useEffectEvent } from 'react';
import { flushSync } from 'react-dom';

/** Shortcuts that work on every page. `Mod` is `⌘` on a Mac and `Ctrl` elsewhere. */
export const GLOBAL_KEYS = {
  find: ['Mod', 'K'],
  newChat: ['Mod', 'Shift', 'O'],
  model: ['Mod', '/'],
  help: ['Mod', '?'],
} as const;

export type GlobalKey = keyof typeof GLOBAL_KEYS;

/** Shortcuts of one component, which handles them itself. */
export const LOCAL_KEYS = {
  composer: {
    send: ['Enter'],
    newLine: ['Shift', 'Enter'],
    editLast: ['↑'],
    stop: ['Esc'],
  },
  palette: { choose: ['↑', '↓'], run: ['Enter'], leave: ['Esc'] },
} as const;

const isMac = (): boolean => /^(Mac|iP)/.test(navigator.platform);

/** The names of keys on this platform. */
export const keysText = (keys: readonly string[]): string =>
  keys.map((key) => (key === 'Mod' ? (isMac() ? '⌘' : 'Ctrl') : key)).join(' ');

const isLetter = (key: string): boolean => key.length === 1 && key >= 'A' && key <= 'Z';

type Pressed = Pick<KeyboardEvent, 'key' | 'metaKey' | 'ctrlKey' | 'altKey' | 'shiftKey'>;

/** The global shortcut of a key event. Punctuation is compared as typed, because keyboards differ in which keys need Shift. */
export function globalKeyOf({ key: typed, metaKey, ctrlKey, altKey, shiftKey }: Pressed): GlobalKey | null {
  if (!(metaKey || ctrlKey) || altKey) return null;
  const key = typed.toUpperCase();
  const pressed = isLetter(key) && shiftKey ? ['Mod', 'Shift', key] : ['Mod', key];
  const names = Object.keys(GLOBAL_KEYS) as GlobalKey[];
  return names.find((name) => GLOBAL_KEYS[name].join(' ') === pressed.join(' ')) ?? null;
}

/** Handles the global shortcuts. They are ignored while a dialog is open. */
export function useGlobalKeys(onKey: (key: GlobalKey) => void): void {
  const pressed = useEffectEvent((event: KeyboardEvent) => {
    const key = globalKeyOf(event);
    if (key === null) return;
    event.preventDefault();
    if (event.repeat || document.querySelector('dialog[open]:not(.palette)')) return;
    // Rendered synchronously, so that the next key press reaches what this one opens.
    flushSync(() => onKey(key));
  });
  useEffect(() => {
    window.addEventListener('keydown', pressed);
    return () => window.removeEventListener('keydown', pressed);
  }, []);
}
