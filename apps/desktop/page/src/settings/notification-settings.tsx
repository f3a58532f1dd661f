import { useState } from 'react';
import { Section } from '../parts/parts.tsx';
import { currentPermission, isWanted, setWanted } from './notifications.ts';

/** Whether this browser shows notifications about questions while the page is hidden. */
export function NotificationSettings() {
  const [permission, setPermission] = useState(currentPermission);
  const [wanted, setShown] = useState(isWanted);
  const isOn = permission === 'granted' && wanted;
  const change = async (on: boolean) => {
    setWanted(on);
    setShown(on);
    if (on && permission === 'default') setPermission(await Notification.requestPermission());
  };
  return (
    <Section title="Notifications">
      <label className="choice">
        <input
          type="checkbox"
          checked={isOn}
          disabled={permission === 'denied'}
          onChange={(event) => void change(event.target.checked)}
        />
        Notify me about questions while this page is in the background
      </label>
      <p className="soft">
        {permission === 'denied'
          ? 'This browser blocks notifications. Allow them in its settings for this page.'
          : 'Your browser asks for permission once. This setting applies to this browser only.'}
      </p>
    </Section>
  );
}
