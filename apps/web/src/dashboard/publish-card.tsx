import { visible } from '@svc/text';
import { Button, ButtonLink, Fault, FileDrop, sizeText, useSecondsTo } from '@svc/ui';
import { useState } from 'react';
import { Card } from '../account/parts.tsx';
import { Findings, ReportView } from '../check/report.tsx';
import { partOf } from '../extensions/part.tsx';
import type { UploadError } from './upload-error.ts';
import { type Stage, type Target, usePublish } from './use-publish.ts';

const Follow = partOf(() => import('./follow.tsx'), 'Follow');

type SendingProps = { name: string; sent: number; total: number; cancel(): void };

/** An upload in progress. Screen readers announce only its start and its end. */
function Sending({ name, sent, total, cancel }: SendingProps) {
  return (
    <>
      <p>
        <strong>
          <bdi>{visible(name)}</bdi>
        </strong>
      </p>
      <p role="status">
        {sent < total ? 'Uploading the bundle…' : 'Uploaded. The store is checking the bundle…'}
      </p>
      <p className="progress">
        <progress value={sent} max={total} aria-label="Upload" />
        <span>{`${sizeText(sent)} of ${sizeText(total)}`}</span>
      </p>
      <div className="buttons">
        {/* biome-ignore lint/a11y/noAutofocus: it replaces the button that started the upload */}
        <button type="button" autoFocus onClick={cancel}>
          Cancel
        </button>
      </div>
    </>
  );
}

function Retry({ wait, retry }: { wait: number; retry(): void }) {
  const [end] = useState(() => Date.now() + wait * 1_000);
  const remaining = useSecondsTo(end);
  return (
    <Button
      label={remaining > 0 ? `Retry in ${remaining} s` : 'Retry'}
      className="main"
      disabled={remaining > 0}
      onClick={retry}
    />
  );
}

/** A failed upload: why, and what to do. */
function Stopped({
  uploadError: { message, canRetry, wait, signIn, issues },
  retry,
  reset,
}: {
  uploadError: UploadError;
  retry(): void;
  reset(): void;
}) {
  return (
    <>
      <Fault>{visible(message)}</Fault>
      {issues.length > 0 ? <Findings issues={issues} /> : null}
      <div className="buttons">
        {signIn ? (
          <ButtonLink label="Sign in in a new tab" href="/sign-in" target="_blank" rel="noopener" />
        ) : null}
        {canRetry ? <Retry wait={wait} retry={retry} /> : null}
        <Button label="Choose another bundle" onClick={reset} />
      </div>
    </>
  );
}

/** The stages in which a bundle can be chosen. They share one file field, so that it keeps the focus. */
const ACCEPTS_FILES: ReadonlySet<Stage['at']> = new Set(['start', 'checking', 'unreadable', 'blocked']);

/** An accepted version. The page of its app follows it already; other pages follow it here. */
function Accepted({ target, appId, version }: { target: Target; appId: string; version: string }) {
  return (
    <>
      <p role="status" className="sum good">
        {`Version ${version} uploaded`}
      </p>
      {target.appId === undefined ? (
        <>
          <Follow slug={target.slug} appId={appId} version={version} />
          <p>
            <a href={`/account/publishers/${target.slug}/apps/${appId}`}>View app</a>
          </p>
        </>
      ) : null}
    </>
  );
}

/** A checked bundle. The publish button replaces the file field and takes its focus. */
function Ready({
  stage,
  send,
  reset,
}: {
  stage: Extract<Stage, { at: 'ready' }>;
  send(): void;
  reset(): void;
}) {
  const { name, version } = stage.bundle.identity;
  return (
    <>
      <ReportView report={stage.report} />
      {stage.report.issues.length > 0 ? <p>Warnings do not block publishing. Moderators see them.</p> : null}
      <div className="buttons">
        {/* biome-ignore lint/a11y/noAutofocus: it replaces the file field, which had the focus */}
        <button type="button" className="main" autoFocus onClick={send}>
          {`Publish ${visible(name)} ${visible(version)}`}
        </button>
        <Button label="Choose another bundle" onClick={reset} />
      </div>
    </>
  );
}

/** The line that takes a file says what it is for. */
const titleOf = (isFirst: boolean, { at }: Stage) =>
  isFirst || !ACCEPTS_FILES.has(at) ? 'Publish a version' : undefined;

/** Publishes a version: checks a bundle in the browser, shows its findings, and uploads it on request. */
export function PublishCard({ target }: { target: Target }) {
  const isFirst = target.apps.length === 0;
  const { stage, choose, send, cancel, reset } = usePublish(target);
  return (
    <Card title={titleOf(isFirst, stage)}>
      {ACCEPTS_FILES.has(stage.at) ? (
        <FileDrop
          title={isFirst ? 'Drop a bundle here' : 'Drop a bundle anywhere on this page to publish it'}
          hint="or paste or choose a .svc-app file. Your browser checks it before anything is sent."
          isLine={!isFirst}
          accept=".svc-app,.zip"
          status={stage.at === 'checking' ? `Checking ${visible(stage.name)}…` : ''}
          error={stage.at === 'unreadable' ? visible(stage.message) : ''}
          onFiles={choose}
        />
      ) : null}
      {stage.at === 'blocked' ? (
        <>
          <Fault>
            {stage.publishBlocker === null
              ? 'Fix the errors, pack the folder again, and drop the new bundle.'
              : visible(stage.publishBlocker)}
          </Fault>
          <ReportView report={stage.report} />
        </>
      ) : null}
      {stage.at === 'ready' ? <Ready stage={stage} send={() => send(stage.bundle)} reset={reset} /> : null}
      {stage.at === 'sending' ? (
        <Sending
          name={stage.bundle.file.name}
          sent={stage.sent}
          total={stage.bundle.file.size}
          cancel={cancel}
        />
      ) : null}
      {stage.at === 'stopped' ? (
        <Stopped uploadError={stage.uploadError} retry={() => send(stage.bundle, true)} reset={reset} />
      ) : null}
      {stage.at === 'accepted' ? (
        <>
          <Accepted target={target} appId={stage.appId} version={stage.version} />
          <Button label="Publish another version" onClick={reset} />
        </>
      ) : null}
    </Card>
  );
}
