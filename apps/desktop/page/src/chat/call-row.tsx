import type { CallProgress } from '@svc/runtime';
import { visible } from '@svc/text';
import { Button, ButtonLink, durationText, useSecondsTo } from '@svc/ui';
import { useEffect, useState } from 'react';
import type { ChatCall, ChatMessage } from '../../../src/wire/chat.ts';
import { CardAnswer } from '../cards/card-answer.tsx';
import { useTogether } from '../cards/card-group.tsx';
import { ConnectedAs } from '../cards/connected-as.tsx';
import { CallPage } from '../panels/call-page.tsx';
import { offeredPanels, useDock } from '../panels/use-dock.ts';
import { Entries } from '../parts/tree.tsx';
import { useFocusBack } from '../parts/use-focus-back.ts';
import { hashOf } from '../routes.ts';
import { OpenSignIn, type SignIn, useSignInOf } from '../shell/sign-ins.tsx';
import { useApps, useProject } from '../shell/use-project.ts';
import { Progress } from '../tools/run-result.tsx';
import { useDesktopEvents, useDesktopMutation, useLiveState } from '../wire/use-desktop.ts';
import { CallFiles, CallResult } from './call-result.tsx';
import { clockText, isOwnEnd, isUnanswered, stateOf, workText } from './call-state.ts';

/** How old an answer may be whose views open by themselves, in milliseconds. */
const NEW_MS = 5 * 60_000;

/** How long before the end of its time a row says how much is left, in seconds. */
const SAY_LEFT = 30;

const CARD_STATES = { waiting: 'waiting', accepted: 'approved', declined: 'declined', gone: 'not answered' };

/** The cards of a call that wait, unless several calls are asked together. */
function WaitingCards({ chat, call }: { chat: string; call: ChatCall }) {
  const { cards } = useLiveState();
  const together = useTogether(chat);
  return call.cards.map(({ id }) => {
    const waiting = cards.find((waitingCard) => waitingCard.id === id);
    if (!waiting || together.some((one) => one.id === id)) return null;
    return <CardAnswer key={id} waiting={waiting} />;
  });
}

/** What the user answered to the cards of a call. */
function Answered({ call }: { call: ChatCall }) {
  return call.cards.map(({ id, card, state }) => {
    if (state === 'waiting') return null;
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
      className="small"
      onClick={() => dock.show({ appId, panelId: id })}
    />
  ));
}

/** How long a running call works, and how long it may still, both of which change each second. */
function Clock({ since, until }: Pick<ChatCall, 'since' | 'until'>) {
  const left = useSecondsTo(until === null ? null : Date.parse(until));
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  if (since === undefined) return null;
  const seconds = Math.max(0, Math.floor((now - Date.parse(since)) / 1_000));
  return (
    <span className="call-clock">
      {` ${clockText(seconds)}`}
      {until !== null && left <= SAY_LEFT ? (
        <span className="call-left">{`, ${clockText(left)} left`}</span>
      ) : null}
    </span>
  );
}

/** The state of a call, which is the next step of the user where it waits for one. */
function CallState({ call, signIn }: { call: ChatCall; signIn: SignIn | null }) {
  const { state, ms, since, until } = call;
  const { word, why } = stateOf(call, signIn !== null);
  const isWaiting = state === 'running' && word !== 'Running';
  return (
    <span className={isWaiting ? 'call-state next' : 'call-state'} {...(why !== '' && { title: why })}>
      {why === '' ? word : `${word}: `}
      {why === '' ? null : <span className="call-why">{why}</span>}
      {word === 'Running' ? <Clock since={since} until={until} /> : null}
      {state === 'answered' && ms !== null ? (
        <span className="call-clock">{` ${durationText(ms)}`}</span>
      ) : null}
    </span>
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
      ref={useFocusBack<HTMLButtonElement>()}
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

/** What the user can do with a call, at the end of its row. */
function Acts({
  chat,
  message,
  call,
  signIn,
}: {
  chat: string;
  message: ChatMessage;
  call: ChatCall;
  signIn: SignIn | null;
}) {
  const { state, appId, app, code } = call;
  const hasFailed = state === 'failed' || state === 'refused';
  return (
    <div className="call-acts">
      {signIn?.digits ? <span>{`If asked, type ${signIn.digits}`}</span> : null}
      {signIn ? <OpenSignIn signIn={signIn} /> : null}
      {state === 'running' ? <StopCall chat={chat} call={call} /> : null}
      {state === 'refused' && appId !== null && isUnanswered(code) ? (
        <ButtonLink
          label="Open app"
          className="small"
          aria-label={`Open app ${visible(app)}`}
          href={hashOf('apps', appId)}
        />
      ) : null}
      {hasFailed && message.status !== 'running' ? (
        <CallAgain chat={chat} message={message.id} call={call} />
      ) : null}
      {state === 'answered' && appId !== null ? <PanelsOf appId={appId} /> : null}
    </div>
  );
}

/** What unfolds: the time, what was sent, what came back, and what the user approved. */
function Details({ call }: { call: ChatCall }) {
  const { state, text } = call;
  return (
    <div className="call-details">
      <p className="soft">{workText(call)}</p>
      {state === 'refused' ? <p className="plain">{visible(text)}</p> : null}
      <Answered call={call} />
      <h2>Arguments</h2>
      <Entries of={call.arguments} />
      {state === 'answered' || state === 'failed' ? (
        <>
          <h2>Result from the app</h2>
          <CallResult call={call} />
        </>
      ) : null}
    </div>
  );
}

/** One tool call: a line that unfolds to its arguments and result, with what waits for the user and what it returned below. */
export function CallRow({ chat, message, call }: { chat: string; message: ChatMessage; call: ChatCall }) {
  const { state, app, tool, appId, until, cards } = call;
  const isRunning = state === 'running';
  // A call that waits for a card waits for no sign-in, although another of its app may.
  const isAsked = cards.some((card) => card.state === 'waiting');
  const signIn = useSignInOf(appId, isRunning && until === null && !isAsked);
  return (
    <section className={isOwnEnd(call) ? 'call' : `call ${state}`}>
      <details>
        <summary>
          <span className="lamp" aria-hidden="true" />
          <span className="call-name">
            <strong>{visible(app || tool)}</strong> {app ? visible(tool) : ''}
          </span>{' '}
          <CallState call={call} signIn={signIn} />
        </summary>
        <Details call={call} />
      </details>
      <Acts {...{ chat, message, call, signIn }} />
      {isRunning ? <Running call={call} /> : null}
      <CallFiles call={call} />
      <WaitingCards chat={chat} call={call} />
      <PageOf chat={chat} message={message} call={call} />
    </section>
  );
}
