import { visible } from '@svc/text';
import { count } from '@svc/ui/text';
import type { ToolView } from '../../../src/wire/views.ts';
import { ConnectButton } from '../apps/accounts.tsx';
import { useDesktopQuery } from '../wire/use-desktop.ts';

/** Says why the server of an app did not list its tools. */
export const ToolsNotListed = ({ fault }: { fault: string }) => (
  <p role="status" className="mild">
    {`The app’s server did not list its tools: ${visible(fault)}`}
  </p>
);

/** Lists what was dropped or repaired of the answers of an app's server. */
export const ServerRepairs = ({ repairs }: { repairs: readonly string[] }) =>
  repairs.length === 0 ? null : (
    <details>
      <summary>{`Left out or repaired of the server’s answers: ${count(repairs.length, 'part')}`}</summary>
      <ul>
        {repairs.map((what) => (
          <li key={what}>{visible(what)}</li>
        ))}
      </ul>
    </details>
  );

/** Says how current the argument schema is, and which account the tool needs, with a connect button. */
export function SchemaNote({
  appId,
  tool: { account, schema },
  isPending,
}: {
  appId: string;
  tool: ToolView;
  isPending: boolean;
}) {
  const accounts = useDesktopQuery('accounts.list', { appId }).data?.accounts;
  const needed = account === null ? undefined : accounts?.find(({ id }) => id === account);
  const isWaiting = needed !== undefined && !needed.connected;
  const unknownText = isWaiting
    ? 'The arguments are not known until the account is connected. Connect it, or enter them as JSON.'
    : 'The arguments are not known yet: the app’s server has not listed its tools. Until then, enter them as JSON.';
  return (
    <>
      {account === null ? null : (
        <p className="soft">
          {`Uses the account ${visible(needed?.label ?? account)}${isWaiting ? ', which is not connected yet. Running the tool asks you to connect it.' : '.'}`}
        </p>
      )}
      {schema === 'now' || isPending ? null : (
        <p className="mild">
          {schema === 'last'
            ? 'These arguments are from the server’s last list. They are updated once the account is connected.'
            : unknownText}
        </p>
      )}
      {isWaiting ? <ConnectButton appId={appId} accountId={needed.id} label={needed.label} /> : null}
    </>
  );
}
