import {
  COMMON,
  type DiffCase,
  LIST,
  less,
  MAIL,
  mail,
  more,
  SEND,
  send,
  sendWithoutCard,
  steers,
  tools,
  update,
} from './diff-parts.ts';

/** Updates whose tools get more: files, accounts, arguments, names, and apps beside theirs. */
export const TOOLS_WIDENING: Record<string, DiffCase> = {
  'file-argument': {
    why: 'a file argument more',
    after: send({ files: { body: { maxBytes: 100 }, copy: { maxBytes: 1 } } }),
    diff: { fileParamsAdded: ['send.copy'], toolsChanged: ['send'] },
    widensBy: ['fileParamsAdded'],
    changes: [
      more('/contributes/tools/send/files/copy', null, 'copy'),
      more('/contributes/tools/send/files/copy/maxBytes', null, 1),
    ],
  },
  'file-argument-of-other-tool': {
    why: 'another tool takes the file',
    after: tools({ ...SEND, files: {} }, { ...LIST, files: { body: { maxBytes: 100 } } }),
    diff: {
      fileParamsAdded: ['list.body'],
      fileParamsRemoved: ['send.body'],
      toolsChanged: ['list', 'send'],
    },
    widensBy: ['fileParamsAdded'],
    changes: [
      more('/contributes/tools/list/files/body', null, 'body'),
      more('/contributes/tools/list/files/body/maxBytes', null, 100),
      less('/contributes/tools/send/files/body', 'body', null),
      less('/contributes/tools/send/files/body/maxBytes', 100, null),
    ],
  },
  'larger-files': {
    why: 'files may be larger by a byte',
    after: send({ files: { body: { maxBytes: 101 } } }),
    diff: { fileLimitsRaised: ['send.body'], toolsChanged: ['send'] },
    widensBy: ['fileLimitsRaised'],
    changes: [more('/contributes/tools/send/files/body/maxBytes', 100, 101)],
  },
  'file-limit-left-out': {
    why: 'without a limit files may have 20,971,520 bytes',
    after: send({ files: { body: {} } }),
    diff: { fileLimitsRaised: ['send.body'], toolsChanged: ['send'] },
    widensBy: ['fileLimitsRaised'],
    changes: [more('/contributes/tools/send/files/body/maxBytes', 100, 20971520)],
  },
  'many-files': {
    why: 'many files in the place of one',
    after: send({ files: { body: { maxBytes: 100, multiple: true } } }),
    diff: { fileLimitsRaised: ['send.body'], toolsChanged: ['send'] },
    widensBy: ['fileLimitsRaised'],
    changes: [more('/contributes/tools/send/files/body/multiple', null, true)],
  },
  'more-and-smaller-files': {
    why: 'many files, each smaller than the one',
    after: send({ files: { body: { maxBytes: 1, multiple: true } } }),
    diff: { fileLimitsRaised: ['send.body'], toolsChanged: ['send'] },
    widensBy: ['fileLimitsRaised'],
    changes: [
      less('/contributes/tools/send/files/body/maxBytes', 100, 1),
      more('/contributes/tools/send/files/body/multiple', null, true),
    ],
  },
  'card-lost': {
    why: 'a tool asks nobody any more',
    after: tools(sendWithoutCard, LIST),
    diff: { confirmRemoved: ['send'], toolsChanged: ['send'] },
    widensBy: ['confirmRemoved'],
    changes: [more('/contributes/tools/send/confirm', true, null)],
  },
  'account-of-tool': {
    why: 'a tool starts to carry an account',
    after: tools(SEND, { ...LIST, account: 'mail' }),
    diff: { toolAccountsChanged: ['list'], toolsChanged: ['list'] },
    widensBy: ['toolAccountsChanged'],
    changes: [more('/contributes/tools/list/account', null, 'mail')],
  },
  'tool-with-account': {
    why: 'a new tool that carries an account',
    after: tools(SEND, LIST, { ...LIST, id: 'constructor', account: 'mail' }),
    diff: { toolsAdded: ['constructor'] },
    widensBy: ['toolsAdded'],
    changes: [
      more('/contributes/tools/constructor/account', null, 'mail'),
      steers('/contributes/tools/constructor', null, 'constructor'),
      steers('/contributes/tools/constructor/description', null, 'Lists letters.'),
      steers('/contributes/tools/constructor/name', null, 'List'),
    ],
  },
  'tool-renamed': {
    why: 'a tool with an account under another id is a new one, and so is its file',
    after: tools({ ...SEND, id: 'post' }, LIST),
    diff: {
      fileParamsAdded: ['post.body'],
      fileParamsRemoved: ['send.body'],
      toolsAdded: ['post'],
      toolsRemoved: ['send'],
    },
    widensBy: ['fileParamsAdded', 'toolsAdded'],
    changes: [
      more('/contributes/tools/post/account', null, 'mail'),
      less('/contributes/tools/post/confirm', null, true),
      more('/contributes/tools/post/files/body', null, 'body'),
      more('/contributes/tools/post/files/body/maxBytes', null, 100),
      less('/contributes/tools/send/account', 'mail', null),
      less('/contributes/tools/send/confirm', true, null),
      less('/contributes/tools/send/files/body', 'body', null),
      less('/contributes/tools/send/files/body/maxBytes', 100, null),
      steers('/contributes/tools/post', null, 'post'),
      steers('/contributes/tools/post/description', null, 'Sends a letter.'),
      steers('/contributes/tools/post/name', null, 'Send'),
      steers('/contributes/tools/send', 'send', null),
    ],
  },
  'required-app': {
    why: 'a required app more',
    after: update({
      requires: {
        apps: [
          { id: 'media', reason: 'It makes pictures small.' },
          { id: 'browser-use', reason: 'It opens pages.' },
        ],
      },
    }),
    diff: { requiresAdded: ['browser-use'] },
    widensBy: ['requiresAdded'],
    changes: [more('/requires/apps/browser-use', null, 'browser-use')],
  },
  connector: {
    why: 'a connector, though only as a fallback',
    after: update({
      requires: {
        apps: [{ id: 'media', reason: 'It makes pictures small.' }],
        connectors: [{ url: 'https://connector.example/mcp', reason: 'It finds.' }],
      },
    }),
    diff: { requiresAdded: ['https://connector.example/mcp'] },
    widensBy: ['requiresAdded'],
    changes: [
      more('/requires/connectors/https:~1~1connector.example~1mcp', null, 'https://connector.example/mcp'),
    ],
  },
  'connector-required': {
    why: 'a fallback connector becomes required',
    before: {
      ...COMMON,
      requires: { connectors: [{ url: 'https://connector.example/mcp', reason: 'It finds.' }] },
    },
    after: update({
      requires: {
        connectors: [{ url: 'https://connector.example/mcp', reason: 'It finds.', required: true }],
      },
    }),
    diff: {},
    changes: [more('/requires/connectors/https:~1~1connector.example~1mcp/required', null, true)],
  },
  'param-added': {
    why: 'a parameter of the sign-in more',
    after: mail({ params: { audience: 'https://evil.example' } }),
    diff: {},
    changes: [more('/accounts/mail/params/audience', null, 'https://evil.example')],
  },
  'param-changed': {
    why: 'another value of a parameter of the sign-in',
    before: { ...COMMON, accounts: [{ ...MAIL, params: { audience: 'a' } }] },
    after: mail({ params: { audience: 'b' } }),
    diff: {},
    changes: [more('/accounts/mail/params/audience', 'a', 'b')],
  },
  'param-removed': {
    why: 'a parameter that narrowed the sign-in is gone',
    before: { ...COMMON, accounts: [{ ...MAIL, params: { access_type: 'online' } }] },
    after: mail({}),
    diff: {},
    changes: [more('/accounts/mail/params/access_type', 'online', null)],
  },
  'confirmed-tool-renamed': {
    why: 'a tool with a card gives way to one without, under another id',
    before: { ...COMMON, contributes: { tools: [{ ...LIST, confirm: { title: 'List them?' } }] } },
    after: tools({ ...LIST, id: 'show' }),
    diff: { confirmRemoved: ['list'], toolsAdded: ['show'], toolsRemoved: ['list'] },
    widensBy: ['confirmRemoved'],
    changes: [
      more('/contributes/tools/list/confirm', true, null),
      steers('/contributes/tools/list', 'list', null),
      steers('/contributes/tools/show', null, 'show'),
      steers('/contributes/tools/show/description', null, 'Lists letters.'),
      steers('/contributes/tools/show/name', null, 'List'),
    ],
  },
  'confirmed-tool-replaced': {
    why: 'a tool with a card goes, and one without takes on its description',
    before: {
      ...COMMON,
      contributes: {
        tools: [
          { id: 'clear', name: 'Clear', description: 'Removes all.', confirm: { title: 'Sure?' } },
          LIST,
        ],
      },
    },
    after: tools({ ...LIST, description: 'Removes all.' }),
    diff: { confirmRemoved: ['clear'], toolsChanged: ['list'], toolsRemoved: ['clear'] },
    widensBy: ['confirmRemoved'],
    changes: [
      more('/contributes/tools/clear/confirm', true, null),
      steers('/contributes/tools/clear', 'clear', null),
      steers('/contributes/tools/list/description', 'Lists letters.', 'Removes all.'),
    ],
  },
  'accept-dropped': {
    why: 'any type of file in the place of pictures',
    before: {
      ...COMMON,
      contributes: { tools: [{ ...SEND, files: { body: { accept: ['image/*'], maxBytes: 100 } } }, LIST] },
    },
    after: send({}),
    diff: { toolsChanged: ['send'] },
    changes: [more('/contributes/tools/send/files/body/accept', ['image/*'], null)],
  },
  'accept-wider': {
    why: 'all pictures in the place of one type',
    before: {
      ...COMMON,
      contributes: { tools: [{ ...SEND, files: { body: { accept: ['image/png'], maxBytes: 100 } } }, LIST] },
    },
    after: send({ files: { body: { accept: ['image/*'], maxBytes: 100 } } }),
    diff: { toolsChanged: ['send'] },
    changes: [more('/contributes/tools/send/files/body/accept', ['image/png'], ['image/*'])],
  },
  'prepare-dropped': {
    why: 'pictures are no longer made small before they are handed over',
    before: {
      ...COMMON,
      contributes: {
        tools: [{ ...SEND, files: { body: { maxBytes: 100, prepare: { op: 'resize', width: 64 } } } }, LIST],
      },
    },
    after: send({}),
    diff: { toolsChanged: ['send'] },
    changes: [more('/contributes/tools/send/files/body/prepare', { op: 'resize', width: 64 }, null)],
  },
  'prepare-changed': {
    why: 'pictures are made less small',
    before: {
      ...COMMON,
      contributes: {
        tools: [{ ...SEND, files: { body: { maxBytes: 100, prepare: { op: 'resize', width: 64 } } } }, LIST],
      },
    },
    after: send({ files: { body: { maxBytes: 100, prepare: { op: 'resize', width: 4096 } } } }),
    diff: { toolsChanged: ['send'] },
    changes: [
      more(
        '/contributes/tools/send/files/body/prepare',
        { op: 'resize', width: 64 },
        { op: 'resize', width: 4096 },
      ),
    ],
  },
  'provider-added': {
    why: 'one more chat provider gets the tools',
    before: { ...COMMON, requires: { ...COMMON.requires, providers: ['svc-chat'] } },
    after: update({ requires: { ...COMMON.requires, providers: ['codex', 'svc-chat'] } }),
    diff: {},
    changes: [more('/requires/providers', ['svc-chat'], ['codex', 'svc-chat'])],
  },
  'providers-dropped': {
    why: 'all chat providers get the tools',
    before: { ...COMMON, requires: { ...COMMON.requires, providers: ['svc-chat'] } },
    after: update({}),
    diff: {},
    changes: [more('/requires/providers', ['svc-chat'], null)],
  },
};
