import type { SettingsInForce } from '@svc/contracts';
import { Card, Loaded } from '../account/parts.tsx';
import { useRead } from '../account/use-store.ts';
import { WORDS } from './words.ts';

const MESSAGES = WORDS.settings;

/** The settings in force, without their secrets. */
export function Settings() {
  const settings = useRead<SettingsInForce>('/api/admin/settings');
  return (
    <>
      <h1>{MESSAGES.title}</h1>
      <Card title={MESSAGES.title}>
        <p className="soft">{MESSAGES.hint}</p>
        <Loaded query={settings}>
          {({ settings: all }) => (
            <table>
              <thead>
                <tr>
                  <th scope="col">{MESSAGES.name}</th>
                  <th scope="col">{MESSAGES.value}</th>
                  <th scope="col">{MESSAGES.from}</th>
                </tr>
              </thead>
              <tbody>
                {all.map(({ name, value, secret, given }) => (
                  <tr key={name}>
                    <th scope="row">
                      <code>{name}</code>
                    </th>
                    <td>
                      {value === '' || secret ? (
                        <span className="soft">{value || MESSAGES.empty}</span>
                      ) : (
                        <code>{value}</code>
                      )}
                    </td>
                    <td>{given ? MESSAGES.given : MESSAGES.isDefault}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </Loaded>
      </Card>
    </>
  );
}
