import type { Card } from '@svc/runtime';
import { visible } from '@svc/text';
import { durationText } from '@svc/ui/text';
import type { ChatCall } from '../../../src/wire/chat.ts';

/** Codes of calls that ended because the server does not respond, which its page says more about. */
const NO_RESPONSE = new Set(['unreachable', 'server-failed', 'too-slow']);

export const isUnanswered = (code: string | null): boolean => code !== null && NO_RESPONSE.has(code);

/** What the user does next, by the card that waits. */
const NEXT: Readonly<Record<Card['kind'], string>> = {
  connect: 'Connect to continue',
  approval: 'Approve to continue',
  consent: 'Review to continue',
  save: 'Approve to continue',
  'local-connector': 'Approve to continue',
  question: 'Answer to continue',
  sampling: 'Approve to continue',
};

/** Ends that need no reason, by their codes. */
const ENDS: Readonly<Record<string, string>> = {
  interrupted: 'Interrupted',
  declined: 'Declined',
  stopped: 'Stopped',
};

/** Whether the user ended a call, which is no failure. */
export const isOwnEnd = ({ code }: ChatCall): boolean => code === 'declined' || code === 'stopped';

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

/** The state of a call, in a word, and why it failed, as its app or svc says it. */
export function stateOf(
  { state, code, text, cards }: ChatCall,
  isSigningIn: boolean,
): { word: string; why: string } {
  if (state === 'answered') return { word: 'Done', why: '' };
  if (state === 'running') {
    const waiting = cards.find((card) => card.state === 'waiting')?.card.kind;
    if (waiting !== undefined) return { word: NEXT[waiting], why: '' };
    return { word: isSigningIn ? 'Sign in to continue' : 'Running', why: '' };
  }
  const end = code === null ? undefined : ENDS[code];
  if (end !== undefined) return { word: end, why: '' };
  return { word: isUnanswered(code) ? 'No answer' : 'Failed', why: visible(firstLine(text)) };
}

/** A time that goes on, in whole seconds: `3 s`, `1:05`. */
export const clockText = (seconds: number): string =>
  seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;

/** How long a call worked, and how long it waited for the user, once it has ended. */
export function workText({ ms, waitedMs = 0 }: Pick<ChatCall, 'ms' | 'waitedMs'>): string {
  if (ms === null) return '';
  const worked = `It worked for ${durationText(ms)}`;
  return waitedMs < 1_000 ? `${worked}.` : `${worked}, and waited ${durationText(waitedMs)} for you.`;
}
