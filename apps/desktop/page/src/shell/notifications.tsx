import { useState } from 'react';
import { useHear } from '../wire/use-desktop.ts';
import { WORDS } from '../words.ts';

const canNotify = typeof Notification !== 'undefined';

/** Tells the person of a question while the page is not looked at, and lets them switch that on. */
export function Notifications() {
  const [permission, setPermission] = useState(canNotify ? Notification.permission : 'denied');
  useHear((event) => {
    if (event.type !== 'card' || permission !== 'granted' || document.visibilityState === 'visible') return;
    const { card, asker, id } = event.card;
    const shown = new Notification(WORDS.notify.title(asker), { body: card.app.name, tag: id });
    shown.onclick = () => {
      window.focus();
      shown.close();
    };
  });
  if (permission !== 'default') return null;
  return (
    <button type="button" onClick={() => Notification.requestPermission().then(setPermission)}>
      {WORDS.notify.ask}
    </button>
  );
}
