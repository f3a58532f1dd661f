import { useEffect, useRef, useState } from 'react';
import type { ChatState } from './use-chat.ts';

/** Answers after which a message goes on. After one that failed the user decides. */
const GOES_ON = new Set(['done', 'stopped']);

/** A message that is written during an answer: it is sent when the answer ends, and stays in the field where that failed. */
export function useQueue(state: ChatState | null, send: () => void) {
  const [isQueued, setQueued] = useState(false);
  const latest = useRef(send);
  useEffect(() => {
    latest.current = send;
  });
  const isRunning = state?.chat.running ?? true;
  const status = state?.messages.at(-1)?.status ?? 'done';
  useEffect(() => {
    if (!isQueued || isRunning) return;
    setQueued(false);
    if (GOES_ON.has(status)) latest.current();
  }, [isQueued, isRunning, status]);
  return { isQueued, setQueued };
}
