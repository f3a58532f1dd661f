import { visible } from '@svc/text';
import { useEffect, useRef, useState } from 'react';
import type { ChatMessage } from '../../../src/wire/chat.ts';
import type { WaitingCard } from '../../../src/wire/views.ts';
import { contentOf } from '../cards/card-content.tsx';
import { useSignIns } from '../shell/sign-ins.tsx';
import { useLiveState } from '../wire/use-desktop.ts';
import type { ChatState } from './use-chat.ts';

/** Announcements that stay in the document: screen readers read each once, when it is added. */
const MAX_KEPT = 8;

/** How an answer ended, for a reader who does not see it. */
function endOf({ status, fault }: ChatMessage): string {
  switch (status) {
    case 'failed':
      return `The answer failed. ${visible(fault?.message ?? '')}`;
    case 'asks':
      return 'The answer reached the step limit.';
    case 'stopped':
      return 'The answer was stopped.';
    case 'interrupted':
      return 'The answer was interrupted.';
    default:
      return 'The answer is complete.';
  }
}

type Line = { key: string; words: string };

/** The title of a card. One that cannot be drawn shows that itself, in its place: it must not take the conversation away. */
function titleOf(card: WaitingCard): string {
  try {
    return contentOf(card).title;
  } catch {
    return 'This card could not be drawn.';
  }
}

/** What must be said now: each question and sign-in that waits, and the end of the answer that was running. */
function useLines({ chat, messages }: ChatState): Line[] {
  const { cards } = useLiveState();
  const signIns = useSignIns();
  // The answer that was seen running, and how many were: an answer may go on after its end.
  const seen = useRef<{ id: number | null; runs: number; isRunning: boolean }>({
    ...{ id: null, runs: 0, isRunning: false },
  });
  const last = messages.at(-1);
  useEffect(() => {
    const isRunning = last?.status === 'running';
    const { id, runs, isRunning: was } = seen.current;
    seen.current = isRunning
      ? { id: last.id, runs: was && id === last.id ? runs : runs + 1, isRunning }
      : { id, runs, isRunning };
  }, [last]);
  const asked = cards
    .filter((card) => card.chat === chat.id)
    .map((card) => ({ key: `card ${card.id}`, words: `Question: ${titleOf(card)}` }));
  const signing = chat.running
    ? signIns.map(({ appId, accountId, app }) => ({
        key: `sign-in ${appId} ${accountId}`,
        words: `Sign in to ${visible(app)} to continue.`,
      }))
    : [];
  const ended =
    last?.role === 'assistant' && last.status !== 'running' && last.id === seen.current.id
      ? // With its status: a page that is busy may draw two ends and not what ran between them.
        [{ key: `end ${last.id} ${seen.current.runs} ${last.status}`, words: endOf(last) }]
      : [];
  return [...asked, ...signing, ...ended];
}

/**
 * Says to screen readers, in order, what arrives in a conversation and needs them: questions, sign-ins, and the end of an answer. The text
 * of an answer is not announced while it is written: the reader goes to it at its end.
 */
export function Announcements({ state }: { state: ChatState }) {
  const [said, setSaid] = useState<readonly Line[]>([]);
  const lines = useLines(state);
  const fresh = lines.filter(({ key }) => !said.some((one) => one.key === key));
  const keys = fresh.map(({ key }) => key).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: their keys say whether there are new ones
  useEffect(() => {
    if (fresh.length > 0) setSaid((before) => [...before, ...fresh].slice(-MAX_KEPT));
  }, [keys]);
  return (
    <div role="log" aria-label="Announcements" className="unseen">
      {said.map(({ key, words }) => (
        <p key={key}>{words}</p>
      ))}
    </div>
  );
}
