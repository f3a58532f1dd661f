import { confirm, intro, isCancel, select, text } from '@clack/prompts';
import { CATEGORIES } from '@svc/contracts/vocabulary';
import type { CommandContext } from '../command-context.ts';
import { cancelled } from '../failure.ts';
import {
  type AccountKind,
  type Answers,
  LOCAL_MCP_URL,
  REQUIRED_FOR_OAUTH,
  type Template,
  type TextField,
} from './answers.ts';
import { problemWith } from './check-answer.ts';

type Dialogue = NonNullable<CommandContext['dialogue']>;

/** An answer, unless the user had enough: Ctrl-C or Escape. */
async function answered<T>(asking: Promise<T>): Promise<Exclude<T, symbol>> {
  const answer = await asking;
  if (isCancel(answer)) throw cancelled('Cancelled; nothing was written.');
  return answer as Exclude<T, symbol>;
}

const QUESTIONS: Readonly<Record<Exclude<TextField, 'category'>, { message: string; placeholder: string }>> =
  {
    name: { message: 'What is the app called?', placeholder: 'Notes' },
    publisher: { message: 'Who publishes it? (slug of your publisher in the store)', placeholder: 'example' },
    id: {
      message: 'Its id, for ever: a domain of yours backwards, then a name',
      placeholder: 'com.example.notes',
    },
    description: {
      message: 'What does it do, in a sentence or two?',
      placeholder: 'Finds what you wrote down.',
    },
    mcpUrl: { message: 'Where does its MCP server answer?', placeholder: 'https://mcp.example.com/mcp' },
    authorizeUrl: { message: 'Where do users sign in?', placeholder: 'https://example.com/authorize' },
    tokenUrl: { message: 'Where are codes changed into tokens?', placeholder: 'https://example.com/token' },
    clientId: { message: 'The public client id of the app there', placeholder: 'notes' },
  };

const askText = (dialogue: Dialogue, field: keyof typeof QUESTIONS, initialValue?: string): Promise<string> =>
  answered(
    text({
      ...dialogue,
      ...QUESTIONS[field],
      ...(initialValue !== undefined && { initialValue }),
      validate: (value) => problemWith(field, value ?? ''),
    }),
  );

const askCategory = (dialogue: Dialogue): Promise<string> =>
  answered(
    select<string>({
      ...dialogue,
      message: 'In which category of the catalogue?',
      options: CATEGORIES.map((value) => ({ value })),
    }),
  );

const askTemplate = (dialogue: Dialogue): Promise<Template> =>
  answered(
    select<Template>({
      ...dialogue,
      message: 'Where do its tools live?',
      options: [
        { value: 'app', label: 'on an MCP server that is there already' },
        { value: 'remote', label: 'on one that is begun here', hint: 'TypeScript' },
      ],
    }),
  );

const askAccount = (dialogue: Dialogue): Promise<AccountKind> =>
  answered(
    select<AccountKind>({
      ...dialogue,
      message: 'Does it need an account of its user?',
      options: [
        { value: 'none', label: 'no' },
        { value: 'mcp', label: 'yes, the MCP server says where', hint: 'MCP authorization' },
        { value: 'oauth', label: 'yes, at addresses that I name', hint: 'OAuth' },
      ],
    }),
  );

const askPanel = (dialogue: Dialogue): Promise<boolean> =>
  answered(confirm({ ...dialogue, message: 'Does it show a panel of its own?', initialValue: false }));

/** An id that could be meant; the user sees it and may change it. */
function idFor(publisher: string, name: string): string {
  const word = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return `com.${publisher}.${word || 'app'}`;
}

/**
 * Asks for what was not given, one question after the other. Each answer is checked against the store's own checks as it
 * is typed.
 * @throws CommandError with exit code 130 when the user cancels
 */
export async function ask(dialogue: Dialogue, given: Partial<Answers>): Promise<Answers> {
  intro('A new app', dialogue);
  const name = given.name ?? (await askText(dialogue, 'name'));
  const publisher = given.publisher ?? (await askText(dialogue, 'publisher'));
  const id = given.id ?? (await askText(dialogue, 'id', idFor(publisher, name)));
  const description = given.description ?? (await askText(dialogue, 'description'));
  const template = given.template ?? (given.mcpUrl === undefined ? await askTemplate(dialogue) : 'app');
  const begun = template === 'remote' ? ({ mcpUrl: LOCAL_MCP_URL, account: 'none' } as const) : null;
  const mcpUrl = begun?.mcpUrl ?? given.mcpUrl ?? (await askText(dialogue, 'mcpUrl'));
  const category = given.category ?? (await askCategory(dialogue));
  const account = begun?.account ?? given.account ?? (await askAccount(dialogue));
  const said = { template, name, publisher, id, description, mcpUrl, category, account };
  const answers: Answers = { ...said, panel: false };
  if (account === 'oauth') {
    for (const field of REQUIRED_FOR_OAUTH) answers[field] = given[field] ?? (await askText(dialogue, field));
  }
  return { ...answers, panel: given.panel ?? (await askPanel(dialogue)) };
}
