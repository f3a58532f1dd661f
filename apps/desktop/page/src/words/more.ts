import type { AgentChoices, AgentView } from '../../../src/wire/views.ts';
import { count } from './count.ts';

/** What is said about activity, other sources of apps, agents and projects. */
export const MORE_WORDS = {
  activity: {
    lead: 'What apps did, for you and for agents, in the last 90 days. What was sent and answered is kept until the desktop ends, with tokens masked.',
    none: 'Nothing yet.',
    filter: 'Show only',
    everything: 'All apps',
    account: (id: string) => `account ${id}`,
    asker: (name: string) => (name === 'desktop' ? 'asked by this page' : `asked by ${name}`),
    detail: 'Detail',
    clear: 'Clear',
    sure: 'Forget all of this?',
    sureOf: (app: string) => `Forget what ${app} did?`,
    older: 'Show older',
  },

  connectors: {
    lead: 'A hosted MCP server, added by its address. Its tools are those that it lists; a sign-in is found out by itself.',
    url: 'Address of the MCP server',
    urlHint: 'Such as https://mcp.example.com/mcp',
    add: 'Add',
    adding: 'Asking the server…',
    none: 'No connector yet.',
    notThere:
      'It cannot be added: a connector is an https address of the internet, and none of this machine or a local network.',
    added: (name: string) => `${name} is added.`,
  },

  localConnector: {
    title: 'On this computer or your network',
    off: 'To add programs of this computer, and servers of it or of your network, start the desktop with --local-connectors.',
    program: 'Program',
    programHint: 'Its full path, or its name, such as npx',
    args: 'Arguments',
    argsHint: 'One on each line',
    folder: 'Starts in',
    folderHint: 'The full path of a folder; your home folder when it is left empty.',
    variables: 'Environment variables that it needs',
    variablesHint:
      'Their names, such as GITHUB_TOKEN, with spaces between. Their values are taken from where the desktop was started.',
    name: 'Name',
    addProgram: 'Add the program',
    address: 'Address',
    addressHint: 'Such as http://localhost:3000/mcp',
    addAddress: 'Add the server',
    adding: 'Waiting for your answer and its first reply…',
    run: (name: string) => `Run ${name} on this computer?`,
    runYes: 'Run it',
    runMeans:
      'It runs as you: it can read and change your files, and use your network. Run only what you know. It runs whenever you or an agent uses the connector.',
    noArguments: 'none',
    environment: 'Environment variables it sees',
    reach: (host: string, place: 'this-machine' | 'local-network') =>
      `Connect to ${host} ${place === 'this-machine' ? 'on this computer' : 'in your network'}?`,
    reachYes: 'Connect',
    reachMeans: 'What its tools are called with is sent there, and to no other address.',
    notEncrypted: (place: 'this-machine' | 'local-network') =>
      place === 'this-machine'
        ? 'Not encrypted. Other programs of this computer may answer there in its place.'
        : 'Not encrypted: others in the network can read and change what is sent.',
    leadsTo: 'Leads to',
    where: 'Where',
    place: { 'this-machine': 'on this computer', 'local-network': 'in your local network' },
  },

  content: {
    notConnector: 'Only connectors have resources and prompts.',
    resources: 'Resources',
    noResources: 'It lists no resources.',
    more: 'It has more than are shown.',
    read: 'Read',
    readOne: (name: string) => `Read ${name}`,
    uri: 'Address of a resource',
    templates: 'More can be read by address:',
    prompts: 'Prompts',
    noPrompts: 'It lists no prompts.',
    fill: 'Get the prompt',
    fillOne: (name: string) => `Get the prompt ${name}`,
    role: { user: 'You', assistant: 'Assistant' },
    download: (name: string) => `Download ${name}`,
  },

  dev: {
    lead: 'A folder with an app under development runs as it is, and is read again whenever a file in it changes.',
    folder: 'Folder on this computer',
    folderHint: 'Its full path; it holds a plugin.json.',
    open: 'Open',
    none: 'No folder is open.',
    reload: 'Read again',
    close: 'Close',
    clean: 'Nothing to fix.',
    findings: (errors: number, warnings: number) =>
      `${count(errors, 'error')}, ${count(warnings, 'warning')}`,
    level: { error: 'Error', warning: 'Warning' },
    app: 'Open the app',
  },

  agents: {
    lead: 'Coding agents on this computer that may use the tools of your apps. You see what changes in their configuration before it is written.',
    address: 'Gateway',
    state: {
      connected: 'connected',
      'not-connected': 'not connected',
      unreadable: 'its configuration cannot be read',
    } satisfies Record<AgentView['state'], string>,
    connect: (name: string) => `Connect ${name}`,
    disconnect: (name: string) => `Disconnect ${name}`,
    change: (file: string) => `This changes in ${file}`,
    newFile: (file: string) => `${file} is made`,
    unchanged: 'Nothing changes.',
    write: 'Write it',
    hidden: (n: number) => `${count(n, 'line')} unchanged`,
    added: 'added',
    removed: 'removed',
  },

  agentSettings: {
    title: 'How agents work here',
    approvals: 'Approvals',
    approvalsIn: { agent: 'In the agent’s dialog, if it has one', page: 'Always on this page' },
    tools: 'Tools',
    toolsAre: { auto: 'Listed, from 60 on searched', all: 'Always listed', search: 'Always searched' },
    asAll: 'As for all agents',
    hint: 'What you choose counts at once. Consent to updates and saving into a project are asked on this page in any case.',
    started: (place: AgentChoices['approvals']) =>
      `This desktop was started with approvals ${place === 'page' ? 'on this page' : 'in agents’ dialogs'} (--approvals or SVC_APPROVALS). That holds until it ends; what you choose here counts from the next start on.`,
    rewrite: 'Keep it so: ask always on this page',
    forOne: 'For one agent',
    forOneHint:
      'An agent says itself what it is called, so approvals of one can only be stricter than those of all. A gateway started with --tools goes by that.',
  },

  projects: {
    lead: 'Apps are switched on and off for each project, and save files into its folder.',
    list: 'Projects',
    none: 'No project yet.',
    name: 'Name',
    folder: 'Folder',
    folderHint: 'Its full path on this computer; may be left empty. Agents may hand files out of it.',
    noFolder: 'without a folder',
    add: 'Add the project',
    remove: 'Remove',
    sure: 'The folder stays as it is. Remove the project?',
    allowed: 'Allowed folders',
    allowedHint: 'Besides those of projects, agents may hand files out of these folders.',
    noAllowed: 'None.',
    allow: 'Allow the folder',
    disallow: 'Disallow',
    about: 'This desktop',
    facts: { version: 'Version', store: 'Store', folder: 'Keeps its data in' },
  },
};
