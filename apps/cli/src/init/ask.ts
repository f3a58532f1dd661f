import { confirm, intro, isCancel, select, text } from '@clack/prompts';
import { CATEGORIES } from '@svc/contracts/vocabulary';
import { validateManifest } from '@svc/validator';
import type { CommandContext } from '../command-record.ts';
import { cancelled } from '../failure.ts';
import {
  type AccountKind,
  type Answers,
  LOCAL_MCP_URL,
  POINTERS,
  REQUIRED_FOR_OAUTH,
  type Template,
  type TextField,
} from './answers.ts';
import { manifestOf } from './manifest.ts';

/** Valid answers, so that a finding concerns only the answer under test. */
const VALID_ANSWERS: Answers = {
  template: 'app',
  name: 'Notes',
  id: 'com.example.notes',
  publisher: 'example',
  description: 'Finds what you wrote down.',
  mcpUrl: 'https://mcp.example.com/mcp',
  category: 'other',
  account: 'oauth',
  panel: false,
  authorizeUrl: 'https://example.com/authorize',
  tokenUrl: 'https://example.com/token',
  clientId: 'notes',
};

/** The message of the first finding about an answer, warnings included; undefined when it is valid. */
export function problemWith(field: TextField, value: string): string | undefined {
  const manifest = manifestOf({ ...VALID_ANSWERS, [field]: value }, 'https://store.example.com');
  const pointer = POINTERS[field];
  return validateManifest(manifest, { mode: 'store' }).find(
    ({ path }) => path === pointer || path.startsWith(`${pointer}/`),
  )?.message;
}

type Dialogue = NonNullable<CommandContext['dialogue']>;

/** The answer to a prompt. Throws when the user cancels with Ctrl-C or Escape. */
async function answerOf<T>(prompt: Promise<T>): Promise<Exclude<T, symbol>> {
  const answer = await prompt;
  if (isCancel(answer)) throw cancelled('Cancelled; nothing was written.');
  return answer as Exclude<T, symbol>;
}

const QUESTIONS: Readonly<Record<Exclude<TextField, 'category'>, { message: string; placeholder: string }>> =
  {
    name: { message: 'Name of the app', placeholder: 'Notes' },
    publisher: { message: 'Publisher (its short name in the store)', placeholder: 'example' },
    id: {
      message: 'Id: your domain in reverse, then a name. It cannot be changed later',
      placeholder: 'com.example.notes',
    },
    description: {
      message: 'What does the app do? One or two sentences',
      placeholder: 'Finds what you wrote down.',
    },
    mcpUrl: { message: 'URL of its MCP server', placeholder: 'https://mcp.example.com/mcp' },
    authorizeUrl: {
      message: 'Authorization endpoint: where users sign in',
      placeholder: 'https://example.com/authorize',
    },
    tokenUrl: {
      message: 'Token endpoint: where codes are exchanged for tokens',
      placeholder: 'https://example.com/token',
    },
    clientId: { message: 'Public client id of the app', placeholder: 'notes' },
  };

const askText = (dialogue: Dialogue, field: keyof typeof QUESTIONS, initialValue?: string): Promise<string> =>
  answerOf(
    text({
      ...dialogue,
      ...QUESTIONS[field],
      ...(initialValue !== undefined && { initialValue }),
      validate: (value) => problemWith(field, value ?? ''),
    }),
  );

const askCategory = (dialogue: Dialogue): Promise<string> =>
  answerOf(
    select<string>({
      ...dialogue,
      message: 'Category in the catalogue',
      options: CATEGORIES.map((value) => ({ value })),
    }),
  );

const askTemplate = (dialogue: Dialogue): Promise<Template> =>
  answerOf(
    select<Template>({
      ...dialogue,
      message: 'Which MCP server provides its tools?',
      options: [
        { value: 'app', label: 'an existing server' },
        { value: 'remote', label: 'a new server, created here', hint: 'TypeScript' },
      ],
    }),
  );

const askAccount = (dialogue: Dialogue): Promise<AccountKind> =>
  answerOf(
    select<AccountKind>({
      ...dialogue,
      message: 'Do users need an account?',
      options: [
        { value: 'none', label: 'no' },
        { value: 'mcp', label: 'yes, the MCP server advertises the sign-in', hint: 'MCP authorization' },
        { value: 'oauth', label: 'yes, at OAuth endpoints that I enter', hint: 'OAuth' },
      ],
    }),
  );

const askPanel = (dialogue: Dialogue): Promise<boolean> =>
  answerOf(confirm({ ...dialogue, message: 'Add a panel (a page inside the client)?', initialValue: false }));

/** A suggested id, which the user can edit. */
function suggestedId(publisher: string, name: string): string {
  const word = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return `com.${publisher}.${word || 'app'}`;
}

/**
 * Prompts for the missing answers. Each answer is checked with the store's checks while it is typed.
 * @throws CommandError with exit code 130 when the user cancels
 */
export async function ask(dialogue: Dialogue, given: Partial<Answers>): Promise<Answers> {
  intro('A new app', dialogue);
  const name = given.name ?? (await askText(dialogue, 'name'));
  const publisher = given.publisher ?? (await askText(dialogue, 'publisher'));
  const id = given.id ?? (await askText(dialogue, 'id', suggestedId(publisher, name)));
  const description = given.description ?? (await askText(dialogue, 'description'));
  const template = given.template ?? (given.mcpUrl === undefined ? await askTemplate(dialogue) : 'app');
  const preset = template === 'remote' ? ({ mcpUrl: LOCAL_MCP_URL, account: 'none' } as const) : null;
  const mcpUrl = preset?.mcpUrl ?? given.mcpUrl ?? (await askText(dialogue, 'mcpUrl'));
  const category = given.category ?? (await askCategory(dialogue));
  const account = preset?.account ?? given.account ?? (await askAccount(dialogue));
  const basics = { template, name, publisher, id, description, mcpUrl, category, account };
  const answers: Answers = { ...basics, panel: false };
  if (account === 'oauth') {
    for (const field of REQUIRED_FOR_OAUTH) answers[field] = given[field] ?? (await askText(dialogue, field));
  }
  return { ...answers, panel: given.panel ?? (await askPanel(dialogue)) };
}
