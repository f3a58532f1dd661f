import type { ChatView } from '../../../src/wire/chat.ts';
import { type Command, command } from '../shell/commands.ts';
import { LOCAL_KEYS } from '../shell/keys.ts';

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
    command('action', 'attach', { label: 'Attach files', run: actions.attach }),
    command('action', 'search', { label: 'Search conversations', run: search }),
  ];
  if (chat === null) return always;
  const { editLast: edit } = actions;
  const ofAnswer = chat.running
    ? [command('action', 'stop', { label: 'Stop the answer', keys: stop, run: actions.stop })]
    : edit === null
      ? []
      : [command('action', 'edit', { label: 'Edit your last message', keys: editLast, run: edit })];
  return [
    ...ofAnswer,
    ...always,
    command('action', 'export', { label: 'Export this conversation', run: actions.exportAll }),
  ];
}
