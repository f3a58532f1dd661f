import { visible } from '@svc/text';
import { ErrorMessage } from '@svc/ui';
import { useDesktopMutation, useDesktopQuery } from '../wire/use-desktop.ts';

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
      <button
        type="button"
        className="main"
        disabled={connect.isPending}
        onClick={() => connect.mutate({ appId, accountId })}
      >
        {`Connect ${visible(label)}`}
      </button>
      {connect.isPending ? <span role="status">Waiting for sign-in in your browser…</span> : null}
      <ErrorMessage error={connect.error} />
    </div>
  );
}
