/** A message of another client: who said what, after which message of the list. */
export type ForeignMessage = {
  role: 'user' | 'assistant';
  text: string;
  model: string | null;
  at: string | null;
  /** Index of the message that it follows; null at the beginning. */
  after: number | null;
};

/** A conversation of another client. `id` is the same whenever it is exported. */
export type ForeignChat = {
  id: string;
  title: string;
  at: string | null;
  messages: ForeignMessage[];
  shown: number | null;
};

/** What a file of exported conversations contains, and how many of them could not be read. */
export type Reading = { from: string; chats: ForeignChat[]; unread: number };

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const listOf = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);
const stringOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A time as text or as seconds since 1970, as ISO 8601 (the form in which times are compared); null if it is neither. */
function timeOf(value: unknown): string | null {
  const time = typeof value === 'number' ? new Date(value * 1_000) : new Date(stringOf(value));
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}

/** A message with the ids that its client uses. `text` is empty where nothing is shown: it is left out, and its children follow its parent. */
type Node = Omit<ForeignMessage, 'after'> & { id: string; parent: string };

/** Orders messages after those that they follow, and drops those without text. A message in a circle, or without its parent, starts again. */
function inOrder(nodes: readonly Node[]): {
  messages: ForeignMessage[];
  indexes: ReadonlyMap<string, number | null>;
} {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const indexes = new Map<string, number | null>();
  const messages: ForeignMessage[] = [];
  for (const last of nodes) {
    const line: Node[] = [];
    const seen = new Set<string>();
    for (
      let node = byId.get(last.id);
      node && !indexes.has(node.id) && !seen.has(node.id);
      node = byId.get(node.parent)
    ) {
      seen.add(node.id);
      line.push(node);
    }
    for (const { id, parent, ...message } of line.reverse()) {
      const after = indexes.get(parent) ?? null;
      indexes.set(id, message.text.trim() === '' ? after : messages.push({ ...message, after }) - 1);
    }
  }
  return { messages, indexes };
}

const fenced = (text: string): string => `\`\`\`\`\n${text}\n\`\`\`\``;

/** What a message of ChatGPT shows: not its thoughts, nor what its tools said to it. */
function chatGptText(content: Json): string {
  const type = stringOf(content.content_type);
  if (type === 'code') return fenced(stringOf(content.text));
  if (type !== 'text' && type !== 'multimodal_text') return '';
  const parts = Array.isArray(content.parts) ? content.parts : [];
  return parts
    .map((part) => {
      if (typeof part === 'string') return part;
      if (!isObject(part)) return '';
      return stringOf(part.text) || `[${stringOf(part.content_type).replaceAll('_', ' ') || 'file'}]`;
    })
    .filter((text) => text !== '')
    .join('\n\n');
}

function chatGptNode(id: string, { message, parent }: Json): Node {
  const said = isObject(message) ? message : {};
  const [author, content, metadata] = [said.author, said.content, said.metadata].map((part) =>
    isObject(part) ? part : {},
  );
  const role = stringOf(author?.role);
  const isShown =
    ['user', 'assistant'].includes(role) && metadata?.is_visually_hidden_from_conversation !== true;
  return {
    ...{ id, parent: stringOf(parent), role: role === 'user' ? 'user' : 'assistant' },
    text: isShown && content ? chatGptText(content) : '',
    model: role === 'assistant' ? stringOf(metadata?.model_slug) || null : null,
    at: timeOf(said.create_time),
  };
}

function readChatGpt(chat: Json): ForeignChat {
  const nodes = Object.entries(chat.mapping as Json).flatMap(([id, node]) =>
    isObject(node) ? [chatGptNode(id, node)] : [],
  );
  const { messages, indexes } = inOrder(nodes);
  return {
    ...{
      id: `chatgpt:${stringOf(chat.conversation_id) || stringOf(chat.id)}`,
      title: stringOf(chat.title),
      messages,
    },
    ...{
      at: timeOf(chat.update_time) ?? timeOf(chat.create_time),
      shown: indexes.get(stringOf(chat.current_node)) ?? null,
    },
  };
}

/** The text of a message in parts, as Claude and LibreChat have them. */
function partsText(content: unknown): string {
  const texts = listOf(content).map(({ type, text }) =>
    type === 'text' ? stringOf(isObject(text) ? text.value : text) : '',
  );
  return texts.filter((text) => text !== '').join('\n\n');
}

function readClaude(chat: Json): ForeignChat {
  let before = '';
  const nodes = listOf(chat.chat_messages).map((said): Node => {
    const files = [...listOf(said.attachments), ...listOf(said.files)].map(
      ({ file_name: name }) => `[${stringOf(name) || 'file'}]`,
    );
    const id = stringOf(said.uuid);
    const parent = byDefault(said.parent_message_uuid, before);
    before = id;
    return {
      ...{
        id,
        parent,
        role: said.sender === 'human' ? 'user' : 'assistant',
        model: null,
        at: timeOf(said.created_at),
      },
      text: [...files, partsText(said.content) || stringOf(said.text)]
        .filter((text) => text !== '')
        .join('\n\n'),
    };
  });
  const { messages, indexes } = inOrder(nodes);
  return {
    ...{ id: `claude:${stringOf(chat.uuid)}`, title: stringOf(chat.name), messages },
    ...{ at: timeOf(chat.updated_at) ?? timeOf(chat.created_at), shown: indexes.get(before) ?? null },
  };
}

const byDefault = (value: unknown, other: string): string => (typeof value === 'string' ? value : other);

/** Deepest nesting of answers in a recursive export of LibreChat. */
const MAX_DEPTH = 2_000;

/** Messages of LibreChat as a list, also of its recursive form. */
function flatMessages(list: unknown): Json[] {
  const found = listOf(list).map((said) => ({ said, depth: 0 }));
  for (const { said, depth } of found) {
    if (depth < MAX_DEPTH)
      found.push(...listOf(said.children).map((child) => ({ said: child, depth: depth + 1 })));
  }
  return found.map(({ said }) => said);
}

function readLibreChat(chat: Json): ForeignChat {
  const nodes = flatMessages(chat.messages).map(
    (said): Node => ({
      ...{ id: stringOf(said.messageId), parent: stringOf(said.parentMessageId), at: timeOf(said.createdAt) },
      role: said.isCreatedByUser === true ? 'user' : 'assistant',
      text: partsText(said.content) || stringOf(said.text),
      model: said.isCreatedByUser === true ? null : stringOf(said.model) || stringOf(said.sender) || null,
    }),
  );
  const { messages } = inOrder(nodes);
  const shown = messages.length > 0 ? messages.length - 1 : null;
  const at = messages.at(-1)?.at ?? timeOf(chat.exportAt);
  return {
    id: `librechat:${stringOf(chat.conversationId)}`,
    title: stringOf(chat.title),
    at,
    messages,
    shown,
  };
}

function readOwn(chat: Json): ForeignChat {
  const nodes = listOf(chat.messages).map(
    (said): Node => ({
      ...{ id: String(said.id), parent: String(said.parent), at: timeOf(said.at), text: stringOf(said.text) },
      ...{ role: said.role === 'user' ? 'user' : 'assistant', model: stringOf(said.model) || null },
    }),
  );
  const { messages, indexes } = inOrder(nodes);
  return {
    ...{ id: `svc:${stringOf(chat.id)}`, title: stringOf(chat.title), at: timeOf(chat.at), messages },
    shown: indexes.get(String(chat.shown)) ?? null,
  };
}

/** Forms of exports, told apart by what each conversation has. */
const FORMS: readonly { from: string; is(chat: Json): boolean; read(chat: Json): ForeignChat }[] = [
  { from: 'ChatGPT', is: ({ mapping }) => isObject(mapping), read: readChatGpt },
  { from: 'Claude', is: ({ chat_messages: said }) => Array.isArray(said), read: readClaude },
  {
    from: 'LibreChat',
    is: ({ conversationId, messages }) => typeof conversationId === 'string' && Array.isArray(messages),
    read: readLibreChat,
  },
  { from: 'svc', is: ({ id, messages }) => typeof id === 'string' && Array.isArray(messages), read: readOwn },
];

/** The form of our own export, in `conversations.json`. */
export const OWN_FORM = 'svc conversations 1';

/**
 * Reads exported conversations of ChatGPT, Claude, LibreChat or svc. A conversation that is malformed or empty is counted, and the others are read.
 * @returns null for another form
 */
export function readConversations(json: unknown): Reading | null {
  const all = Array.isArray(json)
    ? json
    : isObject(json) && Array.isArray(json.conversations)
      ? json.conversations
      : [json];
  const form = FORMS.find(({ is }) => all.some((chat) => isObject(chat) && is(chat)));
  if (!form) return null;
  const chats = all.flatMap((chat) => {
    if (!isObject(chat) || !form.is(chat)) return [];
    const read = form.read(chat);
    return read.messages.length > 0 ? [read] : [];
  });
  return { from: form.from, chats, unread: all.length - chats.length };
}
