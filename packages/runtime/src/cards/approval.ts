import { createHash } from 'node:crypto';
import type { Tool } from '@svc/contracts';
import { canonicalJson, type JsonValue } from '@svc/signing';
import type { ReadyFile } from '../files/handed-file.ts';
import { enforcedFootprint, type InstalledApp } from '../library/installed-app.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { ApprovalCard, Ask, CardFile } from './card.ts';
import { cardAppOf } from './card-app.ts';
import { safeHtml } from './markdown.ts';

const DEFAULT_ACTION = 'Approve';

/** A call that is ready to be sent. */
export type PendingCall = {
  app: InstalledApp;
  tool: Tool;
  arguments: { readonly [key: string]: JsonValue };
  files: readonly ReadyFile[];
};

const cardFileOf = ({ name, type, bytes, sha256, was }: ReadyFile): CardFile => ({
  ...{ name, type, bytes: bytes.byteLength, sha256 },
  ...(was && { was }),
});

/**
 * The hash of a call: app, version, server, tool, arguments, and each file as it is sent, with its original if it was converted.
 * @returns SHA-256 of the canonical JSON, in hex
 */
function bindingOf({ app, tool, arguments: args, files }: PendingCall): string {
  const bound = {
    app: app.appId,
    version: app.version,
    server: enforcedFootprint(app).mcpUrl,
    tool: tool.id,
    arguments: args,
    files: files.map((file) => ({ param: file.param, ...cardFileOf(file) })),
  };
  return createHash('sha256').update(canonicalJson(bound)).digest('hex');
}

/** The account whose token is sent. */
function accountOf({ app, tool }: PendingCall): ApprovalCard['account'] {
  const account = app.manifest.accounts?.find(({ id }) => id === tool.account);
  return account ? { id: account.id, label: account.label } : null;
}

/** The approval card of a tool with `confirm`; null for other tools. */
function approvalCard(intent: PendingCall): ApprovalCard | null {
  const { app, tool, files } = intent;
  const { confirm } = tool;
  if (!confirm) return null;
  const counted = (text: string) => text.replaceAll('{{count}}', String(files.length));
  return {
    kind: 'approval',
    app: cardAppOf(app),
    tool: { id: tool.id, name: tool.name },
    server: URL.parse(enforcedFootprint(app).mcpUrl)?.host ?? '',
    account: accountOf(intent),
    title: counted(confirm.title),
    html: safeHtml(counted(confirm.body ?? '')),
    action: counted(confirm.action ?? DEFAULT_ACTION),
    arguments: intent.arguments,
    files: files.map(cardFileOf),
    binding: bindingOf(intent),
  };
}

/**
 * Requires the user's approval of a call, if its tool declares `confirm`.
 * @throws RuntimeError `declined` unless the user approved exactly this call
 */
export async function requireApproval(intent: PendingCall, ask: Ask, signal: AbortSignal): Promise<void> {
  const card = approvalCard(intent);
  if (!card) return;
  const answer = await ask(card, signal, (index) => {
    const file = intent.files[index];
    return file ? new Uint8Array(file.bytes) : null;
  });
  signal.throwIfAborted();
  if (!answer.accepted || answer.binding !== card.binding) throw new RuntimeError('declined');
}
