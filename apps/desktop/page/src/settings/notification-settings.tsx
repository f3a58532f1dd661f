import { useState } from 'react';
import { Section } from '../parts/parts.tsx';
import { WORDS } from '../words.ts';
import { isWanted, permissionNow, setWanted } from './notifications.ts';

const MESSAGES = WORDS.notify;

/** Whether this browser tells of questions while the page is out of view. */
export function NotificationSettings() {
  const [permission, setPermission] = useState(permissionNow);
  const [wanted, setShown] = useState(isWanted);
  const isOn = permission === 'granted' && wanted;
  const change = async (on: boolean) => {
    setWanted(on);
    setShown(on);
    if (on && permission === 'default') setPermission(await Notification.requestPermission());
  };
  return (
    <Section title={WORDS.settingsPage.sections.notifications}>
      <label className="choice">
        <input
          type="checkbox"
          checked={isOn}
          disabled={permission === 'denied'}
          onChange={(event) => void change(event.target.checked)}
        />
        {MESSAGES.ask}
      </label>
      <p className="soft">{permission === 'denied' ? MESSAGES.denied : MESSAGES.hint}</p>
    </Section>
  );
}
