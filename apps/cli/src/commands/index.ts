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
    summary: 'explain a code of the checks, and how to fix it',
    load: () => import('./explain.ts'),
  },
  {
    name: 'version',
    summary: 'show or raise the version in plugin.json',
    load: () => import('./version.ts'),
  },
  { name: 'pack', summary: 'pack a folder into a bundle', load: () => import('./pack.ts') },
  {
    name: 'login',
    summary: 'get a token for a store, by approving in a browser',
    load: () => import('./login.ts'),
  },
  {
    name: 'whoami',
    summary: 'show whose token you use, and what it allows',
    load: () => import('./whoami.ts'),
  },
  {
    name: 'logout',
    summary: 'revoke and delete the token that login has kept',
    load: () => import('./logout.ts'),
  },
  { name: 'publish', summary: 'check an app and upload it', load: () => import('./publish.ts') },
  { name: 'status', summary: 'show the state of an uploaded version', load: () => import('./status.ts') },
  {
    name: 'list',
    summary: 'list the published apps of a store, or those of your publishers',
    load: () => import('./list.ts'),
  },
  { name: 'yank', summary: 'withdraw a published version', load: () => import('./yank.ts') },
  {
    name: 'verify',
    summary: 'prove that a bundle is what the store signed',
    load: () => import('./verify.ts'),
  },
  { name: 'info', summary: 'show a published app', load: () => import('./info.ts') },
  {
    name: 'doctor',
    summary: 'check what works on this machine, and say how to fix the rest',
    load: () => import('./doctor.ts'),
  },
  {
    name: 'completion',
    summary: 'print the completion script of a shell',
    load: () => import('./completion.ts'),
  },
  {
    name: 'desktop',
    summary: 'open the desktop client, or the page of the one that runs',
    load: async () => ({ command: (await import('./desktop.ts')).desktop }),
  },
  {
    name: 'dev',
    summary: 'run the folder of an app in its own desktop, with live findings and a log of calls',
    load: async () => ({ command: (await import('./desktop.ts')).dev }),
  },
  {
    name: 'gateway',
    summary: 'serve the tools of installed apps to the coding agent that starts this',
    load: async () => ({ command: (await import('./desktop.ts')).gateway }),
  },
  {
    name: 'connect',
    summary: 'write the gateway into the configuration of a coding agent',
    load: async () => ({ command: (await import('./desktop.ts')).connect }),
  },
];
