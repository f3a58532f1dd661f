import type { ChatMessage, ChatView } from '../../../src/wire/chat.ts';
import { useDesktopQuery } from '../wire/use-desktop.ts';
import { SummariseChat } from './chat-actions.tsx';
import type { ChatState } from './use-chat.ts';

/** The part of a model's context from which a conversation is long. */
const LONG = 0.8;

const MILLION = 1_000_000;

/** The tokens of the last request and its answer, as the provider counted them; null where it did not. */
function contextOf(messages: readonly ChatMessage[]): number | null {
  const counted = messages.findLast(({ parts }) => parts.some(({ type }) => type === 'usage'));
  const usage = counted?.parts.findLast((part) => part.type === 'usage');
  return usage?.type === 'usage' ? usage.input + usage.output : null;
}

/** Whether earlier messages were left out of the last request, or it was refused as too long. */
function isTooLong(messages: readonly ChatMessage[]): boolean {
  const last = messages.findLast(({ role }) => role === 'assistant');
  const isTrimmed = last?.parts.some((part) => part.type === 'notice' && part.code === 'trimmed');
  // A message that is too long by itself has nothing before it to summarise.
  return isTrimmed === true || (last?.fault?.code === 'context' && messages.length > 2);
}

/** What the provider says of the model of a conversation. */
function useFacts({ model }: ChatView) {
  const providers = useDesktopQuery('models.list', {}).data?.providers ?? [];
  if (model === null) return {};
  return providers.find(({ id }) => id === model.provider)?.facts?.[model.model] ?? {};
}

const dollars = (cost: number): string => (cost < 0.01 ? 'under $0.01' : `$${cost.toFixed(2)}`);

/** What a conversation takes of the context of its model, and a way on where it takes too much. */
export function ContextCost({ state: { chat, messages } }: { state: ChatState }) {
  const { context, price } = useFacts(chat);
  const tokens = contextOf(messages);
  const isLong = isTooLong(messages) || (tokens !== null && context !== undefined && tokens > context * LONG);
  if (tokens === null && !isLong) return null;
  const of = context === undefined ? '' : ` of ${context.toLocaleString('en')}`;
  const cost = price === undefined || tokens === null ? '' : `, ${dollars((tokens * price.input) / MILLION)}`;
  return (
    <div className="context-cost soft">
      {tokens === null ? null : (
        <span title="What the provider counted for the last request and its answer. Each message sends the conversation again, at about this price.">
          {`${tokens.toLocaleString('en')}${of} tokens${cost}`}
        </span>
      )}
      {isLong && !chat.running ? <SummariseChat chat={chat.id} className="quiet small" /> : null}
    </div>
  );
}
