import type { Conversation as ConversationData, OwnVersion, OwnVersionDetail } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { reviewReasonText } from '@svc/contracts/vocabulary';
import { visible } from '@svc/text';
import { ConfirmButton, ErrorMessage, Loaded, moment } from '@svc/ui';
import { sizeText } from '@svc/ui/text';
import { useChange, useRead } from '../account/use-store.ts';
import { Origins } from '../changes/origins.tsx';
import { Findings } from '../check/report.tsx';
import { Conversation, useConversation } from '../conversation/conversation.tsx';
import { DiffView, type OwnRef } from './diff-view.tsx';
import { Steps } from './steps.tsx';
import { LongText } from './text.tsx';
import { Yank } from './yank.tsx';

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
export function VersionDetail({
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
