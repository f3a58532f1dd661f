import type { AccountView, AppView } from '../../../src/wire/views.ts';
import { moment } from '../parts/figures.ts';
import { Facts, Fault, Loaded, Section, SureButton, When } from '../parts/parts.tsx';
import { visible } from '../parts/visible.ts';
import { useAsk, useDo } from '../wire/use-desktop.ts';
import { WORDS } from '../words.ts';
import { ConnectButton } from './connect-button.tsx';

const SAY = WORDS.accounts;

function Activity({ account: { activity } }: { account: AccountView }) {
  return (
    <details>
      <summary>{SAY.activity}</summary>
      {activity.length === 0 ? (
        <p className="soft">{SAY.noActivity}</p>
      ) : (
        <table>
          <thead>
            <tr>
              <th scope="col">{SAY.when}</th>
              <th scope="col">{SAY.tool}</th>
              <th scope="col">{SAY.server}</th>
            </tr>
          </thead>
          <tbody>
            {activity.map(({ at, tool, host }, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two uses may be the same in all that is known of them
              <tr key={i}>
                <td>
                  <When at={at} />
                </td>
                <td>{visible(tool)}</td>
                <td>{visible(host)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </details>
  );
}

function Account({ appId, account }: { appId: string; account: AccountView }) {
  const disconnect = useDo('accounts.disconnect');
  const { id, label, connected, required, host, scopes, expiresAt } = account;
  const result = disconnect.data;
  return (
    <Section title={visible(label)}>
      <p>
        <span className={connected ? 'badge good' : 'badge'}>
          {connected ? SAY.connected : SAY.notConnected}
        </span>{' '}
        {required ? <span className="badge">{SAY.required}</span> : null}
      </p>
      <Facts
        facts={[
          [SAY.host, host],
          [SAY.scopes, visible(scopes.join(', '))],
          [SAY.until, expiresAt && moment(expiresAt)],
        ]}
      />
      {connected ? (
        <SureButton
          label={SAY.disconnect(visible(label))}
          sure={SAY.sure}
          act={() => disconnect.mutate({ appId, accountId: id })}
        />
      ) : (
        <ConnectButton appId={appId} accountId={id} label={label} />
      )}
      {result && !connected ? (
        <p role="status" className={result.revoked ? 'good' : 'mild'}>
          {result.revoked ? SAY.revoked : SAY.notRevoked(visible(result.reason ?? ''))}
        </p>
      ) : null}
      <Fault error={disconnect.error} />
      <Activity account={account} />
    </Section>
  );
}

/** The accounts of an app: how they stand, and who got their tokens. */
export function Accounts({ app: { appId } }: { app: AppView }) {
  const accounts = useAsk('accounts.list', { appId });
  return (
    <Loaded query={accounts}>
      {({ accounts: all }) =>
        all.length === 0 ? (
          <p>{SAY.none}</p>
        ) : (
          all.map((account) => <Account key={account.id} appId={appId} account={account} />)
        )
      }
    </Loaded>
  );
}
