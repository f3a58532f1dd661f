import { type RefObject, useLayoutEffect } from 'react';
import { hashOf } from '../routes.ts';

/** What a search found in a conversation: a message, and the words. */
export type Found = { message: number; words: string };

/** The address of a conversation, or of a message that a search found in it. */
export const hashOfChat = (chat: string, message?: number, words = ''): string =>
  hashOf(
    'chat',
    chat,
    ...(message === undefined ? [] : [String(message), ...(words.trim() === '' ? [] : [words.trim()])]),
  );

/** Ranges of words in an element, in upper and lower case. */
function rangesOf(element: Element, words: string): Range[] {
  const sought = words.toLowerCase();
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const ranges: Range[] = [];
  for (let text = texts.nextNode(); sought !== '' && text; text = texts.nextNode()) {
    const value = (text.nodeValue ?? '').toLowerCase();
    for (let at = value.indexOf(sought); at >= 0; at = value.indexOf(sought, at + sought.length)) {
      const range = new Range();
      range.setStart(text, at);
      range.setEnd(text, Math.min(at + sought.length, text.nodeValue?.length ?? 0));
      ranges.push(range);
    }
  }
  return ranges;
}

/** Brings what a search found into view once, and marks the words (`::highlight(found)`) while the conversation is shown. */
export function useFound(found: Found | null, thread: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const message = found && thread.current?.querySelector(`[data-message="${found.message}"]`);
    if (!found || !message) return undefined;
    message.scrollIntoView({ block: 'center' });
    const ranges = rangesOf(message, found.words);
    ranges[0]?.startContainer.parentElement?.scrollIntoView({ block: 'center' });
    // Firefox before 140 does not mark them.
    CSS.highlights?.set('found', new Highlight(...ranges));
    return () => void CSS.highlights?.delete('found');
  }, [found, thread]);
}
