import type {
  ApprovalCard,
  Card,
  ConnectCard,
  ConsentCard,
  LocalConnectorCard,
  SaveCard,
} from '@svc/runtime';
import type { ReactNode } from 'react';
import { sizeText } from '../parts/figures.ts';
import { Facts } from '../parts/parts.tsx';
import { SafeHtml } from '../parts/safe-html.tsx';
import { Tree } from '../parts/tree.tsx';
import { visible } from '../parts/visible.ts';
import { Consent, consentTitle, declineMeans } from '../permissions/consent.tsx';
import { WORDS } from '../words.ts';
import { localAccess } from './local-access.tsx';

const MESSAGES = WORDS.cards;

/** What a card says, what its "yes" is called, and what a "no" means where that is not plain. */
type Content = { title: string; yes: string; noMeans?: string; canRetry?: boolean; body: ReactNode };

type CardFile = ApprovalCard['files'][number];

function FileFacts({ file: { name, type, bytes, sha256 } }: { file: CardFile }) {
  return (
    <li>
      <div>
        <strong>{visible(name)}</strong>{' '}
        <span className="soft">{`${visible(type)}, ${sizeText(bytes)}`}</span>
        <p className="hash">
          {MESSAGES.hash} <code>{sha256}</code>
        </p>
      </div>
    </li>
  );
}

function connect({ account, host, formerHost, outage, isUnderWay }: ConnectCard): Content {
  const body = (
    <>
      {outage === undefined ? null : <p className="fault">{MESSAGES.outage(visible(outage))}</p>}
      <p>{MESSAGES.connectHint(host)}</p>
      {formerHost ? <p className="fault">{MESSAGES.serverChanged(formerHost)}</p> : null}
      {isUnderWay ? <p>{MESSAGES.underWay}</p> : null}
      {account.scopes.length === 0 ? null : (
        <>
          <h3>{MESSAGES.scopes}</h3>
          <ul>
            {account.scopes.map((scope) => (
              <li key={scope}>
                <code>{visible(scope)}</code>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
  const yes = isUnderWay ? MESSAGES.openAgain : MESSAGES.connectYes;
  return { title: MESSAGES.connect(visible(account.label)), yes, canRetry: outage !== undefined, body };
}

function approval({ title, html, action, tool, arguments: sent, files }: ApprovalCard): Content {
  const body = (
    <>
      <SafeHtml html={html} />
      <Facts facts={[[MESSAGES.tool, `${visible(tool.name)} (${tool.id})`]]} />
      <h3>{MESSAGES.arguments}</h3>
      {Object.keys(sent).length === 0 ? (
        <p className="soft">{MESSAGES.noArguments}</p>
      ) : (
        <Tree value={sent} whole />
      )}
      {files.length === 0 ? null : (
        <>
          <h3>{MESSAGES.files}</h3>
          <ul className="rows">
            {files.map((file, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a call may hand over the same file twice, and the list stays
              <FileFacts key={i} file={file} />
            ))}
          </ul>
        </>
      )}
    </>
  );
  return { title: visible(title), yes: visible(action) || MESSAGES.approve, body };
}

function consent(card: ConsentCard): Content {
  const replaces = card.widened?.baseVersion ?? null;
  return {
    title: consentTitle(card, replaces),
    yes: replaces === null ? WORDS.sheet.accept : WORDS.sheet.agree,
    noMeans: declineMeans(replaces),
    body: <Consent asked={card} />,
  };
}

function save({ app, path, replaces, file }: SaveCard): Content {
  const body = (
    <>
      <p>
        {MESSAGES.saveAs} <code>{visible(path)}</code>
      </p>
      {replaces ? <p className="fault">{MESSAGES.replaces}</p> : null}
      <ul className="rows">
        <FileFacts file={file} />
      </ul>
    </>
  );
  return { title: MESSAGES.save(visible(app.name)), yes: MESSAGES.saveYes, body };
}

function localConnector({ app, access }: LocalConnectorCard): Content {
  const local = WORDS.localConnector;
  const title =
    access.kind === 'command'
      ? local.run(visible(app.name))
      : local.reach(visible(access.host), access.place);
  return {
    title,
    yes: access.kind === 'command' ? local.runYes : local.reachYes,
    body: localAccess(access),
  };
}

/** What a card asks, in words. */
export function contentOf(card: Card): Content {
  switch (card.kind) {
    case 'connect':
      return connect(card);
    case 'approval':
      return approval(card);
    case 'consent':
      return consent(card);
    case 'save':
      return save(card);
    case 'local-connector':
      return localConnector(card);
  }
}
