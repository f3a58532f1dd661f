import { readFile } from 'node:fs/promises';
import { MediaRequest } from '@svc/contracts';
import { z } from 'zod';
import type { CallResult, ResultPart } from '../../calls/read-result.ts';
import { askToConnect } from '../../cards/ask-to-connect.ts';
import { accepts, fileTypeOf, onlyType } from '../../files/file-type.ts';
import type { InstalledApp } from '../../library/installed-app.ts';
import { RuntimeError } from '../../platform/runtime-error.ts';
import type { PanelAccount, PanelFile } from '../ports.ts';
import { type Method, method } from './bridge.ts';
import {
  type FileHandle,
  type InitializeResult,
  PROTOCOL_VERSION,
  type ToolContent,
  type ToolResult,
} from './messages.ts';
import {
  type AskInTurn,
  createPromptLimiter,
  isGranted,
  type MethodDeps,
  NoParams,
  requireGrant,
  requireMayRun,
} from './method-deps.ts';

/** Maximum files of one call. */
const MAX_FILES = 32;

/** The parameters of MCP's `tools/call`, plus files that were passed to the panel, by argument. */
const ToolCall = z.strictObject({
  name: z.string().max(100),
  arguments: z.record(z.string(), z.unknown()).default({}),
  files: z.record(z.string().max(100), z.array(z.string().max(64)).max(MAX_FILES)).default({}),
  _meta: z.unknown().optional(),
});
type ToolCall = z.output<typeof ToolCall>;

/** Whether a call shows a prompt to the user: to approve it, or to connect the account it needs. */
async function needsPrompt({ app, accounts }: MethodDeps, name: string): Promise<boolean> {
  const tool = app.manifest.contributes.tools?.find(({ id }) => id === name);
  if (tool?.confirm) return true;
  if (tool?.account === undefined) return false;
  return !(await accounts.list(app)).some(({ id, connected }) => id === tool.account && connected);
}

/** Adds a file that the tool returned to the panel's files. If the panel's limit is reached, only its name is returned: the call succeeded. */
async function handOver(deps: MethodDeps, { file }: ResultPart & { type: 'file' }): Promise<ToolContent> {
  const { name, type, path } = file;
  try {
    const bytes = await readFile(path);
    const id = deps.files.add({ name, type, bytes });
    return { type: 'resource_link', uri: deps.addressOf(id), name, mimeType: type, size: bytes.length };
  } catch (error) {
    if (!(error instanceof RuntimeError)) throw error;
    return { type: 'text', text: `[The file ${name} was not handed to the panel: ${error.message}]` };
  }
}

async function resultOf(deps: MethodDeps, { parts, structured, isError }: CallResult): Promise<ToolResult> {
  const content: ToolContent[] = [];
  for (const part of parts) content.push(part.type === 'text' ? part : await handOver(deps, part));
  return { content, ...(structured && { structuredContent: structured }), isError };
}

async function call(deps: MethodDeps, given: ToolCall, signal: AbortSignal): Promise<ToolResult> {
  requireMayRun(deps);
  if (!deps.call) throw new RuntimeError('not-offered');
  const files = Object.entries(given.files).map(([param, ids]) => [
    param,
    ids.map((id) => deps.files.get(id)),
  ]);
  const request = {
    tool: given.name,
    arguments: given.arguments,
    files: Object.fromEntries(files),
    signal,
  };
  const result = await deps.call(deps.app, request);
  signal.throwIfAborted();
  return resultOf(deps, result);
}

/** The methods for tools of the app. The runtime makes the calls, so tokens stay in it. */
const toolMethods = (deps: MethodDeps, inTurn: AskInTurn): [string, Method][] => [
  [
    'tools/call',
    method(ToolCall, async (given, signal) =>
      (await needsPrompt(deps, given.name))
        ? inTurn(() => call(deps, given, signal))
        : call(deps, given, signal),
    ),
  ],
];

const FileId = z.string().max(64);
const OneFile = z.strictObject({ file: FileId });
const OneOperation = z.strictObject({ file: FileId, request: MediaRequest });
const Picking = z.strictObject({
  accept: z
    .array(z.string().regex(/^[a-z]+\/(?:\*|[a-z0-9][\w!#$&^.+-]{0,126})$/i))
    .max(50)
    .default([]),
  multiple: z.boolean().default(false),
});
type Picking = z.output<typeof Picking>;

/** The file picker does not enforce the accepted types, so they are checked here. */
async function requireAccepted(picked: readonly PanelFile[], { accept, multiple }: Picking): Promise<void> {
  if (picked.length > 1 && !multiple) throw new RuntimeError('file-refused');
  for (const { bytes, name, type } of picked) {
    // The client detected the type from the content; other possible types of the file are detected only when needed.
    const isAccepted =
      accept.length === 0 ||
      accepts(accept, onlyType(type)) ||
      accepts(accept, await fileTypeOf(bytes, name));
    if (!isAccepted) throw new RuntimeError('file-refused');
  }
}

function keep({ files, addressOf }: MethodDeps, file: PanelFile): FileHandle {
  const id = files.add(file);
  return { id, name: file.name, type: file.type, size: file.bytes.length, url: addressOf(id) };
}

async function pick(
  deps: MethodDeps,
  wanted: Picking,
  signal: AbortSignal,
): Promise<{ files: FileHandle[] }> {
  requireGrant(deps, 'files:receive');
  const { pickFiles } = deps.client;
  if (!pickFiles) throw new RuntimeError('not-offered');
  const picked = await pickFiles(deps.app, wanted, signal);
  signal.throwIfAborted();
  await requireAccepted(picked, wanted);
  signal.throwIfAborted();
  return { files: picked.map((file) => keep(deps, file)) };
}

async function runMedia(
  deps: MethodDeps,
  { file, request }: z.output<typeof OneOperation>,
  signal: AbortSignal,
): Promise<{ file: FileHandle }> {
  requireGrant(deps, 'host:media');
  const { prepareMedia } = deps.client;
  if (!prepareMedia) throw new RuntimeError('not-offered');
  const prepared = await prepareMedia(deps.files.get(file), request, signal);
  signal.throwIfAborted();
  return { file: keep(deps, prepared) };
}

/** The methods for files from the user. A panel gets handles, and fetches the bytes from its own origin. */
const fileMethods = (deps: MethodDeps, inTurn: AskInTurn): [string, Method][] => [
  ['files/pick', method(Picking, (wanted, signal) => inTurn(() => pick(deps, wanted, signal)))],
  ['files/release', method(OneFile, ({ file }) => deps.files.release(file))],
  // Saving into a project is not supported yet. The method exists so that a panel gets that error, and not "unknown method".
  [
    'files/save',
    method(NoParams, () => {
      throw new RuntimeError('not-offered');
    }),
  ],
  ['media/run', method(OneOperation, (params, signal) => runMedia(deps, params, signal))],
];

const OfAccount = z.strictObject({ account: z.string().max(200) });

function requireDeclared({ manifest }: InstalledApp, id: string): void {
  if (!manifest.accounts?.some((account) => account.id === id)) throw new RuntimeError('unknown-account');
}

/** Returns only the four fields, whatever else the vault stores of an account, and only declared accounts. */
const ownAccounts = async ({ app, accounts }: MethodDeps): Promise<PanelAccount[]> =>
  (await accounts.list(app))
    .filter(({ id }) => app.manifest.accounts?.some((account) => account.id === id))
    .map(({ id, label, connected, expiresAt }) => ({ id, label, connected, expiresAt }));

async function connect(deps: MethodDeps, id: string, signal: AbortSignal): Promise<void> {
  const { app, client, accounts } = deps;
  requireDeclared(app, id);
  requireMayRun(deps);
  const accepted = () => requireMayRun(deps);
  await askToConnect({ ask: client.ask, accounts }, app, id, { accepted }, signal);
}

/** Requests the token again for every call, and logs that this panel got it. */
async function token(deps: MethodDeps, id: string): Promise<{ accessToken: string }> {
  const { app, accounts } = deps;
  requireMayRun(deps);
  requireDeclared(app, id);
  if (deps.tokensWithheld()) throw new RuntimeError('token-withheld');
  const accessToken = await accounts.token(app, id, { host: 'panel', tool: deps.context().panel.id });
  if (accessToken === null) throw new RuntimeError('not-connected');
  return { accessToken };
}

/** The methods for the app's own accounts. The channel determines the app, not a parameter. */
const accountMethods = (deps: MethodDeps, inTurn: AskInTurn): [string, Method][] => [
  ['accounts/list', method(NoParams, async () => ({ accounts: await ownAccounts(deps) }))],
  [
    'accounts/connect',
    method(OfAccount, ({ account }, signal) => inTurn(() => connect(deps, account, signal))),
  ],
  ['accounts/token', method(OfAccount, ({ account }) => token(deps, account))],
];

/** In MCP Apps the page may send its name here; it is not used, so it is not read. */
function initialize(deps: MethodDeps): InitializeResult {
  const { client } = deps;
  if (deps.tokensWithheld()) deps.withheld();
  const picks = client.pickFiles !== undefined && isGranted(deps, 'files:receive');
  const prepares = client.prepareMedia !== undefined && isGranted(deps, 'host:media');
  return {
    protocolVersion: PROTOCOL_VERSION,
    hostInfo: { name: client.name, version: client.version },
    hostCapabilities: {
      accounts: { tokens: !deps.tokensWithheld() },
      ...(deps.call && { serverTools: {} }),
      ...(picks && { files: {} }),
      ...(prepares && { media: {} }),
    },
    hostContext: deps.context(),
  };
}

/** All methods that a panel may call. */
export function panelMethods(deps: MethodDeps): ReadonlyMap<string, Method> {
  const inTurn = createPromptLimiter(deps.system);
  return new Map([
    ['ping', method(NoParams, () => ({}))],
    ['ui/initialize', method(NoParams, () => initialize(deps))],
    ...accountMethods(deps, inTurn),
    ...fileMethods(deps, inTurn),
    ...toolMethods(deps, inTurn),
  ]);
}
