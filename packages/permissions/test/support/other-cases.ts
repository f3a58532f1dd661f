import {
  accounts,
  COMMON,
  DISCOVERED,
  type DiffCase,
  LIST,
  MAIL,
  mail,
  remote,
  SEND,
  send,
  sendAlone,
  tools,
  update,
} from './diff-parts.ts';

/** Updates that reach no more than people agreed to. */
export const NOT_WIDENING: Record<string, DiffCase> = {
  same: { why: 'nothing but the version', after: update({}), diff: {} },
  spelling: {
    why: 'doubled entries, another order, capitals in a host',
    after: update({
      grants: ['files:receive', 'files:receive'],
      remote: { ...remote, domains: ['MCP.example.com', 'API.Example.com'] },
      accounts: [{ ...MAIL, scopes: ['read', 'read'] }],
      contributes: { tools: [LIST, SEND] },
    }),
    diff: {},
  },
  'words-of-app': {
    why: 'other words about the app and the account',
    after: update({
      name: 'Notes 2',
      description: 'Other words.',
      permissions: ['Other words.'],
      accounts: [{ ...MAIL, label: 'Post', required: true }],
    }),
    diff: {},
  },
  'words-of-tool': {
    why: 'other words about a tool, and on its card',
    after: send({ description: 'Other words.', confirm: { title: 'Really?' } }),
    diff: { toolsChanged: ['send'] },
  },
  less: {
    why: 'everything is taken back',
    after: update({
      grants: [],
      accounts: [],
      requires: {},
      contributes: {},
      remote: { ...remote, domains: [] },
    }),
    facts: { grants: [], accounts: [], domains: ['mcp.example.com'] },
    diff: {
      grantsRemoved: ['files:receive'],
      domainsRemoved: ['api.example.com'],
      accountsRemoved: ['mail', 'mail:read'],
      fileParamsRemoved: ['send.body'],
      requiresRemoved: ['media'],
      toolsRemoved: ['list', 'send'],
    },
  },
  'scope-less': {
    why: 'a scope less',
    after: mail({ scopes: [] }),
    facts: { accounts: ['mail'] },
    diff: { accountsRemoved: ['mail:read'] },
  },
  'account-of-tool-lost': {
    why: 'a tool no longer carries its account',
    after: tools(sendAlone, LIST),
    diff: { toolAccountsChanged: ['send'], toolsChanged: ['send'] },
  },
  'card-added': {
    why: 'a tool starts to ask',
    after: tools(SEND, { ...LIST, confirm: { title: 'List them?' } }),
    diff: { toolsChanged: ['list'] },
  },
  'smaller-files': {
    why: 'files may be less large',
    after: send({ files: { body: { maxBytes: 99 } } }),
    diff: { toolsChanged: ['send'] },
  },
  'limit-written-out': {
    why: 'the limit that holds without one is written out',
    before: { ...COMMON, contributes: { tools: [{ ...SEND, files: { body: {} } }] } },
    after: tools({ ...SEND, files: { body: { maxBytes: 20_971_520 } } }),
    diff: { toolsChanged: ['send'] },
  },
  'tool-without-account': {
    why: 'a new tool without account and files',
    after: tools(SEND, LIST, { ...LIST, id: 'find' }),
    diff: { toolsAdded: ['find'] },
  },
  'ignored-addresses': {
    why: 'with discovery the addresses of the manifest are not looked at',
    before: { ...COMMON, accounts: [DISCOVERED] },
    after: accounts({
      ...DISCOVERED,
      authorizeUrl: 'https://evil.example/a',
      tokenUrl: 'https://evil.example/t',
    }),
    diff: {},
  },
  'optional-requirements': {
    why: 'what an app can do without is none of what it requires',
    after: update({
      requires: {
        apps: [{ id: 'media', reason: 'It makes pictures small.' }],
        optional: [{ id: 'browser-use', reason: 'It opens pages.' }],
      },
    }),
    diff: {},
  },
};
