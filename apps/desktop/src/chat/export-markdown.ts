import { visible } from '@svc/text';
import type { ChatMessage, ChatPart, NoticeCode } from '../wire/chat.ts';

/** A fenced block whose fence does not occur in the text. */
function fenced(text: string, language = ''): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** Markup, but not a type parameter such as `Array<string>`; and elements that load something, wherever they stand. */
const MARKUP =
  /(?<![\p{L}\p{N}_])<(?=[a-z/!?])|<(?=\/?(?:audio|base|body|embed|frame|iframe|image|img|input|link|meta|object|picture|script|source|style|svg|table|td|th|track|video)\b)/giu;

/** The fence that a line begins at the top level of a document (CommonMark 0.31, section 4.5); null for any other line. */
const fenceIn = (line: string): string | null =>
  /^(?:(`{3,})[^`]*$|(~{3,}))/.exec(line)?.slice(1).find(Boolean) ?? null;

const isEndOf = (fence: string, line: string): boolean => {
  const mark = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1] ?? '';
  return mark.startsWith(fence);
};

/**
 * Markdown without pictures and HTML, which would load something when the file is shown. Fenced code stays as it is. Only fences without
 * indentation count, which cannot belong to a list or a quote.
 */
function withoutPictures(text: string): string {
  let fence: string | null = null;
  const lines = text.split(/\r\n|\n|\r/).map((line) => {
    if (fence !== null) {
      if (isEndOf(fence, line)) fence = null;
      return line;
    }
    fence = fenceIn(line);
    return fence === null ? line.replaceAll('![', '!\\[').replaceAll(MARKUP, '&lt;') : line;
  });
  // An open fence would end in the next part.
  return [...lines, ...(fence === null ? [] : [fence])].join('\n');
}

const NOTICES: Readonly<Record<NoticeCode, string>> = {
  trimmed: 'Earlier messages were left out.',
  'no-tools': 'The model cannot call tools.',
  'no-pictures': 'The model cannot read pictures.',
  cut: 'The answer reached the model’s length limit.',
  early: 'The provider ended the answer early.',
  empty: 'The model ended without a word.',
  filtered: 'The model or its provider’s filter stopped the answer.',
  removed: 'The user deleted this message.',
};

function partText(part: ChatPart): string {
  switch (part.type) {
    case 'text':
      return withoutPictures(visible(part.text));
    case 'reasoning':
    case 'usage':
      return '';
    case 'summary':
      return `_Summary of an earlier conversation_\n\n${withoutPictures(visible(part.text))}`;
    case 'file':
      return `Attached: ${fenced(visible(part.file.name))}`;
    case 'notice':
      return `_${NOTICES[part.code]}_`;
    case 'call': {
      const { call } = part;
      const head = `**Tool** ${fenced(visible(`${call.app} ${call.tool}: ${call.state}`))}`;
      return [head, fenced(JSON.stringify(call.arguments, null, 2), 'json'), fenced(call.text)].join('\n\n');
    }
  }
}

/**
 * Exports a conversation as Markdown. Results of apps are fenced, so that they are not interpreted as Markdown. Showing the file loads
 * nothing.
 */
export function exportMarkdown(title: string, messages: readonly ChatMessage[]): string {
  const bodies = messages.map(({ role, model, parts, status }) => {
    const who = role === 'user' ? 'You' : `Assistant${model === null ? '' : ` (${visible(model)})`}`;
    const end = ['stopped', 'interrupted', 'failed'].includes(status) ? [`_${status}_`] : [];
    return [`## ${who}`, ...parts.map(partText).filter(Boolean), ...end].join('\n\n');
  });
  return `${[`# ${visible(title)}`, ...bodies].join('\n\n')}\n`;
}
