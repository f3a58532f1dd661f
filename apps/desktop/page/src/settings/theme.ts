import { useSyncExternalStore } from 'react';

/** What the user chose for the look of the page; `system` follows the operating system. */
export const THEMES = ['system', 'light', 'dark'] as const;

export type ThemeChoice = (typeof THEMES)[number];

/** Where the choice is kept, in this browser alone. `theme.js` reads it before anything is shown. */
const KEPT_AS = 'svc.theme';

const listeners = new Set<() => void>();

const systemIsDark = () => window.matchMedia('(prefers-color-scheme: dark)');

function choiceNow(): ThemeChoice {
  const { theme } = document.documentElement.dataset;
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}

function subscribe(changed: () => void): () => void {
  const system = systemIsDark();
  listeners.add(changed);
  system.addEventListener('change', changed);
  return () => {
    listeners.delete(changed);
    system.removeEventListener('change', changed);
  };
}

/** Has the page look so from now on, and when it is opened again. */
export function chooseTheme(choice: ThemeChoice): void {
  if (choice === 'system') {
    delete document.documentElement.dataset.theme;
    localStorage.removeItem(KEPT_AS);
  } else {
    document.documentElement.dataset.theme = choice;
    localStorage.setItem(KEPT_AS, choice);
  }
  for (const changed of listeners) changed();
}

export const useThemeChoice = (): ThemeChoice => useSyncExternalStore(subscribe, choiceNow);

/** How the page looks now. */
export const useTheme = (): 'light' | 'dark' =>
  useSyncExternalStore(subscribe, () => {
    const choice = choiceNow();
    return choice === 'dark' || (choice === 'system' && systemIsDark().matches) ? 'dark' : 'light';
  });
