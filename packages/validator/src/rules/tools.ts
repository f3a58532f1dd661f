import { LIMITS, REMOTE_TOOL_NAME } from '@svc/contracts/vocabulary';
import { isName } from '../ids.ts';
import { misspeltIn } from '../misspelt.ts';
import { errorRule, inContributes, inManifest, inObject, type Spot, warningRule } from '../rule.ts';
import { didYouMean, isText, namesOf, show, textFault } from '../text.ts';
import { isFields, own, repeats } from '../values.ts';

const tool = { id: 'find', name: 'Find notes', description: 'Finds notes that hold a word.' } as const;
const { name: _name, ...unnamed } = tool;
const inTool = inObject('/contributes/tools/0', tool, (entry) => ({ contributes: { tools: [entry] } }));
const account = { id: 'notes', label: 'Notes', auth: 'mcp', scopes: [] } as const;

const isToolId = (id: unknown): id is string => isName(id) && id.length <= LIMITS.tool.id;

/** The fields of a tool, except its files, which are in tool-files.ts. */
export const toolRules = [
  errorRule('tools.format', 'tools', {
    message: (value) => `"tools" must be a list, not ${show(value)}. Remove it if the app has no tools.`,
    why: 'The client shows tools in the order of the list.',
    example: inContributes('/tools', { tools: { find: tool } }, { tools: [tool] }),
    fails: (tools) => tools !== undefined && !Array.isArray(tools),
  }),
  errorRule('tools.item', 'tool', {
    message: (value) => `A tool must be an object with "id", "name" and "description", not ${show(value)}.`,
    why: 'The agent needs the description to decide when to call the tool.',
    example: inContributes('/tools/0', { tools: ['find'] }, { tools: [tool] }),
    fails: (value) => !isFields(value),
  }),
  errorRule('tools.duplicate', 'tools.list', {
    message: (value) => `Two tools have the id ${show(value)}: use a unique id for each.`,
    why: 'The agent calls a tool by its id, so two tools must not have the same one.',
    example: inContributes(
      '/tools/1/id',
      { tools: [tool, tool] },
      { tools: [tool, { ...tool, id: 'save' }] },
    ),
    fails: (tools) => repeats(tools, idOf, 'id'),
  }),
  errorRule('tools.remoteName', 'tools.list', {
    message: (value) =>
      typeof value === 'string' && REMOTE_TOOL_NAME.test(value)
        ? `Two tools are the tool ${show(value)} of the server: remove one.`
        : `"remoteName" must be the name of the tool on the server: at most ${LIMITS.tool.remoteName} letters, digits, "_", "-" and ".", not ${show(value)}.`,
    why: 'It is the name by which the client calls the tool, where the server uses a name that is no valid id. Each tool of the server is declared once, so that a confirm card of one declaration cannot be avoided with another.',
    example: inTool('/remoteName', { remoteName: 'find notes' }, { remoteName: 'find-notes' }),
    fails: remoteNameFaults,
  }),
  warningRule('tools.served', 'tools.list', {
    message: (value) =>
      `The MCP server has no tool ${show(value)}: remove it, or give the name on the server in "remoteName".`,
    why: 'A call of a tool that the server does not have fails. It is checked where the tools of the server are known: `svc validate --live`, `svc dev`, and publishing.',
    example: {
      path: '/contributes/tools/0/id',
      broken: { manifest: { contributes: { tools: [tool] } }, served: ['find-notes'] },
      fixed: {
        manifest: { contributes: { tools: [{ ...tool, remoteName: 'find-notes' }] } },
        served: ['find-notes'],
      },
    },
    fails: (tools, { served }) => served !== undefined && notServed(tools, served),
  }),
  errorRule('tools.id', 'tool.id', {
    message: (value) =>
      `A tool id must consist of at most ${LIMITS.tool.id} lowercase letters, digits and "_", and begin with a letter, such as "find_notes", not ${show(value)}.`,
    why: 'Agents call the tool by it, so it has only characters that every agent accepts. A tool that has another name on the MCP server names it in "remoteName".',
    example: inTool('/id', { id: 'find-notes' }, { id: 'find_notes' }),
    fails: (id) => !isToolId(id),
  }),
  errorRule('tools.name', 'tool.name', {
    message: (value) => textFault('"name"', value, LIMITS.tool.name),
    why: 'Users see the name while the tool runs.',
    example: inContributes('/tools/0/name', { tools: [unnamed] }, { tools: [tool] }),
    fails: (name) => !isText(name, LIMITS.tool.name),
  }),
  errorRule('tools.description', 'tool.description', {
    message: (value) => textFault('"description"', value, LIMITS.tool.description),
    why: 'The agent reads it to decide when to call the tool. It is in the manifest so that the agent reads what was reviewed.',
    example: inTool('/description', { description: '' }),
    fails: (description) => !isText(description, LIMITS.tool.description),
  }),
  errorRule('tools.confirm', 'tool.confirm', {
    message: (value) =>
      `"confirm" must be an object with a "title" of 1 to ${LIMITS.confirm.title} characters; "body" and "action" are optional strings.${misspeltIn(value, 'title')}`,
    why: 'The card asks the user to approve the call, so it must say what happens.',
    example: inTool('/confirm', { confirm: { body: 'Sure?' } }, { confirm: { title: 'Delete it?' } }),
    fails: (confirm) => {
      if (confirm === undefined) return false;
      if (!isFields(confirm) || own(confirm, 'title') === undefined) return true;
      if (!isText(own(confirm, 'title'), LIMITS.confirm.title)) {
        return [{ at: ['title'], value: own(confirm, 'title') }];
      }
      const wrong = ['body', 'action'].filter((name) => !isOptionalString(own(confirm, name)));
      return wrong.map((name) => ({ at: [name], value: own(confirm, name) }));
    },
  }),
  errorRule('tools.account', 'tool.account', {
    message: (value, { facts }) =>
      `There is no account with the id ${show(value)}: add it to "accounts", or remove "account".${didYouMean(value, namesOf([...(facts.accounts ?? [])].filter(isName)))}`,
    why: 'The token of a call comes from an account of the app.',
    example: inManifest(
      '/contributes/tools/0/account',
      { contributes: { tools: [{ ...tool, account: 'notes' }] } },
      { contributes: { tools: [{ ...tool, account: 'notes' }] }, accounts: [account] },
    ),
    fails: (id, { facts }) => {
      if (id === undefined) return false;
      return typeof id !== 'string' || (facts.accounts !== undefined && !facts.accounts.has(id));
    },
  }),
] as const;

function isOptionalString(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}

function idOf(value: unknown): string | undefined {
  const id = isFields(value) ? own(value, 'id') : undefined;
  return isToolId(id) ? id : undefined;
}

type Named = { index: number; key: 'id' | 'remoteName'; name: unknown };

/** The name of each tool on the server, and the field that says it; tools without a valid id are another finding. */
function remoteNames(tools: readonly unknown[]): Named[] {
  return tools.flatMap((tool, index): Named[] => {
    const id = idOf(tool);
    if (!isFields(tool) || id === undefined) return [];
    const remoteName = own(tool, 'remoteName');
    return [
      {
        index,
        key: remoteName === undefined ? 'id' : 'remoteName',
        name: remoteName === undefined ? id : remoteName,
      },
    ];
  });
}

const spotOf = ({ index, key, name }: Named): Spot => ({ at: [index, key], value: name });

function notServed(tools: readonly unknown[], served: ReadonlySet<string>): Spot[] {
  return remoteNames(tools)
    .filter(({ name }) => typeof name === 'string' && !served.has(name))
    .map(spotOf);
}

/** Names that the rule of MCP forbids, and those that another tool has already. */
function remoteNameFaults(tools: readonly unknown[]): Spot[] {
  const used = new Set<unknown>();
  return remoteNames(tools)
    .filter(({ key, name }) => {
      const isFault = used.has(name) || (key === 'remoteName' && !isRemoteName(name));
      used.add(name);
      return isFault;
    })
    .map(spotOf);
}

const isRemoteName = (name: unknown): boolean => typeof name === 'string' && REMOTE_TOOL_NAME.test(name);
