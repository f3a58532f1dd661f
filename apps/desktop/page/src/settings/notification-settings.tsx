import { useState } from 'react';
import { Section } from '../parts/parts.tsx';
import { WORDS } from '../words.ts';
import { currentPermission, isWanted, setWanted } from './notifications.ts';

const MESSAGES = WORDS.notify;

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
