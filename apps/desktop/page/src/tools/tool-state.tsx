import type { ToolView } from '../../../src/wire/views.ts';
import { ConnectButton } from '../apps/connect-button.tsx';
import { visible } from '../parts/visible.ts';
import { useDesktopQuery } from '../wire/use-desktop.ts';
import { WORDS } from '../words.ts';

const MESSAGES = WORDS.tools;

/** Says why the server of an app did not list its tools. */
export const ToolsNotListed = ({ fault }: { fault: string }) => (
  <p role="status" className="mild">
    {MESSAGES.notListed(visible(fault))}
  </p>
);

/** Lists what was dropped or repaired of the answers of an app's server. */
export const ServerRepairs = ({ repairs }: { repairs: readonly string[] }) =>
  repairs.length === 0 ? null : (
    <details>
      <summary>{MESSAGES.repairs(repairs.length)}</summary>
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
  const unknownText = isWaiting ? MESSAGES.schemaAfterConnect : MESSAGES.schemaUnknown;
  return (
    <>
      {account === null ? null : (
        <p className="soft">
          {(isWaiting ? MESSAGES.notConnected : MESSAGES.usesAccount)(visible(needed?.label ?? account))}
        </p>
      )}
      {schema === 'now' || isPending ? null : (
        <p className="mild">{schema === 'last' ? MESSAGES.schemaLast : unknownText}</p>
      )}
      {isWaiting ? <ConnectButton appId={appId} accountId={needed.id} label={needed.label} /> : null}
    </>
  );
}
