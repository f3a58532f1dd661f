import type { Tool } from '@svc/contracts';
import type { JsonValue } from '@svc/signing';
import MarkdownIt from 'markdown-it';
import sanitizeHtml from 'sanitize-html';
import type { ToolHints } from '../calls/pins/pinned-tool.ts';
import type { ReadyFile } from '../files/handed-file.ts';
import { withFiles } from '../files/ready-files.ts';
import type { FileRecipients } from '../library/choice-tables.ts';
import { accountOf, enforcedFootprint, type InstalledApp, serverHostOf } from '../library/installed-app.ts';
import { hashOfJson } from '../platform/json-hash.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import { cardAppOf } from './ask-to-connect.ts';
import type { ApprovalCard, Ask, CardFile, ToolEffect } from './card.ts';

/** The longest text that is drawn, in characters; a card is read by a person. */
const MAX_CHARACTERS = 10_000;

const markdown = new MarkdownIt('commonmark', { html: false, linkify: false, maxNesting: 20 });

/** What a card may hold: text, and links that say where they lead. Nothing of it loads anything. */
const ALLOWED: sanitizeHtml.IOptions = {
  allowedTags: [
    ...['p', 'br', 'hr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'li', 'blockquote'],
    ...['strong', 'em', 'code', 'pre', 'a'],
  ],
  allowedAttributes: { a: ['href', 'rel', 'target'] },
  allowedSchemes: ['https'],
  allowedSchemesAppliedToAttributes: ['href'],
  allowProtocolRelative: false,
  disallowedTagsMode: 'discard',
  transformTags: {
    a: (tagName, { href = '' }) =>
      /^https:\/\/[^\s@]+$/i.test(href)
        ? { tagName, attribs: { href, rel: 'noopener noreferrer nofollow', target: '_blank' } }
        : { tagName: 'span', attribs: {} },
  },
};

/** Markdown of a manifest as HTML that can be shown as it is: no script, no style, no image, links to https alone. */
export const safeHtml = (text: string): string =>
  sanitizeHtml(markdown.render(text.slice(0, MAX_CHARACTERS)), ALLOWED).trim();

const DEFAULT_ACTION = 'Approve';

/** A call that is ready to be sent. */
export type PendingCall = {
  app: InstalledApp;
  tool: Tool;
  arguments: { readonly [key: string]: JsonValue };
  files: readonly ReadyFile[];
  /** What the server says of the tool, as it was accepted. */
  hints?: ToolHints | undefined;
};

/** Unknown effects are changes: MCP's default for `destructiveHint` would make every tool destructive that says nothing. */
const effectOf = ({ hints }: PendingCall): ToolEffect => {
  if (hints?.destructiveHint === true) return 'destroys';
  return hints?.readOnlyHint === true ? 'reads' : 'changes';
};

/** A tool that the user allowed for a chat: its app by id, itself by id, and its name. */
export type AllowedTool = { appId: string; tool: string; name: string };

/** For calls of a model, or of a page of a connector: asks the user before each call. */
export type AskAlways = {
  /** Whether a page makes the call. Default: a model does. */
  isOfPage?: boolean;
  /** Whether the user allowed the tool for the rest of the chat. @param key bound to chat, app, version, server, tool and account */
  isAllowed(key: string): boolean;
  /** Called when the user allows the tool for the rest of the chat. @param tool what it is, for a list of what is allowed */
  allow(key: string, tool: AllowedTool): void;
};

/** Whether the user approved calls of a tool without files beforehand. @param key as `preApprovalKey` returns it */
export type IsPreApproved = (key: string) => boolean;

/** The circumstances of a call that decide whether the user is asked. */
export type Circumstances = {
  project: string;
  chat: string;
  recipients: FileRecipients;
  askAlways?: AskAlways | undefined;
  isPreApproved?: IsPreApproved | undefined;
};

/** Why the user is asked: the app declares it (`confirm`), files leave, or a model makes the call. */
export type Question = 'confirm' | 'files' | 'call';

/** What a call is bound to besides its content. */
const targetOf = ({ app, tool }: Pick<PendingCall, 'app' | 'tool'>) => ({
  app: app.appId,
  version: app.version,
  server: enforcedFootprint(app).mcpUrl,
  tool: tool.id,
  account: accountOf(app, tool),
});

const allowanceOf = (call: PendingCall, chat: string): string => hashOfJson({ ...targetOf(call), chat });

const allowedTool = ({ app, tool }: PendingCall): AllowedTool => ({
  appId: app.appId,
  tool: tool.id,
  name: tool.name,
});

/**
 * Returns what an approval given beforehand is bound to: app, server, account, and all that the manifest says of the tool, so that a
 * change of any of it asks again; null for a tool that takes files, which is never approved beforehand.
 * @returns SHA-256 in hex
 */
export const preApprovalKey = (app: InstalledApp, tool: Tool): string | null => {
  const { version: _, ...target } = targetOf({ app, tool });
  return Object.keys(tool.files ?? {}).length > 0 ? null : hashOfJson({ ...target, declared: tool });
};

/**
 * Decides whether the user is asked about a call, and why; null if not. All callers get the same decision. The user decides on every
 * call of a tool with `confirm` that they did not approve beforehand, on the first file that goes to an app from a project, on every hidden file, key and file outside the
 * project, and on every call of a model that they did not allow for the chat; files of a model's call are never allowed for a chat.
 */
export function questionOf(
  call: PendingCall,
  { project, chat, recipients, askAlways, isPreApproved }: Circumstances,
): Question | null {
  const { app, tool, files } = call;
  if (tool.confirm) {
    const key = isPreApproved ? preApprovalKey(app, tool) : null;
    return key !== null && isPreApproved?.(key) ? null : 'confirm';
  }
  if (files.length > 0) {
    const isKnown = files.every(({ caution }) => caution === null) && recipients.has(app, project);
    return isKnown && !askAlways ? null : 'files';
  }
  return askAlways && !askAlways.isAllowed(allowanceOf(call, chat)) ? 'call' : null;
}

const cardFileOf = ({ name, type, bytes, sha256, was, caution }: ReadyFile): CardFile => ({
  ...{ name, type, bytes: bytes.byteLength, sha256 },
  ...(was && { was }),
  ...(caution !== null && { caution }),
});

/**
 * The hash of a call: app, version, server, tool, account, arguments, and each file as it is sent, with its original if it was converted.
 * @returns SHA-256 of the canonical JSON, in hex
 */
export const bindingOf = (call: PendingCall): string =>
  hashOfJson({
    ...targetOf(call),
    arguments: call.arguments,
    files: call.files.map((file) => ({ param: file.param, ...cardFileOf(file) })),
  });

/** The account whose token is sent. */
function cardAccountOf({ app, tool }: PendingCall): ApprovalCard['account'] {
  const used = accountOf(app, tool);
  const account = app.manifest.accounts?.find(({ id }) => id === used);
  return account ? { id: account.id, label: account.label } : null;
}

type Words = Pick<ApprovalCard, 'title' | 'html' | 'action' | 'wordsOf'>;

const REMEMBERED =
  '<p>After this, the app gets further files of this project without a question, except hidden files, keys, and files outside the project.</p>';
const ofCaller = ({ isOfPage }: AskAlways): string =>
  `<p>${isOfPage ? 'A view of the app' : 'The model'} wants to make this call. The app gets only what is shown here.</p>`;

function wordsOf({ app, tool, files }: PendingCall, question: Question, asks: AskAlways | undefined): Words {
  const { confirm } = tool;
  const name = app.manifest.name;
  if (question === 'confirm' && confirm) {
    const counted = (text: string) => text.replaceAll('{{count}}', String(files.length));
    return {
      title: counted(confirm.title),
      html: safeHtml(counted(confirm.body ?? '')),
      action: counted(confirm.action ?? DEFAULT_ACTION),
    };
  }
  const what = files.length === 1 ? 'this file' : `these ${files.length} files`;
  const isCareful = files.some(({ caution }) => caution !== null);
  return {
    title: question === 'files' ? `Send ${what} to ${name}?` : `Run ${tool.name} in ${name}?`,
    html: asks ? ofCaller(asks) : isCareful ? '' : REMEMBERED,
    action: 'Allow',
    wordsOf: 'client',
  };
}

function approvalCard(call: PendingCall, question: Question, asks: AskAlways | undefined): ApprovalCard {
  const { app, tool, files } = call;
  return {
    kind: 'approval',
    app: cardAppOf(app),
    tool: { id: tool.id, name: tool.name },
    server: serverHostOf(app),
    account: cardAccountOf(call),
    ...wordsOf(call, question, asks),
    arguments: call.arguments,
    files: files.map(cardFileOf),
    effect: effectOf(call),
    ...(question === 'call' && { mayAllowInChat: true }),
    binding: bindingOf(call),
  };
}

/**
 * Has the user approve a call, if a question is needed.
 * @returns the arguments with the files, which are what the card showed
 * @throws RuntimeError `declined` unless the user approved exactly this call
 */
export async function approvedArguments(
  call: PendingCall,
  circumstances: Circumstances,
  ask: Ask,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  const { project, chat, recipients, askAlways } = circumstances;
  const question = questionOf(call, circumstances);
  if (question !== null) {
    const card = approvalCard(call, question, askAlways);
    const answer = await ask(card, signal, (index) => {
      const file = call.files[index];
      return file ? new Uint8Array(file.bytes) : null;
    });
    signal.throwIfAborted();
    if (!answer.accepted || answer.binding !== card.binding) throw new RuntimeError('declined');
    if (question === 'call' && answer.allowInChat)
      askAlways?.allow(allowanceOf(call, chat), allowedTool(call));
    const isCareful = call.files.some(({ caution }) => caution !== null);
    if (question === 'files' && !askAlways && !isCareful) recipients.add(call.app, project);
  } else if (call.files.length > 0) recipients.used?.(call.app, project);
  return withFiles(call.tool, call.arguments, call.files);
}
