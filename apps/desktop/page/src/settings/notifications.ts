import { hashOf } from '../routes.ts';
import { go } from '../shell/use-route.ts';
import { useDesktopEvents } from '../wire/use-desktop.ts';

/** Storage key of the setting, in this browser only. */
const STORAGE_KEY = 'svc.notifications';

/** The browser's permission; `denied` also if it does not support notifications. */
export const currentPermission = (): NotificationPermission =>
  typeof Notification === 'undefined' ? 'denied' : Notification.permission;

export const isWanted = (): boolean => localStorage.getItem(STORAGE_KEY) !== 'off';

export function setWanted(on: boolean): void {
  if (on) localStorage.removeItem(STORAGE_KEY);
  else localStorage.setItem(STORAGE_KEY, 'off');
}

/** Shows a notification for a question while the page is hidden or behind another window, if the user enabled it. */
export function useNotifications(): void {
  useDesktopEvents((event) => {
    if (event.type !== 'card' || (document.visibilityState === 'visible' && document.hasFocus())) return;
    if (currentPermission() !== 'granted' || !isWanted()) return;
    const { card, asker, id, chat } = event.card;
    const shown = new Notification(`${asker} has a question`, { body: card.app.name, tag: id });
    shown.onclick = () => {
      window.focus();
      if (chat !== undefined) go(hashOf('chat', chat));
      shown.close();
    };
  });
}
