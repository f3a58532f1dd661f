import { LIMITS } from '@svc/contracts/vocabulary';
import { isName } from '../ids.ts';
import { misspeltIn } from '../misspelt.ts';
import { didYouMean, namesOf } from '../names.ts';
import { defineRule } from '../rule.ts';
import { isText, show, textFault } from '../text.ts';
import { isFields, own, repeats } from '../values.ts';

const tool = { id: 'find', name: 'Find notes', description: 'Finds notes that hold a word.' } as const;
const { name: _name, ...unnamed } = tool;
const account = { id: 'notes', label: 'Notes', auth: 'mcp', scopes: [] } as const;

const isToolId = (id: unknown): id is string => isName(id) && id.length <= LIMITS.tool.id;

/** What a tool tells about itself; its files are in tool-files.ts. */
export const toolRules = [
  defineRule({
    code: 'tools.format',
    level: 'error',
    target: 'tools',
    message: (value) => `"tools" must be a list, not ${show(value)}; leave it out when there are none.`,
    why: 'Tools are shown in the order in which they are listed.',
    example: {
      path: '/contributes/tools',
      broken: { manifest: { contributes: { tools: { find: tool } } } },
      fixed: { manifest: { contributes: { tools: [tool] } } },
    },
    fails: (tools) => tools !== undefined && !Array.isArray(tools),
  }),
  defineRule({
    code: 'tools.item',
    level: 'error',
    target: 'tool',
    message: (value) => `A tool must be an object with "id", "name" and "description", not ${show(value)}.`,
    why: 'A name alone does not tell the agent when to call the tool.',
    example: {
      path: '/contributes/tools/0',
      broken: { manifest: { contributes: { tools: ['find'] } } },
      fixed: { manifest: { contributes: { tools: [tool] } } },
    },
    fails: (value) => !isFields(value),
  }),
  defineRule({
    code: 'tools.duplicate',
    level: 'error',
    target: 'tools.list',
    message: (value) => `An earlier tool has the id ${show(value)} already: give each its own.`,
    why: 'The agent calls a tool by its id; with two of them it would get one or the other.',
    example: {
      path: '/contributes/tools/1/id',
      broken: { manifest: { contributes: { tools: [tool, tool] } } },
      fixed: { manifest: { contributes: { tools: [tool, { ...tool, id: 'save' }] } } },
    },
    fails: (tools) => repeats(tools, idOf, 'id'),
  }),
  defineRule({
    code: 'tools.id',
    level: 'error',
    target: 'tool.id',
    message: (value) =>
      `A tool id has lowercase letters, digits and "_", a letter first, ${LIMITS.tool.id} characters at most: "find_notes", not ${show(value)}.`,
    why: 'It is the name of the tool on the MCP server, in an alphabet that every agent takes.',
    example: {
      path: '/contributes/tools/0/id',
      broken: { manifest: { contributes: { tools: [{ ...tool, id: 'find-notes' }] } } },
      fixed: { manifest: { contributes: { tools: [{ ...tool, id: 'find_notes' }] } } },
    },
    fails: (id) => !isToolId(id),
  }),
  defineRule({
    code: 'tools.name',
    level: 'error',
    target: 'tool.name',
    message: (value) => textFault('"name"', value, LIMITS.tool.name),
    why: 'People see the name while the tool runs.',
    example: {
      path: '/contributes/tools/0/name',
      broken: { manifest: { contributes: { tools: [unnamed] } } },
      fixed: { manifest: { contributes: { tools: [tool] } } },
    },
    fails: (name) => !isText(name, LIMITS.tool.name),
  }),
  defineRule({
    code: 'tools.description',
    level: 'error',
    target: 'tool.description',
    message: (value) => textFault('"description"', value, LIMITS.tool.description),
    why: 'The agent reads it to decide when to call the tool. It stands in the manifest, so that what was reviewed is what the agent reads.',
    example: {
      path: '/contributes/tools/0/description',
      broken: { manifest: { contributes: { tools: [{ ...tool, description: '' }] } } },
      fixed: { manifest: { contributes: { tools: [tool] } } },
    },
    fails: (description) => !isText(description, LIMITS.tool.description),
  }),
  defineRule({
    code: 'tools.confirm',
    level: 'error',
    target: 'tool.confirm',
    message: (value) =>
      `"confirm" must be an object with a "title" of 1 to ${LIMITS.confirm.title} characters; "body" and "action" are strings.${misspeltIn(value, 'title')}`,
    why: 'The card asks the user to agree to something, so it has to say to what.',
    example: {
      path: '/contributes/tools/0/confirm',
      broken: { manifest: { contributes: { tools: [{ ...tool, confirm: { body: 'Sure?' } }] } } },
      fixed: { manifest: { contributes: { tools: [{ ...tool, confirm: { title: 'Delete it?' } }] } } },
    },
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
  defineRule({
    code: 'tools.account',
    level: 'error',
    target: 'tool.account',
    message: (value, { facts }) =>
      `No account has the id ${show(value)}: declare it under "accounts", or remove "account".${didYouMean(value, namesOf([...(facts.accounts ?? [])].filter(isName)))}`,
    why: 'A call that is to carry a token needs an account to take it from.',
    example: {
      path: '/contributes/tools/0/account',
      broken: { manifest: { contributes: { tools: [{ ...tool, account: 'notes' }] } } },
      fixed: {
        manifest: { contributes: { tools: [{ ...tool, account: 'notes' }] }, accounts: [account] },
      },
    },
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
