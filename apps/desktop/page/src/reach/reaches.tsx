import type { PermissionDiff } from '@svc/contracts';
import type { ConsentCard } from '@svc/runtime';
import { sizeText } from '../parts/figures.ts';
import { visible } from '../parts/visible.ts';
import { WORDS } from '../words.ts';
import { narrower, type ReachChange, wider } from './changes.ts';
import { accountsOf, entriesOf, type FileReach, type ToolReach } from './footprint.ts';

const SAY = WORDS.sheet;

function Changes({
  title,
  changes,
  sign,
}: {
  title: string;
  changes: readonly ReachChange[];
  sign: 'wider' | 'narrower';
}) {
  if (changes.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul className="reaches">
        {changes.map(({ kind, what, about }) => (
          <li key={`${kind} ${what} ${about}`} className={sign}>
            <span className="sign" aria-hidden="true">
              {sign === 'wider' ? '+' : '−'}
            </span>
            <span className="unseen">{sign === 'wider' ? WORDS.reach.added : WORDS.reach.removed} </span>
            <span className="kind">{kind}</span>
            {what === '' ? null : <code>{visible(what)}</code>}
            {about === '' ? null : <span className="soft">{visible(about)}</span>}
          </li>
        ))}
      </ul>
    </>
  );
}

/** What an update reaches beyond what was agreed to, and what no longer. */
const Widening = ({ diff }: { diff: PermissionDiff }) => (
  <>
    <Changes title={SAY.widened} changes={wider(diff)} sign="wider" />
    <Changes title={SAY.narrowed} changes={narrower(diff)} sign="narrower" />
  </>
);

export function Permissions({ permissions }: { permissions: readonly string[] }) {
  if (permissions.length === 0) return <p className="soft">{SAY.noPermissions}</p>;
  return (
    <ul>
      {permissions.map((sentence) => (
        <li key={sentence}>{visible(sentence)}</li>
      ))}
    </ul>
  );
}

export function Grants({ grants }: { grants: readonly string[] }) {
  return (
    <ul>
      {grants.map((grant) => (
        <li key={grant}>
          {WORDS.grants[grant] ?? visible(grant)} <code>{visible(grant)}</code>
        </li>
      ))}
    </ul>
  );
}

export const Hosts = ({ domains }: { domains: readonly string[] }) => (
  <ul>
    {domains.map((host) => (
      <li key={host}>
        <code>{visible(host)}</code>
        {host.startsWith('*.') ? <span className="soft"> {WORDS.reach.anyBelow}</span> : null}
      </li>
    ))}
  </ul>
);

const fileLimit = ({ maxBytes, multiple }: FileReach): string =>
  `${sizeText(maxBytes)}${multiple ? ' each' : ''}`;

function ToolItem({
  id,
  reach,
  files,
}: {
  id: string;
  reach: ToolReach;
  files: readonly [string, FileReach][];
}) {
  const words = [
    reach.confirms ? SAY.confirms : SAY.unconfirmed,
    ...(reach.account === null ? [] : [SAY.usesAccount(reach.account)]),
    ...files.map(([param, file]) => SAY.takes(param.slice(id.length + 1), fileLimit(file))),
  ];
  return (
    <li>
      <code>{visible(id)}</code> <span className="soft">{visible(words.join('; '))}</span>
    </li>
  );
}

/** All that an app reaches, in plain words; with a difference, what is new comes first. */
export function Reaches({
  permissions,
  footprint,
  diff,
}: {
  permissions: readonly string[];
  footprint: ConsentCard['footprint'];
  diff: PermissionDiff | null;
}) {
  const tools = entriesOf(footprint.tools);
  const files = entriesOf(footprint.fileParams);
  const accounts = accountsOf(footprint.accounts);
  return (
    <>
      {diff ? <Widening diff={diff} /> : null}
      <h3>{SAY.permissions}</h3>
      <Permissions permissions={permissions} />
      {footprint.grants.length === 0 ? null : (
        <>
          <h3>{SAY.grants}</h3>
          <Grants grants={footprint.grants} />
        </>
      )}
      <h3>{SAY.hosts}</h3>
      <Hosts domains={footprint.domains} />
      {accounts.length === 0 ? null : (
        <>
          <h3>{SAY.accounts}</h3>
          <ul>
            {accounts.map(({ id, scopes }) => (
              <li key={id}>
                {visible(id)}{' '}
                <span className="soft">
                  {scopes.length === 0 ? SAY.noScopes : `${SAY.scopes} ${visible(scopes.join(', '))}`}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
      {tools.length === 0 ? null : (
        <>
          <h3>{SAY.tools}</h3>
          <ul>
            {tools.map(([id, reach]) => (
              <ToolItem
                key={id}
                id={id}
                reach={reach}
                files={files.filter(([param]) => param.startsWith(`${id}.`))}
              />
            ))}
          </ul>
        </>
      )}
    </>
  );
}
