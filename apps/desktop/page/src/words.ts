import { APPS_WORDS } from './words/apps.ts';
import { CHAT_WORDS } from './words/chat.ts';
import { MORE_WORDS } from './words/more.ts';
import { SHELL_WORDS } from './words/shell.ts';
import { STORE_WORDS } from './words/store.ts';

/** What the page says, in one place, so that another language is another such record. */
export const WORDS = { ...SHELL_WORDS, ...STORE_WORDS, ...APPS_WORDS, ...MORE_WORDS, ...CHAT_WORDS };
