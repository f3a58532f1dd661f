import type { ChatView } from '../../../src/wire/chat.ts';
import { type Command, command } from '../shell/commands.ts';
import { LOCAL_KEYS } from '../shell/keys.ts';
import { WORDS } from '../words.ts';

const MESSAGES = WORDS.chat;
const { editLast, stop } = LOCAL_KEYS.composer;

/** The actions of a conversation. */
export type ChatActions = {
  attach(): void;
  /** Null while the conversation has no message of the user. */
  editLast: (() => void) | null;
  stop(): void;
  exportAll(): void;
};

/** The commands of a conversation for the palette. @param chat null for a new conversation */
export function chatCommands(chat: ChatView | null, actions: ChatActions): Command[] {
  const search = () => document.getElementById('chat-search')?.focus();
  const always = [
    command('action', 'attach', { label: MESSAGES.attach, run: actions.attach }),
    command('action', 'search', { label: MESSAGES.search, run: search }),
  ];
  if (chat === null) return always;
  const { editLast: edit } = actions;
  const ofAnswer = chat.running
    ? [command('action', 'stop', { label: MESSAGES.stopAnswer, keys: stop, run: actions.stop })]
    : edit === null
      ? []
      : [command('action', 'edit', { label: MESSAGES.editLast, keys: editLast, run: edit })];
  return [
    ...ofAnswer,
    ...always,
    command('action', 'export', { label: MESSAGES.exportThis, run: actions.exportAll }),
  ];
}
