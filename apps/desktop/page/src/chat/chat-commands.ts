import type { ChatView } from '../../../src/wire/chat.ts';
import { type Command, command } from '../shell/commands.ts';
import { PLACE_KEYS } from '../shell/keys.ts';
import { WORDS } from '../words.ts';

const MESSAGES = WORDS.chat;
const { editLast, stop } = PLACE_KEYS.composer;

/** What can be done in a conversation. */
export type ChatActs = {
  attach(): void;
  /** Null where the user has written nothing yet. */
  editLast: (() => void) | null;
  stop(): void;
  exportAll(): void;
};

/** What the command palette offers in a conversation. @param chat null for one that begins */
export function chatCommands(chat: ChatView | null, acts: ChatActs): Command[] {
  const search = () => document.getElementById('chat-search')?.focus();
  const always = [
    command('action', 'attach', { label: MESSAGES.attach, run: acts.attach }),
    command('action', 'search', { label: MESSAGES.search, run: search }),
  ];
  if (chat === null) return always;
  const { editLast: edit } = acts;
  const ofAnswer = chat.running
    ? [command('action', 'stop', { label: MESSAGES.stopAnswer, keys: stop, run: acts.stop })]
    : edit === null
      ? []
      : [command('action', 'edit', { label: MESSAGES.editLast, keys: editLast, run: edit })];
  return [
    ...ofAnswer,
    ...always,
    command('action', 'export', { label: MESSAGES.exportThis, run: acts.exportAll }),
  ];
}
