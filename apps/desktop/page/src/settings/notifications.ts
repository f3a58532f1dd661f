import { useHear } from '../wire/use-desktop.ts';
import { WORDS } from '../words.ts';

/** Where it is kept that the user wants none, in this browser alone. */
const KEPT_AS = 'svc.notifications';

/** What the browser allows; `denied` also where it has no notifications. */
export const permissionNow = (): NotificationPermission =>
  typeof Notification === 'undefined' ? 'denied' : Notification.permission;

export const isWanted = (): boolean => localStorage.getItem(KEPT_AS) !== 'off';

export function setWanted(on: boolean): void {
  if (on) localStorage.removeItem(KEPT_AS);
  else localStorage.setItem(KEPT_AS, 'off');
}

/** Tells the user of a question while the page is not looked at, where that is switched on. */
export function useNotifications(): void {
  useHear((event) => {
    if (event.type !== 'card' || document.visibilityState === 'visible') return;
    if (permissionNow() !== 'granted' || !isWanted()) return;
    const { card, asker, id } = event.card;
    const shown = new Notification(WORDS.notify.title(asker), { body: card.app.name, tag: id });
    shown.onclick = () => {
      window.focus();
      shown.close();
    };
  });
}
