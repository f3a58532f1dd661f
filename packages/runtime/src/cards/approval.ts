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

/** What is about to be sent to a tool. */
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
 * The hash of all that a call does: app, version, server, tool, arguments, and each file as it is sent, with what it was before it
 * was prepared.
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

/** The account whose token a call carries, as the manifest names it. */
function accountOf({ app, tool }: PendingCall): ApprovalCard['account'] {
  const account = app.manifest.accounts?.find(({ id }) => id === tool.account);
  return account ? { id: account.id, label: account.label } : null;
}

/** The card of a tool that asks before it runs; null for one that does not. */
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
 * Has a person approve what is about to be sent, where its tool asks for that.
 * @throws RuntimeError `declined` without a yes to exactly this
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
