import type { SettingsInForce } from '@svc/contracts';
import { Card, Loaded } from '../account/parts.tsx';
import { useRead } from '../account/use-store.ts';
import { WORDS } from './words.ts';

const SAY = WORDS.settings;

/** The settings in force, without their secrets. */
export function Settings() {
  const settings = useRead<SettingsInForce>('/api/admin/settings');
  return (
    <>
      <h1>{SAY.title}</h1>
      <Card title={SAY.title}>
        <p className="soft">{SAY.hint}</p>
        <Loaded query={settings}>
          {({ settings: all }) => (
            <table>
              <thead>
                <tr>
                  <th scope="col">{SAY.name}</th>
                  <th scope="col">{SAY.value}</th>
                  <th scope="col">{SAY.from}</th>
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
                        <span className="soft">{value || SAY.empty}</span>
                      ) : (
                        <code>{value}</code>
                      )}
                    </td>
                    <td>{given ? SAY.given : SAY.isDefault}</td>
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
