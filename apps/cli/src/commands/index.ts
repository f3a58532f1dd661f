import type { CommandRow } from '../command-record.ts';

const row = (name: string, summary: string, load: CommandRow['load']): CommandRow => ({
  name,
  summary,
  load,
});

/** A command that the program of the desktop client runs. */
const ofDesktop = (name: keyof typeof import('./desktop.ts'), summary: string): CommandRow =>
  row(name, summary, async () => ({ command: (await import('./desktop.ts'))[name] }));

/** Every command, in the order of the help. */
export const COMMANDS: readonly CommandRow[] = [
  row('init', 'create the folder of a new app', () => import('./init.ts')),
  row('validate', 'check folders, plugin.json files or bundles', () => import('./validate.ts')),
  row('explain', 'explain the code of a finding, and how to fix it', () => import('./explain.ts')),
  row('version', 'show or increase the version in plugin.json', () => import('./version.ts')),
  row('pack', 'pack a folder into a bundle', () => import('./pack.ts')),
  row('login', 'log in to a store, in a browser', () => import('./login.ts')),
  row('whoami', 'show the account and the scopes of your token', () => import('./whoami.ts')),
  row('logout', 'log out: revoke and delete the token from login', () => import('./logout.ts')),
  row('publish', 'check an app and upload it', () => import('./publish.ts')),
  row('status', 'show the state of an uploaded version', () => import('./status.ts')),
  row('list', 'list or search the published apps of a store', () => import('./list.ts')),
  row('yank', 'yank a published version, so that clients disable it', () => import('./yank.ts')),
  row('retract', 'take back a version in review', () => import('./retract.ts')),
  row('report', 'report an app to the moderators of a store', () => import('./report.ts')),
  row(
    'emergency',
    'stop a publisher or an app in one act, for operators of a store',
    () => import('./emergency.ts'),
  ),
  row('verify', 'verify the signature of a bundle', () => import('./verify.ts')),
  row('log', 'verify the log of a store, and watch an app or a publisher', () => import('./log.ts')),
  row('info', 'show a published app', () => import('./info.ts')),
  row('doctor', 'check the setup of this machine, and suggest fixes', () => import('./doctor.ts')),
  row('completion', 'print the completion script of a shell', () => import('./completion.ts')),
  ofDesktop('desktop', 'open the desktop client'),
  ofDesktop('install', 'open the install sheet of an app in the desktop client'),
  ofDesktop('updates', 'show what the servers of installed apps changed, and accept or reject it'),
  ofDesktop('links', 'let web pages open apps in the desktop client, or no longer'),
  ofDesktop('dev', 'run an app from its folder, with live checks and a log of calls'),
  ofDesktop('gateway', 'serve the tools of installed apps to a coding agent, over MCP'),
  ofDesktop('connect', 'add the gateway to the configuration of a coding agent'),
];
