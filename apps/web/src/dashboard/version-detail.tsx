import type { OwnVersion, OwnVersionDetail, Conversation as Talk } from '@svc/contracts';
import { ConfirmButton, ErrorMessage, Loaded, moment } from '../account/parts.tsx';
import { useChange, useRead } from '../account/use-store.ts';
import { Findings } from '../check/report.tsx';
import { sizeText, visible } from '../check/words.ts';
import { Conversation, useTalk } from '../conversation/conversation.tsx';
import { DiffView } from './diff-view.tsx';
import { Steps } from './steps.tsx';
import { LongText } from './text.tsx';
import { reasonText, WORDS } from './words.ts';
import { Yank } from './yank.tsx';

const { versions: words } = WORDS;

function Facts({ detail }: { detail: OwnVersionDetail }) {
  const { submittedAt, publishedAt, size, sha256, reasons } = detail;
  return (
    <dl className="facts">
      <dt>{words.uploaded}</dt>
      <dd>{moment(submittedAt)}</dd>
      {publishedAt === null ? null : (
        <>
          <dt>{words.published}</dt>
          <dd>{moment(publishedAt)}</dd>
        </>
      )}
      <dt>{words.size}</dt>
      <dd>{sizeText(size)}</dd>
      <dt>{words.hash}</dt>
      <dd>
        <code>{sha256}</code>
      </dd>
      {reasons.length === 0 ? null : (
        <>
          <dt>{words.reasons}</dt>
          <dd>{reasons.map(reasonText).join(' ')}</dd>
        </>
      )}
    </dl>
  );
}

type AllProps = {
  path: string;
  detail: OwnVersionDetail;
  messages: Talk['messages'] | undefined;
  isNewest: boolean;
};

function All({ path, detail, messages, isNewest }: AllProps) {
  const { issues, permissionDiff: diff, changelog } = detail;
  return (
    <>
      <Facts detail={detail} />
      {isNewest ? null : (
        <>
          <h3>{words.way}</h3>
          <Steps detail={detail} messages={messages} />
        </>
      )}
      <h3>{words.findings}</h3>
      {issues.length === 0 ? <p>{words.noFindings}</p> : <Findings issues={issues} />}
      <h3>{diff.baseVersion === null ? words.first : words.changes(diff.baseVersion)}</h3>
      <DiffView diff={diff} path={path} version={detail.version} heading="h4" />
      <h3>{words.changelog}</h3>
      {changelog === '' ? (
        <p>{words.noChangelog}</p>
      ) : (
        <LongText text={changelog} label={`${words.changelog} ${visible(detail.version)}`} />
      )}
    </>
  );
}

function Withdraw({ path }: { path: string }) {
  const withdraw = useChange(() => ({ method: 'POST', path: `${path}/withdraw` }));
  return (
    <>
      <ConfirmButton label={WORDS.withdraw} sure={WORDS.withdrawSure} act={() => withdraw.mutate()} />
      <ErrorMessage error={withdraw.error} />
    </>
  );
}

/** All about one version of an app, and what its publisher may still do about it. */
export function VersionDetail({
  path,
  appId,
  version: { version, status },
  isNewest,
}: {
  /** Of the app, for those who act for its publisher. */
  path: string;
  appId: string;
  version: OwnVersion;
  /** The newest has its timeline and its conversation at the head of the page. */
  isNewest: boolean;
}) {
  const detail = useRead<OwnVersionDetail>(`${path}/versions/${encodeURIComponent(version)}`);
  const talk = useTalk('publisher', appId, version);
  const publicPath = `/api/apps/${appId}/versions/${encodeURIComponent(version)}`;
  return (
    <>
      <Loaded query={detail}>
        {(data) => <All path={path} detail={data} messages={talk.data?.messages} isNewest={isNewest} />}
      </Loaded>
      {isNewest ? null : <Conversation side="publisher" appId={appId} version={version} />}
      {status === 'in_review' ? <Withdraw path={publicPath} /> : null}
      {status === 'published' ? <Yank path={publicPath} ownPath={path} version={version} /> : null}
    </>
  );
}
