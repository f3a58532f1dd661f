import { visible } from '@svc/text';
import { Button, ConfirmButton, ErrorMessage, Facts, Loaded, moment, When } from '@svc/ui';
import type { AccountView, AppView } from '../../../src/wire/views.ts';
import { Section } from '../parts/parts.tsx';
import { useDesktopMutation, useDesktopQuery } from '../wire/use-desktop.ts';
import { notRevoked } from './removed-note.tsx';

/** Connects an account of an app, and waits for the sign-in in the browser. */
export function ConnectButton({
  appId,
  accountId,
  label,
}: {
  appId: string;
  accountId: string;
  label: string;
}) {
  const connect = useDesktopMutation('accounts.connect');
  const accounts = useDesktopQuery('accounts.list', { appId });
  const isConnected = accounts.data?.accounts.some(({ id, connected }) => id === accountId && connected);
  if (isConnected) return <p className="good">{`${visible(label)}: connected`}</p>;
  return (
    <div className="buttons">
      <Button
        label={`Connect ${visible(label)}`}
        className="main"
        runs={connect}
        onClick={() => connect.mutate({ appId, accountId })}
      />
      {connect.isPending ? <span role="status">Waiting for sign-in in your browser…</span> : null}
      <ErrorMessage error={connect.error} />
    </div>
  );
}

function Activity({ account: { activity } }: { account: AccountView }) {
  return (
    <details>
      <summary>Token activity</summary>
      {activity.length === 0 ? (
        <p className="soft">No activity yet.</p>
      ) : (
        <table>
          <thead>
            <tr>
              <th scope="col">When</th>
              <th scope="col">Tool</th>
              <th scope="col">Host</th>
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

function Account({ app, account }: { app: AppView; account: AccountView }) {
  const { appId, yanked } = app;
  const disconnect = useDesktopMutation('accounts.disconnect');
  const { id, label, connected, required, host, scopes, expiresAt, holder } = account;
  const result = disconnect.data;
  return (
    <Section title={visible(label)}>
      <p>
        <span className={connected ? 'badge good' : 'badge'}>
          {connected ? 'connected' : 'not connected'}
        </span>{' '}
        {required ? <span className="badge">required</span> : null}
      </p>
      <Facts
        facts={[
          ['Connected as', holder && visible(holder)],
          ['Sign-in server', host],
          ['Scopes', visible(scopes.join(', '))],
          ['Token expires', expiresAt && moment(expiresAt)],
        ]}
      />
      {connected ? (
        <ConfirmButton
          label={`Disconnect ${visible(label)}`}
          sure="Disconnect?"
          act={() => disconnect.mutate({ appId, accountId: id })}
        />
      ) : yanked === null ? (
        <ConnectButton appId={appId} accountId={id} label={label} />
      ) : null}
      {result && !connected ? (
        <p role="status" className={result.revoked ? 'good' : 'mild'}>
          {result.revoked
            ? 'Disconnected. The server revoked access.'
            : notRevoked(visible(result.reason ?? ''))}
        </p>
      ) : null}
      <ErrorMessage error={disconnect.error} />
      <Activity account={account} />
    </Section>
  );
}

/** The accounts of an app: their status, and the activity of their tokens. */
export function Accounts({ app }: { app: AppView }) {
  const accounts = useDesktopQuery('accounts.list', { appId: app.appId });
  return (
    <Loaded query={accounts}>
      {({ accounts: all }) =>
        all.length === 0 ? (
          <p>This app uses no accounts.</p>
        ) : (
          all.map((account) => <Account key={account.id} app={app} account={account} />)
        )
      }
    </Loaded>
  );
}
