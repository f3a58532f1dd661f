import type { CallProgress } from '@svc/runtime';
import { visible } from '@svc/text';
import { Button, ErrorMessage, sizeText, useSecondsTo } from '@svc/ui';
import { useState } from 'react';
import type { ChatCall, ChatFile, ChatMessage } from '../../../src/wire/chat.ts';
import { CardAnswer } from '../cards/card-answer.tsx';
import { useTogether } from '../cards/card-group.tsx';
import { ConnectedAs } from '../cards/connected-as.tsx';
import { CallPage } from '../panels/call-page.tsx';
import { offeredPanels, useDock } from '../panels/use-dock.ts';
import { download } from '../parts/download.ts';
import { LongText } from '../parts/long-text.tsx';
import { Tree } from '../parts/tree.tsx';
import { useBlob } from '../parts/use-blob.ts';
import { hashOf } from '../routes.ts';
import { useApps, useProject } from '../shell/use-project.ts';
import { Answer } from '../tools/answer.tsx';
import { ResultFile } from '../tools/result-file.tsx';
import { Progress } from '../tools/run-result.tsx';
import {
  useDesktopClient,
  useDesktopEvents,
  useDesktopMutation,
  useDesktopQuery,
  useLiveState,
} from '../wire/use-desktop.ts';
import { isPicture } from './read-text.ts';

/** How old an answer may be whose views open by themselves, in milliseconds. */
const NEW_MS = 5 * 60_000;

/** With a no-break space. */
const msText = (ms: number) => (ms < 1_000 ? `${ms}\u00a0ms` : `${(ms / 1_000).toFixed(1)}\u00a0s`);

const STATES = { running: 'running', answered: 'done', failed: 'failed', refused: 'refused' };

/** Codes of calls that ended because the server does not respond, which its page says more about. */
const NO_RESPONSE = new Set(['unreachable', 'server-failed', 'too-slow']);

const stateText = ({ state, code }: ChatCall): string => {
  if (code === 'interrupted') return 'interrupted';
  return isUnanswered(code) ? 'no answer' : STATES[state];
};

const isUnanswered = (code: string | null): boolean => code !== null && NO_RESPONSE.has(code);

const CARD_STATES = { waiting: 'waiting', accepted: 'approved', declined: 'declined', gone: 'not answered' };

export function Attached({ file }: { file: ChatFile }) {
  return (
    <figure className="attached">
      {isPicture(file) ? <Picture file={file} /> : null}
      <figcaption>
        {visible(file.name)} <span className="soft">{sizeText(file.bytes)}</span>
      </figcaption>
    </figure>
  );
}

function Picture({ file }: { file: ChatFile }) {
  const { url } = useBlob(`/attachments/${encodeURIComponent(file.id)}`);
  // The place of the picture is there before it loads, so that nothing moves.
  return url === null ? <span className="attached-place" /> : <img src={url} alt={visible(file.name)} />;
}

/** A file that an app returned, opened for this page. */
function ReturnedFile({ file, appId }: { file: ChatFile; appId: string }) {
  const project = useProject();
  const opened = useDesktopQuery('files.open', { appId, project: project.id, id: file.id });
  if (opened.data) return <ResultFile appId={appId} file={opened.data.file} isFolded />;
  return opened.error ? <ErrorMessage error={opened.error} /> : <p className="soft">{visible(file.name)}</p>;
}

/** The cards of a call. Waiting cards are answered here, unless several calls are asked together; the others show their outcome. */
function Cards({ chat, call }: { chat: string; call: ChatCall }) {
  const { cards } = useLiveState();
  const together = useTogether(chat);
  return call.cards.map(({ id, card, state }) => {
    if (together.some((one) => one.id === id)) return null;
    const waiting = cards.find((waitingCard) => waitingCard.id === id);
    if (waiting) return <CardAnswer key={id} waiting={waiting} />;
    const subject =
      card.kind === 'connect' ? card.account.label : 'title' in card ? card.title : card.app.name;
    return (
      <p key={id} className={`asked ${state}`}>
        {visible(subject)} <span className="badge">{CARD_STATES[state]}</span>{' '}
        {card.kind === 'connect' && state === 'accepted' ? (
          <ConnectedAs appId={card.app.appId} accountId={card.account.id} />
        ) : null}
      </p>
    );
  });
}

/** Buttons that dock the panels of the called app next to the conversation. */
function PanelsOf({ appId }: { appId: string }) {
  const dock = useDock();
  const apps = useApps() ?? [];
  const offered = offeredPanels(apps.filter((app) => app.appId === appId));
  return offered.map(({ id, title }) => (
    <Button
      key={id}
      label={`Open ${visible(title)}`}
      className="call-panel"
      onClick={() => dock.show({ appId, panelId: id })}
    />
  ));
}

/** The state of a call, the time that it worked, and the time that it waited for the user or has left. */
function CallState({ call }: { call: ChatCall }) {
  const { state, ms, waitedMs = 0, until, cards } = call;
  const secondsLeft = useSecondsTo(until ? Date.parse(until) : null);
  const isRunning = state === 'running';
  const isWaiting = isRunning && cards.some((card) => card.state === 'waiting');
  return (
    <>
      <span className="soft" {...(isRunning && { role: 'status' })}>
        {isWaiting ? 'waiting for you' : stateText(call)}
        {ms === null ? '' : `, ${msText(ms)}`}
        {ms === null || waitedMs < 1_000 ? '' : `, ${msText(waitedMs)} waiting for you`}
      </span>
      {/* Not part of the status that screen readers announce: it changes each second. */}
      {isRunning && until ? (
        <span className="soft call-left">{`, ${Math.floor(secondsLeft / 60)}:${String(secondsLeft % 60).padStart(2, '0')} left`}</span>
      ) : null}
    </>
  );
}

/** The progress that the server of a running call reports, if it does. */
function Running({ call }: { call: ChatCall }) {
  const [progress, setProgress] = useState<CallProgress | null>(null);
  useDesktopEvents((event) => {
    if (event.type === 'call-progress' && event.callId === call.id) setProgress(event.progress);
  });
  if (progress === null) return null;
  return (
    <div className="call-progress">
      <Progress progress={progress} />
    </div>
  );
}

/** Stops one call. The answer continues. */
function StopCall({ chat, call: { id, app, tool } }: { chat: string; call: ChatCall }) {
  const stop = useDesktopMutation('chats.stopCall');
  return (
    <Button
      label="Stop"
      className="small call-stop"
      aria-label={`Stop ${visible(app ? `${app}: ${tool}` : tool)}`}
      runs={stop}
      onClick={() => stop.mutate({ chat, call: id })}
    />
  );
}

/** Makes a call that failed once more, and has the model answer again from there, as a branch. */
function CallAgain({
  chat,
  message,
  call: { id, app, tool },
}: {
  chat: string;
  message: number;
  call: ChatCall;
}) {
  const again = useDesktopMutation('chats.retryCall');
  return (
    <Button
      label="Retry"
      className="small call-again"
      aria-label={`Retry ${visible(app ? `${app}: ${tool}` : tool)}`}
      runs={again}
      onClick={() => again.mutate({ chat, message, call: id })}
    />
  );
}

/** The text and data of the result that the model received. */
function CallResult({ call: { text, files, structured, state } }: { call: ChatCall }) {
  const texts = text === '' ? [] : [{ type: 'text' as const, text }];
  if (texts.length === 0 && structured === undefined && files.length > 0) return null;
  return <Answer parts={texts} structured={structured ?? null} isError={state === 'failed'} isFolded />;
}

/** The whole of a result that is longer than a model gets at once: the model reads it with a tool, the user here. */
function KeptResult({ file }: { file: ChatFile }) {
  const desktop = useDesktopClient();
  const [text, setText] = useState<string | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const bytes = () => desktop.bytes(`/attachments/${encodeURIComponent(file.id)}`);
  const show = async () => setText(await (await bytes()).text());
  const save = async () => download(file.name, await bytes());
  return (
    <div className="result-file">
      <p>
        <strong>{visible(file.name)}</strong> <span className="soft">{sizeText(file.bytes)}</span>
      </p>
      {text === null ? null : <LongText text={text} />}
      <div className="buttons">
        {text === null ? <Button label="Show whole result" onClick={() => show().catch(setError)} /> : null}
        <Button label="Download" onClick={() => save().catch(setError)} />
      </div>
      <ErrorMessage error={error} />
    </div>
  );
}

/** The pictures, sounds and other files of a result, without unfolding the row. */
function CallFiles({ call: { appId, files } }: { call: ChatCall }) {
  if (files.length === 0) return null;
  return (
    <div className="call-files">
      {files.map((file) =>
        file.appId === null ? (
          <KeptResult key={file.id} file={file} />
        ) : appId === null ? (
          <p key={file.id}>{visible(file.name)}</p>
        ) : (
          <ReturnedFile key={file.id} file={file} appId={appId} />
        ),
      )}
    </div>
  );
}

/** The view that the server of a connector gives the tool. That of an older answer opens with a button. */
function PageOf({ chat, message, call }: { chat: string; message: ChatMessage; call: ChatCall }) {
  const project = useProject();
  const { state, appId, app, tool, page, text, files, arguments: args } = call;
  const [isNew] = useState(
    () => message.status === 'running' || Date.now() - Date.parse(message.at) < NEW_MS,
  );
  if (!page || appId === null || (state !== 'answered' && state !== 'failed')) return null;
  const { tool: id, ...data } = page;
  const result = { ...data, text, isError: state === 'failed', files: files.map((file) => file.id) };
  return (
    <CallPage
      call={{ chat, appId, tool: id, project: project.id, arguments: { ...args }, result }}
      title={`${app}: ${tool}`}
      isOpenFirst={isNew}
    />
  );
}

/** Longest reason in the row, in characters. */
const MAX_REASON = 200;

/** The first line with words, of the beginning of a text. */
function firstLine(text: string): string {
  const line =
    text
      .slice(0, 2_000)
      .split('\n')
      .find((one) => /[\p{L}\p{N}]/u.test(one))
      ?.trim() ?? '';
  return line.length > MAX_REASON ? `${line.slice(0, MAX_REASON)}…` : line;
}

/** Why a call failed, as its app says it, or was not answered, and where to see what its server does. */
function Why({ call: { appId, app, code, text, state } }: { call: ChatCall }) {
  if (state === 'failed') {
    const reason = firstLine(text);
    return reason === '' ? null : (
      <p className="call-why of-app" dir="auto">
        {visible(reason)}
      </p>
    );
  }
  return (
    <p className="call-why">
      {visible(text)}{' '}
      {appId !== null && isUnanswered(code) ? (
        <a href={hashOf('apps', appId)}>{`State of ${visible(app)}`}</a>
      ) : null}
    </p>
  );
}

/** One tool call: a line that unfolds to its arguments and result, with what it returned to see and hear below. */
export function CallRow({ chat, message, call }: { chat: string; message: ChatMessage; call: ChatCall }) {
  const { state, app, tool, appId } = call;
  const isRunning = state === 'running';
  const hasFailed = state === 'failed' || state === 'refused';
  return (
    <section className={`call ${state}`}>
      <details>
        <summary>
          <span className="lamp" aria-hidden="true" />
          <strong>{visible(app || tool)}</strong> {app ? visible(tool) : ''} <CallState call={call} />
        </summary>
        <h2>Arguments</h2>
        <Tree value={call.arguments} />
        {state === 'answered' || state === 'failed' ? (
          <>
            <h2>Result from the app</h2>
            <CallResult call={call} />
          </>
        ) : null}
      </details>
      {isRunning ? <StopCall chat={chat} call={call} /> : null}
      {hasFailed && message.status !== 'running' ? (
        <CallAgain chat={chat} message={message.id} call={call} />
      ) : null}
      {hasFailed ? <Why call={call} /> : null}
      {isRunning ? <Running call={call} /> : null}
      <CallFiles call={call} />
      <Cards chat={chat} call={call} />
      {state === 'answered' && appId !== null ? <PanelsOf appId={appId} /> : null}
      <PageOf chat={chat} message={message} call={call} />
    </section>
  );
}
