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
import { visible, visibleLines } from '@svc/text';
import { ended, Facts } from '@svc/ui';
import type { ReactNode } from 'react';
import type { WaitingCard } from '../../../src/wire/views.ts';
import { isolated } from '../parts/isolated.ts';
import { SafeHtml } from '../parts/safe-html.tsx';
import { Entries } from '../parts/tree.tsx';
import { InstalledAppHead, useIsOfStore } from '../permissions/card-head.tsx';
import { Consent, consentTitle, declineHint } from '../permissions/consent.tsx';
import { Sentences } from '../permissions/permissions.tsx';
import { CardFiles } from './card-files.tsx';
import { ConnectedAs } from './connected-as.tsx';
import { localAccess } from './local-access.tsx';
import { QuestionHint } from './question-form.tsx';

const inWordsOfText = (app: string) => `In the words of ${ended(app)} svc does not check them.`;

const ROLES = { system: 'Instructions', user: 'Message', assistant: 'Answer' };

/** Longest label of an app for the button that approves, in characters. */
const MAX_ACTION = 40;

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
  if (scopes.length === 0) return <p className="soft">No scopes: the server decides what the app may do.</p>;
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

function AppSentences({ app, sentences }: { app: ConnectCard['app']; sentences: readonly string[] }) {
  const { appId, publisher, name } = app;
  const listed = useIsOfStore(appId) ? appId : undefined;
  return <Sentences sentences={sentences} publisher={publisher ?? name} appId={listed} />;
}

function connect(card: ConnectCard): Content {
  const { app, account, host, tokenHost, formerHost, outage, isUnderWay, permissions } = card;
  const body = (
    <>
      <InstalledAppHead app={app} />
      {outage === undefined ? null : (
        <p className="fault">{`The access token could not be renewed. ${visible(outage)} Try again, or connect the account again.`}</p>
      )}
      <p className="opens">
        Your browser opens <strong>{host ?? 'the sign-in page'}</strong>.
      </p>
      <p className="soft">The app never sees your password.</p>
      {tokenHost === undefined ? null : (
        <p className="fault">{`Another site issues the access tokens: ${tokenHost}.`}</p>
      )}
      {formerHost ? (
        <p className="fault">{`The authorization server has changed: it was ${formerHost}.`}</p>
      ) : null}
      {isUnderWay ? <p>A sign-in is in progress in your browser.</p> : null}
      <div className="beside">
        <div>
          <h3>Permissions</h3>
          <AppSentences app={app} sentences={permissions} />
        </div>
        <div>
          <h3>Requested scopes</h3>
          <Scopes scopes={account.scopes} />
        </div>
      </div>
    </>
  );
  const yes = isUnderWay ? 'Reopen sign-in page' : 'Connect';
  return { title: `Connect ${visible(account.label)}?`, yes, canRetry: outage !== undefined, body };
}

/** Text of the app, marked as such and apart from the texts of svc. */
function AppText({ html, app }: { html: string; app: string }) {
  if (html === '') return null;
  return (
    <>
      <p className="soft">{inWordsOfText(isolated(app))}</p>
      <div className="app-says">
        <SafeHtml html={html} />
      </div>
    </>
  );
}

type Exact = { files: readonly CardFile[]; binding: string } & Partial<
  Pick<ApprovalCard, 'tool' | 'account'>
>;

/** What identifies a request exactly: ids and hashes. */
function Hashes({ files, binding, tool, account }: Exact) {
  return (
    <details>
      <summary>Details</summary>
      <Facts
        facts={[
          ['Tool', tool && `${visible(tool.name)} (${tool.id})`],
          ['Account', account && `${visible(account.label)} (${account.id})`],
        ]}
      />
      <p className="soft">
        A SHA-256 hash identifies exact bytes. Your approval covers only these: svc refuses to send or save
        anything else.
      </p>
      <dl className="hashes">
        {files.map(({ name, sha256 }, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a call may contain the same file twice, and the list does not change
          <div key={i}>
            <dt>
              SHA-256 <bdi>{visible(name)}</bdi>
            </dt>
            <dd>
              <code>{sha256}</code>
            </dd>
          </div>
        ))}
        <div>
          <dt>Hash of the whole request</dt>
          <dd>
            <code>{binding}</code>
          </dd>
        </div>
      </dl>
    </details>
  );
}

/** Where a call goes, and as whom, in one line. */
function SendsTo({ card: { app, server, account } }: { card: ApprovalCard }) {
  return (
    <p className="sends">
      Sends to <strong>{visible(server)}</strong>
      {account ? (
        <>
          {' '}
          as <strong>{visible(account.label)}</strong>{' '}
          <ConnectedAs appId={app.appId} accountId={account.id} />
        </>
      ) : null}
    </p>
  );
}

function approval(card: ApprovalCard, id: string): Content {
  const { app, title, html, action, arguments: args, files, wordsOf } = card;
  const body = (
    <>
      <SendsTo card={card} />
      {/* First, so that the user sees what leaves without scrolling. */}
      <CardFiles cardId={id} files={files} captionOf={(name) => `Image to send: ${name}`} />
      {Object.keys(args).length === 0 ? null : (
        <>
          <h3>Arguments</h3>
          <Entries of={args} whole />
        </>
      )}
      {wordsOf === 'client' ? <SafeHtml html={html} /> : <AppText html={html} app={app.name} />}
      <InstalledAppHead app={app} />
      <Hashes {...card} />
    </>
  );
  // Manifests have no limit for it, and half a label may say the opposite of the whole.
  const yes = action.length > MAX_ACTION ? 'Approve' : visible(action) || 'Approve';
  return { title: visible(title), yes, mayAllowInChat: card.mayAllowInChat === true, body };
}

function consent(card: ConsentCard): Content {
  const replaces = card.widened?.baseVersion ?? null;
  return {
    title: consentTitle(card, replaces),
    yes: replaces === null ? 'Install' : 'Agree and update',
    declineHint: declineHint(replaces),
    body: <Consent request={card} />,
  };
}

function save({ app, path, replaces, file, binding }: SaveCard, id: string): Content {
  const body = (
    <>
      <InstalledAppHead app={app} />
      <p>
        Save to the project as <code>{visible(path)}</code>
      </p>
      {replaces ? <p className="fault">A file with this name already exists. It will be replaced.</p> : null}
      <CardFiles cardId={id} files={[file]} captionOf={(name) => `Image to save: ${name}`} />
      <Hashes files={[file]} binding={binding} />
    </>
  );
  return { title: `Allow ${visible(app.name)} to save a file?`, yes: 'Save', body };
}

function localConnector({ app, access }: LocalConnectorCard): Content {
  const title =
    access.kind === 'command'
      ? `Run ${visible(app.name)} on this computer?`
      : `Connect to ${visible(access.host)} ${access.place === 'this-machine' ? 'on this computer' : 'on your network'}?`;
  return {
    title,
    yes: access.kind === 'command' ? 'Run' : 'Connect',
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
          ['Tool', visible(tool)],
          ['Asked by', server === '' ? null : visible(server)],
        ]}
      />
    </>
  );
}

/** What a page of a connector wants, in words of svc. */
function wish({ app, url, wants }: QuestionCard): { title: string; yes: string; hint: string } | null {
  const name = visible(app.name);
  const host = url === null ? '' : visible(new URL(url).host);
  switch (wants) {
    case 'link':
      return {
        ...{ title: `Open a link for ${name}?`, yes: `Open ${host}` },
        hint: 'Its view asks to open this address in your browser. Check the address first.',
      };
    case 'message':
      return {
        ...{ title: `Send this message for ${name}?`, yes: 'Send' },
        hint: 'Its view asks to send this to the model, as your message.',
      };
    case 'context':
      return {
        ...{ title: `Let the model read this of ${name}?`, yes: 'Allow' },
        hint: 'The model gets this text with your next message. Until then, a later text of this view takes its place.',
      };
    default:
      return null;
  }
}

function question(card: QuestionCard): Content {
  const { app, message, url } = card;
  const wanted = wish(card);
  const body = (
    <>
      <AskedBy {...card} />
      {message === '' ? null : (
        <>
          <p className="soft">{inWordsOfText(isolated(app.name))}</p>
          <div className="app-says">
            <p className="plain">{visibleLines(message)}</p>
          </div>
        </>
      )}
      {wanted ? <p className="soft">{wanted.hint}</p> : <QuestionHint url={url} />}
      {url === null ? null : (
        <p>
          <code>{visible(url)}</code>
        </p>
      )}
    </>
  );
  return {
    title: wanted?.title ?? `${visible(app.name)} asks you`,
    yes: wanted?.yes ?? (url === null ? 'Send' : `Open ${visible(new URL(url).host)}`),
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
        {reply === null
          ? `The server sends these messages to your model, which may cost you money: up to ${maxTokens.toLocaleString('en')} tokens of answer. You see the answer before the server does.`
          : `Written by ${visible(reply.model)}.`}
      </p>
      {(reply === null ? asked : asked.slice(-1)).map(({ role, text }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list does not change
        <div key={at}>
          <h3>{ROLES[role]}</h3>
          <div className="app-says">
            <p className="plain">{visibleLines(text)}</p>
          </div>
        </div>
      ))}
    </>
  );
  const name = visible(app.name);
  return reply === null
    ? { title: `Let ${name} ask your model?`, yes: 'Ask the model', body }
    : { title: `Send this answer to ${name}?`, yes: 'Send', body };
}

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
