import { Fault } from '../parts/parts.tsx';
import { visible } from '../parts/visible.ts';
import { useAsk, useDo } from '../wire/use-desktop.ts';
import { WORDS } from '../words.ts';

const SAY = WORDS.accounts;

/** Connects an account of an app: the sign-in goes on in the browser, and this waits for its end. */
export function ConnectButton({
  appId,
  accountId,
  label,
}: {
  appId: string;
  accountId: string;
  label: string;
}) {
  const connect = useDo('accounts.connect');
  const accounts = useAsk('accounts.list', { appId });
  const isConnected = accounts.data?.accounts.some(({ id, connected }) => id === accountId && connected);
  if (isConnected) return <p className="good">{`${visible(label)}: ${SAY.connected}`}</p>;
  return (
    <div className="buttons">
      <button
        type="button"
        className="main"
        disabled={connect.isPending}
        onClick={() => connect.mutate({ appId, accountId })}
      >
        {SAY.connect(visible(label))}
      </button>
      {connect.isPending ? <span role="status">{SAY.connecting}</span> : null}
      <Fault error={connect.error} />
    </div>
  );
}
