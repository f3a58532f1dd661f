import type { Progress } from '@modelcontextprotocol/client';
import type { Tool } from '@svc/contracts';
import { isObject } from '@svc/contracts/is-object';
import { remoteNameOf } from '@svc/contracts/vocabulary';
import { canonicalJson, type JsonValue } from '@svc/signing';
import { quoteText } from '@svc/text';
import {
  type AskAlways,
  approvedArguments,
  type IsPreApproved,
  type PendingCall,
  questionOf,
} from '../cards/approval.ts';
import type { Ask } from '../cards/card.ts';
import type { AppStorage } from '../files/app-storage.ts';
import type { HandedFile } from '../files/handed-file.ts';
import { type Prepare, readyFiles } from '../files/ready-files.ts';
import type { ConnectorSettings, FileRecipients } from '../library/choice-tables.ts';
import { accountOf, enforcedFootprint, type InstalledApp, toolOf } from '../library/installed-app.ts';
import type { Connecting } from '../network/connector.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';
import { createTokenBucket } from '../platform/token-bucket.ts';
import type { TokenSource } from './authorised-fetch.ts';
import { quoted } from './fault.ts';
import type { AppTool, KnownListing, KnownTools } from './known-tools.ts';
import { ANY_MODEL, refusalsFor, type ToolCaller } from './may-use.ts';
import { type CallResult, readResult } from './read-result.ts';
import type { Secrets } from './secrets.ts';
import { openingPages, type ServerServices, serverRequests } from './server-requests.ts';
import { type UseDeps, useServer } from './use-server.ts';

/** Default and maximum time limit of a tool, in milliseconds. */
export const DEFAULT_MS = 120_000;
export const MAX_MS = 10 * 60_000;

/** Progress of a tool call. */
export type CallProgress = { progress: number; total?: number; message?: string };

/** A call of a tool. */
export type CallRequest = {
  tool: string;
  arguments: Readonly<Record<string, unknown>>;
  /**
   * What is sent to the server as `_meta` of the call, in the client's name: no card shows it, so it must not come from a model. Names that
   * MCP reserves are refused. Default: nothing.
   */
  meta?: Readonly<Record<string, unknown>>;
  /** Files by the name of their argument. */
  files?: Readonly<Record<string, readonly HandedFile[]>>;
  /** Opaque ids of the project and the chat, sent to the app's server: 1 to 200 characters of printable ASCII without spaces. */
  project: string;
  chat: string;
  signal?: AbortSignal;
  /**
   * Time limit of the tool after approval, in milliseconds, at most ten minutes. Default: two minutes. With `onProgress` each progress
   * notification of the server starts it again, up to `maxMs`.
   */
  timeoutMs?: number;
  /** Longest time of a tool that makes progress, in milliseconds, at most ten minutes. Default: `timeoutMs`, or ten minutes without it. */
  maxMs?: number;
  onProgress?: (progress: CallProgress) => void;
  /** Who makes the call, which decides whether it may. Default: some model. */
  caller?: ToolCaller;
  /** Asks the user before the call, also where the app does not declare it: for calls of a model. */
  askAlways?: AskAlways;
  /** Calls without files that the user approved beforehand are not asked about. */
  isPreApproved?: IsPreApproved;
};

/** What a call of a tool needs of its client. */
export type ToolCallDeps = {
  system: System;
  ask: Ask;
  tokens: TokenSource;
  storage: Pick<AppStorage, 'keep'>;
  prepare: Prepare;
  /** What this client can do for the servers of connectors. */
  services?: ServerServices | undefined;
};

/** What a call needs. */
export type ToolCallParts = ToolCallDeps &
  UseDeps & {
    recipients: FileRecipients;
    connectorSettings: Pick<ConnectorSettings, 'of'>;
    known: KnownTools;
    connecting?: Pick<Connecting, 'trace'> | undefined;
    /** Has the server list its tools. Asks the user to sign in where it requires that. */
    list(app: InstalledApp, signal: AbortSignal): Promise<unknown>;
  };

/** Maximum length of a message, in characters. */
const MAX_MESSAGE = 2_000;

/** Rate limit of reports. Of the notifications above it, the newest is reported. */
const REPORTS = { burst: 10, perSecond: 10 };

/**
 * Reports progress at a limited rate, with bounded messages without tokens, even if a token is split over several reports. A server may
 * send any number of notifications.
 */
function safeProgress(
  report: (progress: CallProgress) => void,
  secrets: Secrets,
  system: Pick<System, 'now' | 'sleep'>,
) {
  const strip = secrets.stream();
  const bucket = createTokenBucket(REPORTS, system.now);
  let waiting: Progress | null = null;

  function send({ progress, total, message }: Progress): void {
    report({
      progress,
      ...(total !== undefined && { total }),
      ...(message !== undefined && { message: quoted(strip(message.slice(0, MAX_MESSAGE)), secrets) }),
    });
  }
  function sendWaiting(): void {
    const last = waiting;
    waiting = null;
    if (last) send(last);
  }
  return {
    receive(progress: Progress): void {
      const isFirst = waiting === null;
      if (isFirst && bucket.take()) {
        send(progress);
        return;
      }
      waiting = progress;
      if (isFirst) {
        system.sleep(1_000 / REPORTS.perSecond).then(
          () => {
            bucket.take();
            sendWaiting();
          },
          () => undefined,
        );
      }
    },
    /** Reports the newest notification, if it waits. Call it at the end of the call. */
    end: sendWaiting,
  };
}

/** Maximum size of the arguments without files, in bytes of canonical JSON. */
const MAX_BYTES = 1024 * 1024;

/**
 * Copies arguments as plain JSON, so that the sent arguments are those that the user approved.
 * @throws RuntimeError `invalid-arguments`, `too-large`
 */
function plainArguments(
  given: Readonly<Record<string, unknown>>,
  maxBytes = MAX_BYTES,
): { [key: string]: JsonValue } {
  let bytes: Uint8Array;
  try {
    bytes = canonicalJson(given as { [key: string]: JsonValue });
  } catch {
    throw new RuntimeError('invalid-arguments');
  }
  if (bytes.byteLength > maxBytes) throw new RuntimeError('too-large', 'The arguments are too large.');
  return JSON.parse(Buffer.from(bytes).toString());
}

/** Maximum size of `_meta`, in bytes of canonical JSON. */
const MAX_META_BYTES = 64 * 1024;

/** Whether a name of `_meta` is one of MCP: of progress, or with a prefix that has such a label (MCP, "_meta"). */
function isReserved(name: string): boolean {
  const [prefix = '', ...rest] = name.toLowerCase().split('/');
  const isMcp = (label: string) => label === 'mcp' || label === 'modelcontextprotocol';
  return rest.length === 0 ? prefix === 'progresstoken' : prefix.split('.').some(isMcp);
}

/** @throws RuntimeError `invalid-arguments`, `too-large` */
function plainMeta(given: CallRequest['meta']): { [key: string]: JsonValue } | undefined {
  if (given === undefined) return undefined;
  const meta = plainArguments(given, MAX_META_BYTES);
  const reserved = Object.keys(meta).find(isReserved);
  if (reserved === undefined) return meta;
  throw new RuntimeError('invalid-arguments', `meta: MCP reserves ${quoteText(reserved, 64)}.`);
}

/** Characters of an answer that are searched, and most names that are said. */
const MAX_SEARCHED = 16 * 1024;
const MAX_NAMES = 5;

/** A quoted name beside a word for an argument, in either order. */
const NAMED =
  /\b(?:argument|parameter|property|field|param|input)s?:? ["'`]([A-Za-z_][\w-]{0,63})["'`]|["'`]([A-Za-z_][\w-]{0,63})["'`] (?:argument|parameter|property|field|param|input)\b/gi;

/** The names in a text that a tool has no argument of. */
function unknownIn(text: string, { inputSchema, files }: AppTool, newParams: readonly string[]): string[] {
  const searched = text.slice(0, MAX_SEARCHED);
  const words = new Set(searched.split(/[^\w-]+/));
  const named = Array.from(searched.matchAll(NAMED), ([, after, before]) => after ?? before ?? '');
  const properties = isObject(inputSchema.properties) ? inputSchema.properties : null;
  // A schema without properties takes any argument.
  const known = (name: string) =>
    properties === null || Object.hasOwn(properties, name) || Object.hasOwn(files, name);
  const names = [...newParams.filter((name) => words.has(name)), ...named.filter((name) => !known(name))];
  return [...new Set(names)].slice(0, MAX_NAMES);
}

/** Says which arguments an answer of a server names that the accepted description of the tool does not have; null when it names none. */
function noteOn(text: string, tool: Tool, { tools, pinned }: KnownListing): string | null {
  const pin = tools.find(({ id }) => id === tool.id);
  const names = pin && pinned ? unknownIn(text, pin, pinned.newParams(remoteNameOf(tool))) : [];
  if (names.length === 0) return null;
  return `The app’s server names ${names.map((name) => quoteText(name, 64)).join(', ')}, which the accepted description of this tool does not have. It may have changed the tool: the user can look at the changes under Apps.`;
}

type ApprovedCall = {
  tool: Tool;
  args: Record<string, unknown>;
  meta: Record<string, unknown> | undefined;
  request: CallRequest;
  signal: AbortSignal;
};

/** Sends an approved call, and reads its result. */
function send(
  parts: ToolCallParts,
  app: InstalledApp,
  { tool, args, meta, request, signal }: ApprovedCall,
): Promise<CallResult> {
  const { project, chat, timeoutMs, maxMs = timeoutMs ?? MAX_MS } = request;
  const secrets = parts.sessions.secretsOf(app.appId);
  const use = {
    app,
    accountId: accountOf(app, tool),
    context: { tool: tool.id, project, chat },
    signal,
    ms: Math.min(timeoutMs ?? DEFAULT_MS, MAX_MS),
    maxMs: Math.min(maxMs, MAX_MS),
    mayAsk: true,
  };
  return useServer(parts, use, async ({ connection, fetch, calls }, timed, limit) => {
    const progress = request.onProgress && safeProgress(request.onProgress, secrets, parts.system);
    // A server that is asked for progress answers as a stream, which costs time: only a client that listens pays for it.
    const onProgress =
      progress &&
      ((made: Progress) => {
        limit.extend();
        progress.receive(made);
      });
    const asking = () => serverRequests({ ...parts, app, secrets, calls });
    const result = await openingPages(asking, () =>
      connection.callTool(remoteNameOf(tool), args, { signal: timed, onProgress, meta }),
    ).finally(() => progress?.end());
    return readResult(result, {
      ...{ app, project, secrets, storage: parts.storage, fetch, signal: timed },
      mayReturnMedia: () => parts.connectorSettings.of(app.appId).media,
      read: (uri) => connection.content.read(uri, timed),
    });
  });
}

/** Sends it; the result and the error say which arguments the server names that the accepted description of the tool does not have. */
async function sendNoted(
  parts: ToolCallParts,
  app: InstalledApp,
  approved: ApprovedCall,
): Promise<CallResult> {
  const noteFor = (text: string) => noteOn(text, approved.tool, parts.known.of(app));
  try {
    const result = await send(parts, app, approved);
    const texts = result.parts.map((part) => (part.type === 'text' ? part.text : ''));
    const note = noteFor([...texts, result.structured ? JSON.stringify(result.structured) : ''].join('\n'));
    return note === null
      ? result
      : { ...result, parts: [...result.parts, { type: 'text', text: `[${note}]` }] };
  } catch (error) {
    if (!(error instanceof RuntimeError) || error.code !== 'server-failed') throw error;
    const note = noteFor(error.message);
    throw note === null
      ? error
      : new RuntimeError('server-failed', `${error.message} ${note}`, { detail: error.detail });
  }
}

/** Connects the account before the approval card, so that the user approves only calls that can be made. */
async function connectFirst(
  { tokens, withAccount }: ToolCallParts,
  { app, tool }: PendingCall,
  signal: AbortSignal,
): Promise<void> {
  const accountId = accountOf(app, tool);
  if (accountId === null) return;
  await withAccount(app, accountId, signal, async () => {
    if (await tokens.ready(app, accountId)) return;
    throw new RuntimeError('not-connected', undefined, { detail: { accountId } });
  });
}

/**
 * The tool of a request, if the caller may use it: one that was accepted, which the server lists, or, before it has listed any, that the
 * manifest declares.
 * @throws RuntimeError `unknown-tool`, `switched-off`
 */
async function usableTool(
  { known, list }: ToolCallParts,
  app: InstalledApp,
  { tool: id, caller = ANY_MODEL }: CallRequest,
  signal: AbortSignal,
): Promise<Tool> {
  const tool = toolOf(app, id);
  const find = () => known.of(app).tools.find((one) => one.id === id);
  let found = find();
  if (!found) {
    await list(app, signal);
    found = find();
  }
  if (!found)
    throw new RuntimeError(
      'unknown-tool',
      'The server of the app does not have this tool, or added it later: such changes are listed under Apps.',
    );
  const refusal = refusalsFor(caller, app)(found);
  if (refusal) throw refusal;
  return tool;
}

/** Runs one call, from the request to the result. */
export async function callTool(
  parts: ToolCallParts,
  app: InstalledApp,
  request: CallRequest,
  signal: AbortSignal,
): Promise<CallResult> {
  const tool = await usableTool(parts, app, request, signal);
  const args = plainArguments(request.arguments);
  const trace = parts.connecting?.trace?.() ?? {};
  const given = plainMeta(request.meta);
  const meta = Object.keys(trace).length === 0 ? given : { ...trace, ...given };
  const conflicting = Object.keys(tool.files ?? {}).find((param) => Object.hasOwn(args, param));
  if (conflicting !== undefined)
    throw new RuntimeError('file-refused', `${conflicting} takes files, not a value.`);
  const { grants } = enforcedFootprint(app);
  const files = await readyFiles(tool, request.files ?? {}, { grants, prepare: parts.prepare, signal });
  const hints = parts.known.of(app).tools.find(({ id }) => id === tool.id)?.annotations;
  const pending: PendingCall = { app, tool, arguments: args, files, hints };
  const circumstances = { ...request, recipients: parts.recipients };
  if (questionOf(pending, circumstances) !== null) await connectFirst(parts, pending, signal);
  const approved = await approvedArguments(pending, circumstances, parts.ask, signal);
  return sendNoted(parts, app, { tool, args: approved, meta, request, signal });
}
