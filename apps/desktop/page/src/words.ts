import { APPS_WORDS } from './words/apps.ts';
import { CHAT_WORDS } from './words/chat.ts';
import { MORE_WORDS } from './words/more.ts';
import { SHELL_WORDS } from './words/shell.ts';
import { STORE_WORDS } from './words/store.ts';

/** All texts of the page. A translation is another record of this shape. */
export const WORDS = { ...SHELL_WORDS, ...STORE_WORDS, ...APPS_WORDS, ...MORE_WORDS, ...CHAT_WORDS };
