import type { CommandRow } from '../command-record.ts';

/** Every command, in the order of the help. */
export const COMMANDS: readonly CommandRow[] = [
  { name: 'init', summary: 'create the folder of a new app', load: () => import('./init.ts') },
  {
    name: 'validate',
    summary: 'check folders, plugin.json files or bundles',
    load: () => import('./validate.ts'),
  },
  {
    name: 'explain',
    summary: 'explain the code of a finding, and how to fix it',
    load: () => import('./explain.ts'),
  },
  {
    name: 'version',
    summary: 'show or increase the version in plugin.json',
    load: () => import('./version.ts'),
  },
  { name: 'pack', summary: 'pack a folder into a bundle', load: () => import('./pack.ts') },
  {
    name: 'login',
    summary: 'log in to a store, in a browser',
    load: () => import('./login.ts'),
  },
  {
    name: 'whoami',
    summary: 'show the account and the scopes of your token',
    load: () => import('./whoami.ts'),
  },
  {
    name: 'logout',
    summary: 'log out: revoke and delete the token from login',
    load: () => import('./logout.ts'),
  },
  { name: 'publish', summary: 'check an app and upload it', load: () => import('./publish.ts') },
  { name: 'status', summary: 'show the state of an uploaded version', load: () => import('./status.ts') },
  {
    name: 'list',
    summary: 'list or search the published apps of a store',
    load: () => import('./list.ts'),
  },
  {
    name: 'yank',
    summary: 'yank a published version, so that clients disable it',
    load: () => import('./yank.ts'),
  },
  {
    name: 'retract',
    summary: 'take back a version in review',
    load: () => import('./retract.ts'),
  },
  {
    name: 'report',
    summary: 'report an app to the moderators of a store',
    load: () => import('./report.ts'),
  },
  {
    name: 'emergency',
    summary: 'stop a publisher or an app in one act, for operators of a store',
    load: () => import('./emergency.ts'),
  },
  {
    name: 'verify',
    summary: 'verify the signature of a bundle',
    load: () => import('./verify.ts'),
  },
  { name: 'info', summary: 'show a published app', load: () => import('./info.ts') },
  {
    name: 'doctor',
    summary: 'check the setup of this machine, and suggest fixes',
    load: () => import('./doctor.ts'),
  },
  {
    name: 'completion',
    summary: 'print the completion script of a shell',
    load: () => import('./completion.ts'),
  },
  {
    name: 'desktop',
    summary: 'open the desktop client',
    load: async () => ({ command: (await import('./desktop.ts')).desktop }),
  },
  {
    name: 'install',
    summary: 'open the install sheet of an app in the desktop client',
    load: async () => ({ command: (await import('./desktop.ts')).install }),
  },
  {
    name: 'updates',
    summary: 'show what the servers of installed apps changed, and accept or reject it',
    load: async () => ({ command: (await import('./desktop.ts')).updates }),
  },
  {
    name: 'links',
    summary: 'let web pages open apps in the desktop client, or no longer',
    load: async () => ({ command: (await import('./desktop.ts')).links }),
  },
  {
    name: 'dev',
    summary: 'run an app from its folder, with live checks and a log of calls',
    load: async () => ({ command: (await import('./desktop.ts')).dev }),
  },
  {
    name: 'gateway',
    summary: 'serve the tools of installed apps to a coding agent, over MCP',
    load: async () => ({ command: (await import('./desktop.ts')).gateway }),
  },
  {
    name: 'connect',
    summary: 'add the gateway to the configuration of a coding agent',
    load: async () => ({ command: (await import('./desktop.ts')).connect }),
  },
];
