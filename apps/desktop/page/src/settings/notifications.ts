import { useState } from 'react';
import { hashOf } from '../routes.ts';
import { go } from '../shell/use-route.ts';
import { useDesktopEvents } from '../wire/use-desktop.ts';

/** Storage key of the setting, in this browser only. */
const STORAGE_KEY = 'svc.notifications';

/** The browser's permission; `denied` also if it does not support notifications. */
export const currentPermission = (): NotificationPermission =>
  typeof Notification === 'undefined' ? 'denied' : Notification.permission;

export const isWanted = (): boolean => localStorage.getItem(STORAGE_KEY) === 'on';

export function setWanted(on: boolean): void {
  if (on) localStorage.setItem(STORAGE_KEY, 'on');
  else localStorage.removeItem(STORAGE_KEY);
}

const isSeen = (): boolean => document.visibilityState === 'visible' && document.hasFocus();

function notify(
  title: string,
  { chat, ...options }: NotificationOptions & { chat: string | undefined },
): void {
  if (isSeen() || currentPermission() !== 'granted' || !isWanted()) return;
  const shown = new Notification(title, options);
  shown.onclick = () => {
    window.focus();
    if (chat !== undefined) go(hashOf('chat', chat));
    shown.close();
  };
}

/** Shows a notification for a question, and for an answer that has ended, while the page is hidden or behind another window. */
export function useNotifications(): void {
  const [running] = useState(() => new Set<number>());
  useDesktopEvents((event) => {
    if (event.type === 'card') {
      const { card, asker, id, chat } = event.card;
      notify(`${asker} has a question`, { body: card.app.name, tag: id, chat });
    } else if (event.type === 'chat-message') {
      const { id, status } = event.message;
      if (status === 'running') running.add(id);
      else if (running.delete(id))
        notify('The answer is there', { tag: `answer ${event.chat}`, chat: event.chat });
    }
  });
}
