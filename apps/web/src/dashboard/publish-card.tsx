import { FileDrop } from '@svc/ui';
import { Card } from '../account/parts.tsx';
import { ReportView } from '../check/report.tsx';
import { visible } from '../check/words.ts';
import { Follow } from './follow.tsx';
import type { Target } from './publish-blocker.ts';
import { Sending, Stopped } from './sending.tsx';
import { type Stage, usePublish } from './use-publish.ts';
import { WORDS } from './words.ts';

const { publish: words } = WORDS;

/** Where a bundle may be chosen. One place for all of them, so that the focus in it stays there. */
const TAKES_FILES: ReadonlySet<Stage['at']> = new Set(['start', 'checking', 'unreadable', 'blocked']);

/** A version that the store has; on the page of its app it is followed there. */
function Taken({ target, appId, version }: { target: Target; appId: string; version: string }) {
  return (
    <>
      <p role="status" className="sum good">
        {words.taken(version)}
      </p>
      {target.appId === undefined ? (
        <>
          <Follow slug={target.slug} appId={appId} version={version} />
          <p>
            <a href={`/account/publishers/${target.slug}/apps/${appId}`}>{words.show}</a>
          </p>
        </>
      ) : null}
    </>
  );
}

/** The next step stands where the file was chosen, and has the focus. */
function Ready({
  stage,
  send,
  reset,
}: {
  stage: Extract<Stage, { at: 'ready' }>;
  send(): void;
  reset(): void;
}) {
  const { name, version } = stage.bundle.named;
  return (
    <>
      <ReportView report={stage.report} />
      {stage.report.issues.length > 0 ? <p>{words.warnings}</p> : null}
      <div className="buttons">
        {/* biome-ignore lint/a11y/noAutofocus: see above */}
        <button type="button" className="main" autoFocus onClick={send}>
          {words.button(visible(name), visible(version))}
        </button>
        <button type="button" onClick={reset}>
          {words.another}
        </button>
      </div>
    </>
  );
}

/** Where a version is published: a bundle is checked here, shown with all findings, and sent when that is asked for. */
export function PublishCard({ target }: { target: Target }) {
  const { stage, choose, send, cancel, reset } = usePublish(target);
  return (
    <Card title={words.title}>
      {TAKES_FILES.has(stage.at) ? (
        <FileDrop
          title={words.drop}
          hint={words.choose}
          accept=".svc-app,.zip"
          status={stage.at === 'checking' ? words.checking(visible(stage.name)) : ''}
          error={stage.at === 'unreadable' ? visible(stage.message) : ''}
          onFiles={choose}
        />
      ) : null}
      {stage.at === 'blocked' ? (
        <>
          <p role="alert" className="failure">
            {stage.publishBlocker === null ? words.fix : visible(stage.publishBlocker)}
          </p>
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
        <Stopped uploadError={stage.uploadError} again={() => send(stage.bundle, true)} reset={reset} />
      ) : null}
      {stage.at === 'taken' ? (
        <>
          <Taken target={target} appId={stage.appId} version={stage.version} />
          <button type="button" onClick={reset}>
            {words.next}
          </button>
        </>
      ) : null}
    </Card>
  );
}
