import { visible } from '@svc/text';
import type { ChatMessage, ChatPart } from '../wire/chat.ts';

/** A fence that no line of the text can end. */
function fenced(text: string, language = ''): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

function partText(part: ChatPart): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'reasoning':
      return '';
    case 'file':
      return `Attached: ${fenced(visible(part.file.name))}`;
    case 'notice':
      return part.code === 'trimmed' ? '_Earlier messages were left out._' : '_The model cannot call tools._';
    case 'call': {
      const { call } = part;
      const head = `**Tool** ${fenced(visible(`${call.app} ${call.tool}: ${call.state}`))}`;
      return [head, fenced(JSON.stringify(call.arguments, null, 2), 'json'), fenced(call.text)].join('\n\n');
    }
  }
}

/** A conversation as Markdown. What apps answered is in fences, so that nothing of it is read as Markdown. */
export function exportMarkdown(title: string, messages: readonly ChatMessage[]): string {
  const bodies = messages.map(({ role, model, parts, status }) => {
    const who = role === 'user' ? 'You' : `Assistant${model === null ? '' : ` (${visible(model)})`}`;
    const end = ['stopped', 'interrupted', 'failed'].includes(status) ? [`_${status}_`] : [];
    return [`## ${who}`, ...parts.map(partText).filter(Boolean), ...end].join('\n\n');
  });
  return `${[`# ${visible(title)}`, ...bodies].join('\n\n')}\n`;
}
