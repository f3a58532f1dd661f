import type { ActivityEntry, AgentChoices, AgentView } from '../../../src/wire/views.ts';
import { count } from './count.ts';

/** Texts about activity, connectors, folders, agents and projects. */
export const MORE_WORDS = {
  activity: {
    lead: 'What apps did for you and for agents in the last 90 days. Call details are kept until svc desktop quits, with tokens masked.',
    none: 'No activity yet.',
    noneMatch: 'No activity matches these filters.',
    clearFilters: 'Clear filters',
    filters: { app: 'App', kind: 'Kind', outcome: 'Outcome' },
    all: { app: 'All apps', kind: 'All kinds', outcome: 'All outcomes' },
    kinds: { tool: 'Tool calls', account: 'Accounts', server: 'Servers' } satisfies Record<
      ActivityEntry['kind'],
      string
    >,
    outcomes: {
      answered: 'done',
      failed: 'failed',
      ended: 'stopped',
      connected: 'connected',
      disconnected: 'disconnected',
      repaired: 'malformed answer of the server',
      dropped: 'disconnected by an update or removal',
    } as Readonly<Record<string, string>>,
    today: 'Today',
    yesterday: 'Yesterday',
    account: (label: string) => `Account ${label}`,
    asker: (name: string) => (name === 'desktop' ? 'requested by this page' : `requested by ${name}`),
    detail: 'Details',
    clear: 'Clear all activity',
    clearOf: (app: string) => `Clear activity of ${app}`,
    sure: 'Clear all activity? This cannot be undone.',
    sureOf: (app: string) => `Clear all activity of ${app}? This cannot be undone.`,
    older: 'Show older',
  },

  connectors: {
    lead: 'Add a hosted MCP server by its URL. svc lists its tools, and opens the sign-in page if the server requires one.',
    url: 'MCP server URL',
    urlHint: 'For example https://mcp.example.com/mcp',
    add: 'Add',
    adding: 'Connecting…',
    none: 'No connectors yet.',
    addressRefused:
      'This URL cannot be added. Enter an https URL on the internet, not on this computer or a local network.',
    added: (name: string) => `${name} was added.`,
  },

  paste: {
    title: 'Add from another client',
    label: 'Its mcpServers JSON',
    placeholder: '{ "mcpServers": { "notes": { "url": "https://mcp.example.com" } } }',
    invalid: 'This is not the JSON of MCP servers.',
    addOne: (name: string) => `Add ${name}`,
    states: { new: 'Add', adding: 'Adding…', added: 'Added' },
    left: {
      values:
        'The values of its environment variables are not taken over. Start svc desktop with these variables set.',
      headers:
        'Its headers are not taken over. The server is added without them, and asks to sign in if it needs to.',
    },
  },

  localConnector: {
    title: 'On this computer or your network',
    off: 'Programs on this computer and servers on your network are not allowed yet. Allow them below.',
    warning:
      'A program of a connector runs as you: it can read and change your files and use your network. Each is asked on a card first.',
    allow: 'Allow programs and local servers',
    forbid: 'No longer allow them',
    atNextStart: 'Saved. It applies from the next start of svc desktop.',
    program: 'Program',
    programHint: 'Full path or name, such as npx',
    args: 'Arguments',
    argsHint: 'One per line',
    folder: 'Working folder',
    folderHint: 'Full path. Leave empty for your home folder.',
    variables: 'Environment variables',
    variablesHint:
      'Names separated by spaces, such as GITHUB_TOKEN. The values are those svc desktop was started with.',
    name: 'Name',
    addProgram: 'Add program',
    address: 'Address',
    addressHint: 'For example http://localhost:3000/mcp',
    addAddress: 'Add server',
    adding: 'Waiting for your approval and the server…',
    run: (name: string) => `Run ${name} on this computer?`,
    runYes: 'Run',
    runMeans:
      'The program runs as you: it can read and change your files and use your network. Run only programs you trust. It starts each time you or an agent uses this connector.',
    noArguments: 'none',
    environment: 'Environment variables it receives',
    connect: (host: string, place: 'this-machine' | 'local-network') =>
      `Connect to ${host} ${place === 'this-machine' ? 'on this computer' : 'on your network'}?`,
    connectYes: 'Connect',
    connectMeans: 'Tool calls are sent to this address and to no other.',
    notEncrypted: (place: 'this-machine' | 'local-network') =>
      place === 'this-machine'
        ? 'Not encrypted. Another program on this computer could answer at this address.'
        : 'Not encrypted. Other devices on the network can read and change what is sent.',
    resolvesTo: 'Resolves to',
    location: 'Location',
    place: { 'this-machine': 'on this computer', 'local-network': 'on your local network' },
  },

  content: {
    notConnector: 'Only connectors have resources and prompts.',
    resources: 'Resources',
    noResources: 'No resources.',
    more: 'Not all entries are shown.',
    read: 'Read',
    readOne: (name: string) => `Read ${name}`,
    uri: 'Resource URI',
    templates: 'Resource templates, read by URI:',
    prompts: 'Prompts',
    noPrompts: 'No prompts.',
    fill: 'Get prompt',
    fillOne: (name: string) => `Get prompt ${name}`,
    role: { user: 'You', assistant: 'Assistant' },
    download: (name: string) => `Download ${name}`,
  },

  dev: {
    lead: 'Run an app from its folder while you develop it. It reloads when a file changes.',
    folder: 'Folder on this computer',
    folderHint: 'Full path of the folder that contains plugin.json.',
    open: 'Open',
    none: 'No folders open.',
    reload: 'Reload',
    close: 'Close',
    clean: 'No problems found.',
    findings: (errors: number, warnings: number) =>
      `${count(errors, 'error')}, ${count(warnings, 'warning')}`,
    level: { error: 'Error', warning: 'Warning' },
    app: 'Open app',
  },

  agents: {
    lead: 'Let coding agents on this computer use the tools of your apps. You review each change to their configuration before it is written.',
    toApprovals: 'Approval settings',
    configured: 'Coding agents on this computer',
    address: 'Gateway URL',
    others: 'Agents not found here',
    anyOther:
      'For any other program, the command "svc connect --print" shows what to add to its configuration.',
    state: {
      connected: 'set up',
      'not-connected': 'not set up',
      unreadable: 'configuration cannot be read',
    } satisfies Record<AgentView['state'], string>,
    connect: (name: string) => `Connect ${name}`,
    disconnect: (name: string) => `Disconnect ${name}`,
    change: (file: string) => `Changes to ${file}`,
    newFile: (file: string) => `${file} will be created`,
    unchanged: 'No changes.',
    write: 'Write changes',
    hidden: (n: number) => count(n, 'unchanged line'),
    added: 'added',
    removed: 'removed',
  },

  agentSessions: {
    title: 'Connected now',
    hint: 'Agents report their own names; svc does not verify them. Ending a session stops its calls, but the agent can connect again. To prevent that, disconnect it below.',
    none: 'No agents connected.',
    connected: 'connected',
    since: 'Connected since',
    noCall: 'No tool calls yet.',
    lastCall: (app: string, tool: string) => `Last call: ${app}, ${tool},`,
    calls: (n: number) => `${count(n, 'call')} in total`,
    notYet: 'It has not listed tools yet.',
    tools: (tools: number, apps: number, project: string) =>
      `Can use ${count(tools, 'tool')} of ${count(apps, 'app')} in ${project}`,
    searched: 'The agent searches these tools instead of listing them all.',
    notListed: 'tools not listed yet',
    end: (agent: string) => `End session of ${agent}`,
    sure: 'End this session?',
    endAll: 'End all sessions',
    sureAll: 'End all sessions?',
    cost: (tokens: number) => `Its list of tools takes about ${count(tokens, 'token')} of each conversation.`,
  },

  agentSettings: {
    title: 'Agents',
    approvals: 'Approvals',
    approvalsIn: { agent: 'In the agent’s dialog, if it has one', page: 'Always on this page' },
    tools: 'Tools',
    toolsAre: {
      auto: 'List few, search many',
      all: 'Always list',
      search: 'Always search',
    },
    asAll: 'Same as for all agents',
    searchFrom: 'Search from this number of tools',
    askAboutTools: 'Ask before an update that adds tools, or changes their names or descriptions',
    hint: 'Changes apply immediately. Updates that need your consent, and files saved to a project, always ask on this page.',
    started: (place: AgentChoices['approvals']) =>
      `svc desktop was started with approvals ${place === 'page' ? 'on this page' : 'in agents’ dialogs'} (--approvals or SVC_APPROVALS). Your choice here applies from the next start.`,
    rewrite: 'Reset and always ask on this page',
    forOne: 'Settings per agent',
    forOneHint:
      'Agents report their own names, so approvals for one agent can only be stricter than those for all. A gateway started with --tools ignores the tool setting here.',
  },

  projects: {
    lead: 'You switch apps on and off per project. They save files to its folder.',
    list: 'Projects',
    none: 'No projects yet.',
    name: 'Name',
    folder: 'Folder',
    folderHint: 'Optional. Full path on this computer. Agents can pass files from it to apps.',
    noFolder: 'no folder',
    add: 'Add project',
    remove: 'Remove',
    sure: 'Remove this project? Its folder is not changed.',
    allowed: 'Allowed folders',
    allowedHint: 'In addition to project folders, agents can pass files from these folders to apps.',
    noAllowed: 'None.',
    allow: 'Allow folder',
    disallow: 'Disallow',
  },
};
