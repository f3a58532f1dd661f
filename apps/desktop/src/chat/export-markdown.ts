import { visible } from '@svc/text';
import type { ChatMessage, ChatPart, NoticeCode } from '../wire/chat.ts';

/** A fenced block whose fence does not occur in the text. */
function fenced(text: string, language = ''): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

const NOTICES: Readonly<Record<NoticeCode, string>> = {
  trimmed: 'Earlier messages were left out.',
  'no-tools': 'The model cannot call tools.',
  cut: 'The answer reached the model’s length limit.',
  filtered: 'The model or its provider’s filter stopped the answer.',
};

function partText(part: ChatPart): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'reasoning':
    case 'usage':
      return '';
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

/** Exports a conversation as Markdown. Results of apps are fenced, so that they are not interpreted as Markdown. */
export function exportMarkdown(title: string, messages: readonly ChatMessage[]): string {
  const bodies = messages.map(({ role, model, parts, status }) => {
    const who = role === 'user' ? 'You' : `Assistant${model === null ? '' : ` (${visible(model)})`}`;
    const end = ['stopped', 'interrupted', 'failed'].includes(status) ? [`_${status}_`] : [];
    return [`## ${who}`, ...parts.map(partText).filter(Boolean), ...end].join('\n\n');
  });
  return `${[`# ${visible(title)}`, ...bodies].join('\n\n')}\n`;
}
