import type {
  ApprovalCard,
  CardFile,
  ConnectCard,
  ConsentCard,
  LocalConnectorCard,
  QuestionCard,
  SamplingCard,
  SaveCard,
} from '@svc/runtime';
import type { ReactNode } from 'react';
import type { WaitingCard } from '../../../src/wire/views.ts';
import { isolated } from '../parts/isolated.ts';
import { Facts } from '../parts/parts.tsx';
import { SafeHtml } from '../parts/safe-html.tsx';
import { Tree } from '../parts/tree.tsx';
import { visible, visibleLines } from '../parts/visible.ts';
import { InstalledAppHead } from '../permissions/card-head.tsx';
import { Consent, consentTitle, declineHint } from '../permissions/consent.tsx';
import { Sentences } from '../permissions/permissions.tsx';
import { WORDS } from '../words.ts';
import { CardFiles } from './card-files.tsx';
import { ConnectedAs } from './connected-as.tsx';
import { localAccess } from './local-access.tsx';
import { QuestionHint } from './question-form.tsx';

const MESSAGES = WORDS.cards;

/** Title, body and button label of a card, and a hint on what declining means. */
type Content = {
  title: string;
  yes: string;
  declineHint?: string;
  canRetry?: boolean;
  mayAllowInChat?: boolean;
  body: ReactNode;
};

function Scopes({ scopes }: { scopes: readonly string[] }) {
  if (scopes.length === 0) return <p className="soft">{MESSAGES.noScopes}</p>;
  return (
    <ul>
      {scopes.map((scope) => (
        <li key={scope}>
          <code>{visible(scope)}</code>
        </li>
      ))}
    </ul>
  );
}

function connect(card: ConnectCard): Content {
  const { app, account, host, tokenHost, formerHost, outage, isUnderWay, permissions } = card;
  const body = (
    <>
      <InstalledAppHead app={app} />
      {outage === undefined ? null : <p className="fault">{MESSAGES.outage(visible(outage))}</p>}
      <p>{MESSAGES.connectHint(host)}</p>
      {tokenHost === undefined ? null : <p className="fault">{MESSAGES.tokenHost(tokenHost)}</p>}
      {formerHost ? <p className="fault">{MESSAGES.serverChanged(formerHost)}</p> : null}
      {isUnderWay ? <p>{MESSAGES.underWay}</p> : null}
      <div className="beside">
        <div>
          <h3>{MESSAGES.scopes}</h3>
          <Scopes scopes={account.scopes} />
        </div>
        <div>
          <h3>{MESSAGES.permissions}</h3>
          <Sentences sentences={permissions} publisher={app.publisher ?? app.name} />
        </div>
      </div>
    </>
  );
  const yes = isUnderWay ? MESSAGES.openAgain : MESSAGES.connectYes;
  return { title: MESSAGES.connect(visible(account.label)), yes, canRetry: outage !== undefined, body };
}

/** Text of the app, marked as such and apart from the texts of svc. */
function AppText({ html, app }: { html: string; app: string }) {
  if (html === '') return null;
  return (
    <>
      <p className="soft">{MESSAGES.inWordsOf(isolated(app))}</p>
      <div className="app-says">
        <SafeHtml html={html} />
      </div>
    </>
  );
}

function Hashes({ files, binding }: { files: readonly CardFile[]; binding: string }) {
  return (
    <details>
      <summary>{MESSAGES.details}</summary>
      <p className="soft">{MESSAGES.whyHash}</p>
      <dl className="hashes">
        {files.map(({ name, sha256 }, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a call may contain the same file twice, and the list does not change
          <div key={i}>
            <dt>
              {MESSAGES.hash} <bdi>{visible(name)}</bdi>
            </dt>
            <dd>
              <code>{sha256}</code>
            </dd>
          </div>
        ))}
        <div>
          <dt>{MESSAGES.bound}</dt>
          <dd>
            <code>{binding}</code>
          </dd>
        </div>
      </dl>
    </details>
  );
}

function approval(card: ApprovalCard, id: string): Content {
  const { app, title, html, action, tool, server, account, arguments: args, files, binding, wordsOf } = card;
  const body = (
    <>
      <InstalledAppHead app={app} />
      {/* First, so that the user sees what leaves without scrolling. */}
      <CardFiles cardId={id} files={files} captionOf={MESSAGES.picture} />
      <Facts
        facts={[
          [MESSAGES.tool, `${visible(tool.name)} (${tool.id})`],
          [MESSAGES.sentTo, visible(server)],
          [
            MESSAGES.withAccount,
            account && (
              <>
                {`${visible(account.label)} (${account.id})`}{' '}
                <ConnectedAs appId={app.appId} accountId={account.id} />
              </>
            ),
          ],
        ]}
      />
      {wordsOf === 'client' ? <SafeHtml html={html} /> : <AppText html={html} app={app.name} />}
      <h3>{MESSAGES.arguments}</h3>
      {Object.keys(args).length === 0 ? (
        <p className="soft">{MESSAGES.noArguments}</p>
      ) : (
        <Tree value={args} whole />
      )}
      <Hashes files={files} binding={binding} />
    </>
  );
  const yes = visible(action) || MESSAGES.approve;
  return { title: visible(title), yes, mayAllowInChat: card.mayAllowInChat === true, body };
}

function consent(card: ConsentCard): Content {
  const replaces = card.widened?.baseVersion ?? null;
  return {
    title: consentTitle(card, replaces),
    yes: replaces === null ? WORDS.sheet.accept : WORDS.sheet.agree,
    declineHint: declineHint(replaces),
    body: <Consent request={card} />,
  };
}

function save({ app, path, replaces, file, binding }: SaveCard, id: string): Content {
  const body = (
    <>
      <InstalledAppHead app={app} />
      <p>
        {MESSAGES.saveAs} <code>{visible(path)}</code>
      </p>
      {replaces ? <p className="fault">{MESSAGES.replaces}</p> : null}
      <CardFiles cardId={id} files={[file]} captionOf={MESSAGES.saved} />
      <Hashes files={[file]} binding={binding} />
    </>
  );
  return { title: MESSAGES.save(visible(app.name)), yes: MESSAGES.saveYes, body };
}

function localConnector({ app, access }: LocalConnectorCard): Content {
  const local = WORDS.localConnector;
  const title =
    access.kind === 'command'
      ? local.run(visible(app.name))
      : local.connect(visible(access.host), access.place);
  return {
    title,
    yes: access.kind === 'command' ? local.runYes : local.connectYes,
    body: localAccess(access),
  };
}

/** Who asks: the tool, and the server. */
function AskedBy({ app, tool, server }: Pick<QuestionCard, 'app' | 'tool' | 'server'>) {
  return (
    <>
      <InstalledAppHead app={app} />
      <Facts
        facts={[
          [MESSAGES.tool, visible(tool)],
          [MESSAGES.askedBy, server === '' ? null : visible(server)],
        ]}
      />
    </>
  );
}

function question(card: QuestionCard): Content {
  const { app, message, url } = card;
  const body = (
    <>
      <AskedBy {...card} />
      <p className="soft">{MESSAGES.inWordsOf(isolated(app.name))}</p>
      <div className="app-says">
        <p className="lines">{visibleLines(message)}</p>
      </div>
      <QuestionHint url={url} />
      {url === null ? null : (
        <p>
          <code>{visible(url)}</code>
        </p>
      )}
    </>
  );
  return {
    title: MESSAGES.question(visible(app.name)),
    yes: url === null ? MESSAGES.questionYes : MESSAGES.pageYes(visible(new URL(url).host)),
    body,
  };
}

function sampling(card: SamplingCard): Content {
  const { app, system, messages, maxTokens, reply } = card;
  const asked = [
    ...(system === null ? [] : [{ role: 'system' as const, text: system }]),
    ...(reply === null ? messages : [{ role: 'assistant' as const, text: reply.text }]),
  ];
  const body = (
    <>
      <AskedBy {...card} />
      <p className="soft">
        {reply === null ? MESSAGES.samplingHint(maxTokens) : MESSAGES.replyHint(visible(reply.model))}
      </p>
      {(reply === null ? asked : asked.slice(-1)).map(({ role, text }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list does not change
        <div key={at}>
          <h3>{MESSAGES.roles[role]}</h3>
          <div className="app-says">
            <p className="lines">{visibleLines(text)}</p>
          </div>
        </div>
      ))}
    </>
  );
  const name = visible(app.name);
  return reply === null
    ? { title: MESSAGES.sampling(name), yes: MESSAGES.samplingYes, body }
    : { title: MESSAGES.reply(name), yes: MESSAGES.replyYes, body };
}

/** Returns the content of a card. */
export function contentOf({ id, card }: Pick<WaitingCard, 'id' | 'card'>): Content {
  switch (card.kind) {
    case 'connect':
      return connect(card);
    case 'approval':
      return approval(card, id);
    case 'consent':
      return consent(card);
    case 'save':
      return save(card, id);
    case 'local-connector':
      return localConnector(card);
    case 'question':
      return question(card);
    case 'sampling':
      return sampling(card);
  }
}
