import { ErrorMessage } from '@svc/ui';
import { visible } from '../parts/visible.ts';
import { useDesktopMutation, useDesktopQuery } from '../wire/use-desktop.ts';
import { WORDS } from '../words.ts';

const MESSAGES = WORDS.accounts;

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
  if (isConnected) return <p className="good">{`${visible(label)}: ${MESSAGES.connected}`}</p>;
  return (
    <div className="buttons">
      <button
        type="button"
        className="main"
        disabled={connect.isPending}
        onClick={() => connect.mutate({ appId, accountId })}
      >
        {MESSAGES.connect(visible(label))}
      </button>
      {connect.isPending ? <span role="status">{MESSAGES.connecting}</span> : null}
      <ErrorMessage error={connect.error} />
    </div>
  );
}
