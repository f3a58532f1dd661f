import type { PermissionDiff } from '@svc/contracts';
import { createColors } from 'picocolors';
import type { Terminal } from '../io/terminal.ts';
import { escapeText } from './escape.ts';

type ListKey = {
  [K in keyof PermissionDiff]: PermissionDiff[K] extends string[] ? K : never;
}[keyof PermissionDiff];

/** The lists of a difference, in the order of their weight, with what each means for the user of the app. */
const LINES: Readonly<Record<ListKey, { sign: '+' | '-' | '~'; what: string }>> = {
  grantsAdded: { sign: '+', what: 'grant' },
  domainsAdded: { sign: '+', what: 'domain' },
  accountsAdded: { sign: '+', what: 'account or scope' },
  fileParamsAdded: { sign: '+', what: 'file argument' },
  requiresAdded: { sign: '+', what: 'required app or connector' },
  confirmRemoved: { sign: '-', what: 'approval card of the tool' },
  authEndpointsChanged: { sign: '~', what: 'sign-in addresses of the account' },
  toolAccountsChanged: { sign: '~', what: 'account that the tool carries' },
  fileLimitsRaised: { sign: '~', what: 'higher file limit' },
  toolsAdded: { sign: '+', what: 'tool' },
  toolsChanged: { sign: '~', what: 'tool' },
  toolsRemoved: { sign: '-', what: 'tool' },
  grantsRemoved: { sign: '-', what: 'grant' },
  domainsRemoved: { sign: '-', what: 'domain' },
  accountsRemoved: { sign: '-', what: 'account or scope' },
  fileParamsRemoved: { sign: '-', what: 'file argument' },
  requiresRemoved: { sign: '-', what: 'required app or connector' },
};

/** The difference of two versions, one thing a line: `+` came, `-` went, `~` changed. */
export function diffLines(terminal: Terminal, diff: PermissionDiff): string {
  const { green, red, yellow } = createColors(terminal.colour);
  const paint = { '+': green, '-': red, '~': yellow };
  const lines = Object.entries(LINES).flatMap(([key, { sign, what }]) =>
    diff[key as ListKey].map((value) => `    ${paint[sign](sign)} ${what}: ${escapeText(value)}\n`),
  );
  if (diff.mcpUrlChanged) lines.unshift(`    ${paint['~']('~')} address of the MCP server\n`);
  return lines.join('');
}
