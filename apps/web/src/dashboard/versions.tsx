import type { Conversation as ConversationData, OwnApp, OwnVersion, OwnVersionDetail } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { reviewReasonText } from '@svc/contracts/vocabulary';
import { visible } from '@svc/text';
import { ConfirmButton, day, ErrorMessage, Loaded, moment } from '@svc/ui';
import { sizeText } from '@svc/ui/text';
import { useState } from 'react';
import { Card } from '../account/parts.tsx';
import { useChange, useRead } from '../account/use-store.ts';
import { Origins } from '../changes/origins.tsx';
import { Findings } from '../check/report.tsx';
import { Conversation, useConversation } from '../conversation/conversation.tsx';
import { DiffView, type OwnRef } from './diff-view.tsx';
import { STATE_WORDS, StateBadge } from './state-badge.tsx';
import { Steps } from './steps.tsx';
import { LongText } from './text.tsx';
import { isMoving, useLivePages } from './use-live.ts';
import { Yank } from './yank.tsx';

type ComparedVersions = readonly OwnVersion[];

function Choice({
  label,
  versions,
  value,
  onChoose,
}: {
  label: string;
  versions: ComparedVersions;
  value: string;
  onChoose(version: string): void;
}) {
  return (
    <label>
      {label}
      <select value={value} onChange={({ target }) => onChoose(target.value)}>
        {versions.map(({ version, status }) => (
          <option key={version} value={version}>
            {version} ({STATE_WORDS[status]})
          </option>
        ))}
      </select>
    </label>
  );
}

function Difference({ own, from, to }: { own: OwnRef; from: string; to: string }) {
  const diff = useRead(
    apiRequest('GET /api/publishers/:slug/apps/:appId/diff', { params: own, query: { from, to } }),
  );
  return (
    <Loaded query={diff}>{(data) => <DiffView diff={data} own={own} version={to} heading="h3" />}</Loaded>
  );
}

/** Compares two versions of an app: at first the newest with the latest published one before it. */
function Compare({ own, versions }: { own: OwnRef; versions: ComparedVersions }) {
  const [newest, ...older] = versions;
  const published = older.find(({ status }) => status === 'published') ?? older[0];
  const [from, setFrom] = useState(published?.version ?? '');
  const [to, setTo] = useState(newest?.version ?? '');
  return (
    <Card title="Compare two versions">
      <div className="choices">
        <Choice label="From" versions={versions} value={from} onChoose={setFrom} />
        <Choice label="To" versions={versions} value={to} onChoose={setTo} />
      </div>
      <div role="status">
        {from === to ? <p>Choose two different versions.</p> : <Difference own={own} from={from} to={to} />}
      </div>
    </Card>
  );
}

function Facts({ detail }: { detail: OwnVersionDetail }) {
  const { submittedAt, publishedAt, size, sha256, reasons } = detail;
  return (
    <dl className="facts">
      <dt>Uploaded</dt>
      <dd>{moment(submittedAt)}</dd>
      {publishedAt === null ? null : (
        <>
          <dt>Published</dt>
          <dd>{moment(publishedAt)}</dd>
        </>
      )}
      <dt>Size</dt>
      <dd>{sizeText(size)}</dd>
      <dt>SHA-256</dt>
      <dd>
        <code>{sha256}</code>
      </dd>
      <Origins {...detail} />
      {reasons.length === 0 ? null : (
        <>
          <dt>Review</dt>
          <dd>{reasons.map(reviewReasonText).join(' ')}</dd>
        </>
      )}
    </dl>
  );
}

type AllProps = {
  own: OwnRef;
  detail: OwnVersionDetail;
  messages: ConversationData['messages'] | undefined;
  isNewest: boolean;
};

function All({ own, detail, messages, isNewest }: AllProps) {
  const { issues, permissionDiff: diff, changelog } = detail;
  return (
    <>
      <Facts detail={detail} />
      {isNewest ? null : (
        <>
          <h3>Timeline</h3>
          <Steps detail={detail} messages={messages} />
        </>
      )}
      <h3>Findings</h3>
      {issues.length === 0 ? <p>The checks found no problems.</p> : <Findings issues={issues} />}
      <h3>{diff.baseVersion === null ? 'Permissions' : `Changes since ${diff.baseVersion}`}</h3>
      <DiffView diff={diff} own={own} version={detail.version} heading="h4" />
      <h3>Changelog</h3>
      {changelog === '' ? (
        <p>This bundle has no changelog.</p>
      ) : (
        <LongText text={changelog} label={`Changelog ${visible(detail.version)}`} />
      )}
    </>
  );
}

function Retract({ appId, version }: { appId: string; version: string }) {
  const retract = useChange(() =>
    apiRequest('POST /api/apps/:appId/versions/:version/withdraw', { params: { appId, version } }),
  );
  return (
    <>
      <ConfirmButton
        label="Retract"
        sure="Retract this version? Its number cannot be used again."
        act={() => retract.mutate()}
      />
      <ErrorMessage error={retract.error} />
    </>
  );
}

/** Confirms the version that the page shows, by its hash. */
function Confirm({ appId, detail: { version, sha256 } }: { appId: string; detail: OwnVersionDetail }) {
  const confirm = useChange(() =>
    apiRequest('POST /api/apps/:appId/versions/:version/confirm', {
      params: { appId, version },
      json: { sha256 },
    }),
  );
  return (
    <section className="card" aria-label="Confirmation">
      <p>
        This version waits for you. Compare the changes above, and the hash with that of your build (svc pack
        prints it), then confirm. If no member of your team uploaded it, retract it, and revoke your tokens.
      </p>
      <p>
        <code>{sha256}</code>
      </p>
      <ConfirmButton
        label="Confirm and publish…"
        sure="Publish the version with this hash? Where it needs a review, a moderator decides next."
        act={() => confirm.mutate()}
      />
      <ErrorMessage error={confirm.error} />
    </section>
  );
}

/** The details of one version, and the actions that its publisher can take. */
function VersionDetail({
  own,
  version: { version, status },
  isNewest,
}: {
  own: OwnRef;
  version: OwnVersion;
  /** The page shows timeline and conversation of the newest version at its top. */
  isNewest: boolean;
}) {
  const { appId } = own;
  const detail = useRead(
    apiRequest('GET /api/publishers/:slug/apps/:appId/versions/:version', { params: { ...own, version } }),
  );
  const conversation = useConversation('publisher', appId, version);
  return (
    <>
      <Loaded query={detail}>
        {(data) => (
          <>
            <All own={own} detail={data} messages={conversation.data?.messages} isNewest={isNewest} />
            {data.status === 'in_review' && data.reasons.includes('publisher-confirmation') ? (
              <Confirm appId={appId} detail={data} />
            ) : null}
          </>
        )}
      </Loaded>
      {isNewest ? null : <Conversation side="publisher" appId={appId} version={version} />}
      {status === 'in_review' ? <Retract appId={appId} version={version} /> : null}
      {status === 'published' ? <Yank own={own} version={version} /> : null}
    </>
  );
}

type RowProps = { own: OwnRef; app: OwnApp; version: OwnVersion };

/** A version in one line; its details are loaded when the user opens it. */
function VersionRow({ own, app, version }: RowProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <li>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          <strong>{version.version}</strong>{' '}
          <StateBadge state={version.status} retracted={version.retracted} />{' '}
          <span className="soft">
            {day(version.publishedAt ?? version.submittedAt)} · {sizeText(version.size)}
          </span>
        </summary>
        {isOpen ? (
          <VersionDetail own={own} version={version} isNewest={version.version === app.newest.version} />
        ) : null}
      </details>
    </li>
  );
}

/** All versions of an app, newest first, and a comparison of any two. */
export function Versions({ own, app }: { own: OwnRef; app: OwnApp }) {
  const query = useLivePages(
    (cursor) =>
      apiRequest('GET /api/publishers/:slug/apps/:appId/versions', { params: own, query: { cursor } }),
    ({ versions }) => versions.some(({ status }) => isMoving(status)),
  );
  return (
    <Loaded query={query}>
      {({ pages }) => {
        const versions = pages.flatMap((page) => page.versions);
        return (
          <>
            <Card title="Versions">
              <ul className="versions">
                {versions.map((version) => (
                  <VersionRow key={version.version} own={own} app={app} version={version} />
                ))}
              </ul>
              {query.hasNextPage ? (
                <button
                  type="button"
                  disabled={query.isFetchingNextPage}
                  onClick={() => query.fetchNextPage()}
                >
                  Load older versions
                </button>
              ) : null}
            </Card>
            {versions.length > 1 ? (
              <Compare key={versions[0]?.version} own={own} versions={versions} />
            ) : null}
          </>
        );
      }}
    </Loaded>
  );
}
