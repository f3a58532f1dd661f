import type { ToolView } from '../../../src/wire/views.ts';
import { ConnectButton } from '../apps/connect-button.tsx';
import { visible } from '../parts/visible.ts';
import { useDesktopQuery } from '../wire/use-desktop.ts';
import { WORDS } from '../words.ts';

const MESSAGES = WORDS.tools;

/** That the server of an app could not be asked for its tools. */
export const Unheard = ({ fault }: { fault: string }) => (
  <p role="status" className="mild">
    {MESSAGES.notListed(visible(fault))}
  </p>
);

/** What is known of the arguments of a tool, and the account that it needs, with a way to connect it. */
export function SchemaNote({
  appId,
  tool: { account, schema },
  isAsking,
}: {
  appId: string;
  tool: ToolView;
  isAsking: boolean;
}) {
  const accounts = useDesktopQuery('accounts.list', { appId }).data?.accounts;
  const needed = account === null ? undefined : accounts?.find(({ id }) => id === account);
  const isWaiting = needed !== undefined && !needed.connected;
  const said = isWaiting ? MESSAGES.schemaAfterConnect : MESSAGES.schemaUnknown;
  return (
    <>
      {account === null ? null : (
        <p className="soft">
          {(isWaiting ? MESSAGES.notConnected : MESSAGES.usesAccount)(visible(needed?.label ?? account))}
        </p>
      )}
      {schema === 'now' || isAsking ? null : (
        <p className="mild">{schema === 'last' ? MESSAGES.schemaLast : said}</p>
      )}
      {isWaiting ? <ConnectButton appId={appId} accountId={needed.id} label={needed.label} /> : null}
    </>
  );
}
