import { ConfirmButton, ErrorMessage, Loaded, moment, When } from '@svc/ui';
import type { AccountView, AppView } from '../../../src/wire/views.ts';
import { Facts, Section } from '../parts/parts.tsx';
import { visible } from '../parts/visible.ts';
import { useDesktopMutation, useDesktopQuery } from '../wire/use-desktop.ts';
import { WORDS } from '../words.ts';
import { ConnectButton } from './connect-button.tsx';

const MESSAGES = WORDS.accounts;

function Activity({ account: { activity } }: { account: AccountView }) {
  return (
    <details>
      <summary>{MESSAGES.activity}</summary>
      {activity.length === 0 ? (
        <p className="soft">{MESSAGES.noActivity}</p>
      ) : (
        <table>
          <thead>
            <tr>
              <th scope="col">{MESSAGES.when}</th>
              <th scope="col">{MESSAGES.tool}</th>
              <th scope="col">{MESSAGES.server}</th>
            </tr>
          </thead>
          <tbody>
            {activity.map(({ at, tool, host }, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two entries may be equal
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
  const disconnect = useDesktopMutation('accounts.disconnect');
  const { id, label, connected, required, host, scopes, expiresAt, holder } = account;
  const result = disconnect.data;
  return (
    <Section title={visible(label)}>
      <p>
        <span className={connected ? 'badge good' : 'badge'}>
          {connected ? MESSAGES.connected : MESSAGES.notConnected}
        </span>{' '}
        {required ? <span className="badge">{MESSAGES.required}</span> : null}
      </p>
      <Facts
        facts={[
          [MESSAGES.connectedAs, holder && visible(holder)],
          [MESSAGES.host, host],
          [MESSAGES.scopes, visible(scopes.join(', '))],
          [MESSAGES.until, expiresAt && moment(expiresAt)],
        ]}
      />
      {connected ? (
        <ConfirmButton
          label={MESSAGES.disconnect(visible(label))}
          sure={MESSAGES.sure}
          act={() => disconnect.mutate({ appId, accountId: id })}
        />
      ) : (
        <ConnectButton appId={appId} accountId={id} label={label} />
      )}
      {result && !connected ? (
        <p role="status" className={result.revoked ? 'good' : 'mild'}>
          {result.revoked ? MESSAGES.revoked : MESSAGES.notRevoked(visible(result.reason ?? ''))}
        </p>
      ) : null}
      <ErrorMessage error={disconnect.error} />
      <Activity account={account} />
    </Section>
  );
}

/** The accounts of an app: their status, and the activity of their tokens. */
export function Accounts({ app: { appId } }: { app: AppView }) {
  const accounts = useDesktopQuery('accounts.list', { appId });
  return (
    <Loaded query={accounts}>
      {({ accounts: all }) =>
        all.length === 0 ? (
          <p>{MESSAGES.none}</p>
        ) : (
          all.map((account) => <Account key={account.id} appId={appId} account={account} />)
        )
      }
    </Loaded>
  );
}
