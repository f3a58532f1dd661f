import { useSyncExternalStore } from 'react';

/** The theme that the user chose; `system` follows the operating system. */
export const THEMES = ['system', 'light', 'dark'] as const;

export type ThemeChoice = (typeof THEMES)[number];

/** Storage key of the theme, in this browser only. `theme.js` reads it before the first paint. */
const STORAGE_KEY = 'svc-theme';

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

export function chooseTheme(choice: ThemeChoice): void {
  if (choice === 'system') {
    delete document.documentElement.dataset.theme;
    localStorage.removeItem(STORAGE_KEY);
  } else {
    document.documentElement.dataset.theme = choice;
    localStorage.setItem(STORAGE_KEY, choice);
  }
  for (const changed of listeners) changed();
}

export const useThemeChoice = (): ThemeChoice => useSyncExternalStore(subscribe, choiceNow);

/** The theme in effect. */
export const useTheme = (): 'light' | 'dark' =>
  useSyncExternalStore(subscribe, () => {
    const choice = choiceNow();
    return choice === 'dark' || (choice === 'system' && systemIsDark().matches) ? 'dark' : 'light';
  });
