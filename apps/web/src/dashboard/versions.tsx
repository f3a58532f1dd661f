import type { Conversation as ConversationData, OwnVersion, OwnVersionDetail } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { reviewReasonText } from '@svc/contracts/vocabulary';
import { visible } from '@svc/text';
import { Copyable, day, Facts, Loaded, moment, Rows, Select, sizeText, textOf } from '@svc/ui';
import { useState } from 'react';
import { type Act, ActList, RowMenu } from '../account/acts.tsx';
import { Card, ChangeButton, LoadMore } from '../account/parts.tsx';
import { useChange, useRead } from '../account/use-store.ts';
import { originsOf } from '../changes/origins.tsx';
import { Findings } from '../check/report.tsx';
import { Conversation, useConversation } from '../conversation/conversation.tsx';
import { DiffView, type OwnRef } from './diff-view.tsx';
import { Steps } from './follow.tsx';
import { Rendered, STATE_WORDS, StateBadge } from './parts.tsx';
import { isMoving, useLive, usePages } from './use-live.ts';
import { useTakeDown } from './yank.tsx';

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
    <Select
      label={label}
      of={versions.map(({ version, status }) => [version, `${version} (${STATE_WORDS[status]})`])}
      value={value}
      choose={onChoose}
    />
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

type AllProps = {
  own: OwnRef;
  detail: OwnVersionDetail;
  messages: ConversationData['messages'] | undefined;
};

function All({ own, detail, messages }: AllProps) {
  const { issues, permissionDiff: diff, changelogHtml } = detail;
  return (
    <>
      <Facts
        facts={[
          ['Uploaded', moment(detail.submittedAt)],
          ['Published', detail.publishedAt && moment(detail.publishedAt)],
          ['Size', sizeText(detail.size)],
          [
            'SHA-256',
            <details key="hash">
              <summary>
                <code>{`${detail.sha256.slice(0, 12)}…`}</code>
              </summary>
              <Copyable name="SHA-256" text={detail.sha256} />
            </details>,
          ],
          ...originsOf(detail),
          ['Review', detail.reasons.map(reviewReasonText).join(' ')],
        ]}
      />
      <h3>Timeline</h3>
      <Steps detail={detail} messages={messages} />
      <h3>Findings</h3>
      {issues.length === 0 ? <p>The checks found no problems.</p> : <Findings issues={issues} />}
      <h3>{diff.baseVersion === null ? 'Permissions' : `Changes since ${diff.baseVersion}`}</h3>
      <DiffView diff={diff} own={own} version={detail.version} heading="h4" />
      <h3>Changelog</h3>
      {changelogHtml === '' ? (
        <p>This version has no changelog.</p>
      ) : (
        <Rendered html={changelogHtml} label={`Changelog ${visible(detail.version)}`} />
      )}
    </>
  );
}

const retractOf = (version: string, send: () => Promise<unknown>): Act => ({
  label: 'Retract…',
  title: `Retract ${visible(version)}?`,
  yes: 'Retract',
  effect: 'Takes the version out of the review. Its number cannot be used again.',
  notice: 'No mail is sent. The moderators no longer see it in the queue.',
  send,
});

const deprecationOf = (version: string, send: (note: string) => Promise<unknown>): Act => ({
  label: 'Deprecate…',
  title: `Deprecate ${visible(version)}`,
  yes: 'Deprecate',
  tone: 'main',
  effect: 'Marks the version as one that should not be used any more. It can still be installed.',
  copies: 'Go on working, and show the note.',
  notice: 'Users who have it read the note.',
  reason: 'Why, for users',
  send: (data) => send(textOf(data, 'reason')),
});

/** What members of the publisher can do to a version in its state. */
function useActs(own: OwnRef, { version, status }: Pick<OwnVersion, 'version' | 'status'>): Act[] {
  const { appId } = own;
  const retract = useChange(() =>
    apiRequest('POST /api/apps/:appId/versions/:version/withdraw', { params: { appId, version } }),
  );
  const deprecate = useChange((note: string) =>
    apiRequest('PUT /api/publishers/:slug/apps/:appId/versions/:version/deprecation', {
      params: { ...own, version },
      json: { note },
    }),
  );
  const takeDown = useTakeDown(own, version);
  if (status === 'in_review') return [retractOf(version, () => retract.mutateAsync())];
  return status === 'published' ? [deprecationOf(version, deprecate.mutateAsync), takeDown] : [];
}

/** Confirms the version that the page shows, by its hash. */
function Confirm({ appId, detail: { version, sha256 } }: { appId: string; detail: OwnVersionDetail }) {
  return (
    <section className="card" aria-label="Confirmation">
      <p>
        This version waits for you. Compare the changes above, and the hash with that of your build (svc pack
        prints it), then confirm. If no member of your team uploaded it, retract it, and revoke your tokens.
      </p>
      <p>
        <code>{sha256}</code>
      </p>
      <ChangeButton
        label="Confirm and publish…"
        sure="Publish the version with this hash? Where it needs a review, a moderator decides next."
        request={() =>
          apiRequest('POST /api/apps/:appId/versions/:version/confirm', {
            params: { appId, version },
            json: { sha256 },
          })
        }
      />
    </section>
  );
}

/** The page of one version: its details, and what its publisher can do. */
export function VersionView({ own, version }: { own: OwnRef; version: string }) {
  const { appId } = own;
  const detail = useLive(
    apiRequest('GET /api/publishers/:slug/apps/:appId/versions/:version', { params: { ...own, version } }),
    ({ status }) => isMoving(status),
  );
  const conversation = useConversation('publisher', appId, version);
  return (
    <Loaded query={detail}>
      {(data) => (
        <>
          <Card className="version">
            <h2>
              {visible(version)} <StateBadge state={data.status} retracted={data.retracted} />
            </h2>
            <All own={own} detail={data} messages={conversation.data?.messages} />
            {data.status === 'in_review' && data.reasons.includes('publisher-confirmation') ? (
              <Confirm appId={appId} detail={data} />
            ) : null}
            <Conversation side="publisher" appId={appId} version={version} />
          </Card>
          <VersionActs own={own} version={data} />
        </>
      )}
    </Loaded>
  );
}

/** The same acts as in the menu of a row, below the details. */
function VersionActs({ own, version }: { own: OwnRef; version: Pick<OwnVersion, 'version' | 'status'> }) {
  const acts = useActs(own, version);
  return acts.length === 0 ? null : <ActList acts={acts} />;
}

/** A version in one line, with a menu; its details have a page of their own. */
function VersionRow({ own, version }: { own: OwnRef; version: OwnVersion }) {
  const acts = useActs(own, version);
  const life = useRead(apiRequest('GET /api/publishers/:slug/apps/:appId/life', { params: own }));
  const deprecated = life.data?.deprecated[version.version];
  const { slug, appId } = own;
  return (
    <li>
      <div>
        <a href={`/account/publishers/${slug}/apps/${appId}/versions/${encodeURIComponent(version.version)}`}>
          <strong>{visible(version.version)}</strong>
        </a>{' '}
        <StateBadge state={version.status} retracted={version.retracted} />{' '}
        {deprecated === undefined ? null : (
          <span className="badge mild" title={visible(deprecated)}>
            deprecated
          </span>
        )}{' '}
        <span className="soft">
          {day(version.publishedAt ?? version.submittedAt)} · {sizeText(version.size)}
        </span>
      </div>
      {acts.length === 0 ? null : <RowMenu name={visible(version.version)} acts={acts} />}
    </li>
  );
}

/** All versions of an app, newest first, and a comparison of any two. */
export function Versions({ own }: { own: OwnRef }) {
  const query = usePages(
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
              <Rows of={versions}>
                {(version) => <VersionRow key={version.version} own={own} version={version} />}
              </Rows>
              <LoadMore query={query} label="Load older versions" />
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
