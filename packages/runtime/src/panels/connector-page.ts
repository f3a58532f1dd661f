import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { CallRequest } from '../calls/call-tool.ts';
import type { AppTool } from '../calls/known-tools.ts';
import { refusalsFor, type ToolCaller } from '../calls/may-use.ts';
import type { CallResult, ResultPart } from '../calls/read-result.ts';
import { cardAppOf } from '../cards/ask-to-connect.ts';
import type { QuestionCard } from '../cards/card.ts';
import type { CardLimit } from '../cards/card-limit.ts';
import { messageOf } from '../cards/question.ts';
import { type InstalledApp, serverHostOf } from '../library/installed-app.ts';
import { modelName } from '../models/model-names.ts';
import { hashOfJson } from '../platform/json-hash.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';
import { type Method, method } from './bridge/bridge.ts';
import { type HostContext, PROTOCOL_VERSION } from './bridge/messages.ts';
import { NoParams } from './bridge/method-deps.ts';
import type { DisplayMode, PanelControl, PanelKind } from './open-panel.ts';
import type { PageSources } from './policy.ts';
import type { PanelClient } from './ports.ts';

/** Longest text for the model, in characters: the card shows all of it. */
const MAX_TEXT = 4_000;
/** Longest address to open. */
const MAX_URL = 2_000;
/** Highest page, in pixels. */
const MAX_HEIGHT = 4_000;
/** Most bytes of files in one result. Others are named. */
const MAX_BYTES = 4 * 1024 * 1024;
/** How long the client's page may take to show the page in another way, in milliseconds. */
const MODE_MS = 1_000;

type PageCalls = {
  project: string;
  /** The tool whose page it is. */
  tool: string;
  /** Calls a tool for the page, with the questions of the client, through `runtime.call` with this caller. */
  call(
    request: Pick<CallRequest, 'tool' | 'arguments' | 'signal'> & { caller: ToolCaller },
  ): Promise<CallResult>;
};

/** A page of a connector that a host of MCP Apps in another program shows, as a document: the host has the call, and asks the user. */
export type ForeignPage = PageCalls & { isForeign: true };

/** A page of a connector, beside the call that it belongs to. */
export type PageRequest = PageCalls & {
  theme: HostContext['theme'];
  locale: string;
  /** The call of the tool, and its result. */
  arguments: CallRequest['arguments'];
  result: CallResult;
  /** The conversation of the call, if there is one: takes a message of the user, and what the model reads beside the next one. */
  conversation?: { send(text: string): Promise<void>; inform(text: string): void };
};

type PageDeps<Request = PageRequest> = {
  system: Pick<System, 'sleep'>;
  app: InstalledApp;
  tool: AppTool;
  /** The known tools of the app. */
  tools(): readonly AppTool[];
  sources: PageSources;
  client: Pick<PanelClient, 'name' | 'version' | 'ask'>;
  request: Request;
  cardLimit: Pick<CardLimit, 'isOver'>;
  mayRun(): boolean;
};

const PAGE: ToolCaller = { as: 'page' };

const Block = z.looseObject({ type: z.string().max(100) });
const Message = z.looseObject({ role: z.literal('user'), content: z.array(Block).max(50) });
const Context = z.looseObject({
  content: z.array(Block).max(50).default([]),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
});
const Link = z.looseObject({ url: z.string().max(MAX_URL) });
const ToolCall = z.looseObject({
  name: z.string().max(128),
  arguments: z.record(z.string(), z.unknown()).default({}),
});
const Mode = z.looseObject({ mode: z.string().max(50) });
const Size = z.looseObject({ height: z.number().positive() });

/** The texts of content blocks. @throws RuntimeError for another block, or too much text */
function textIn(blocks: readonly z.output<typeof Block>[]): string {
  const texts = blocks.map(({ type, text }) => {
    if (type !== 'text' || typeof text !== 'string')
      throw new RuntimeError('not-offered', 'Only text blocks.');
    return text;
  });
  const text = texts.join('\n');
  if (text.length > MAX_TEXT) throw new RuntimeError('too-large');
  return messageOf(text);
}

function pageAddress(text: string): string {
  const url = URL.parse(text);
  const isWeb = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  if (!isWeb) throw new RuntimeError('address-refused');
  return url.href;
}

async function blockOf(part: ResultPart, room: { bytes: number }): Promise<object> {
  const { given = {} } = part;
  if (part.type === 'text')
    return given.type === 'resource'
      ? { ...given, resource: { ...(given.resource as object), text: part.text } }
      : { type: 'text', text: part.text };
  const { name, type, path, bytes } = part.file;
  if (bytes > room.bytes) return { type: 'text', text: `[The file ${name} is too large for a page.]` };
  room.bytes -= bytes;
  const data = (await readFile(path).catch(() => Buffer.alloc(0))).toString('base64');
  if (data === '') return { type: 'text', text: `[The file ${name} is gone.]` };
  const [kind] = type.split('/');
  if (kind === 'image' || kind === 'audio') return { type: kind, mimeType: type, data };
  const resource = { uri: `file:///${encodeURIComponent(name)}`, mimeType: type, blob: data };
  return { type: 'resource', resource };
}

/** A result as MCP sends it, with its files, for the page that belongs to the same server. */
async function resultFor({ isError, parts, structured, given }: CallResult): Promise<object> {
  const room = { bytes: MAX_BYTES };
  const content: object[] = [];
  for (const part of parts) content.push(await blockOf(part, room));
  return {
    ...given,
    content,
    ...(structured && { structuredContent: structured }),
    ...(isError && { isError }),
  };
}

type Wants = NonNullable<QuestionCard['wants']>;

/** Has the user agree to what a page wants. */
function createQuestions({ app, tool, client, cardLimit, mayRun }: Omit<PageDeps, 'request'>) {
  const server = serverHostOf(app);
  /** @throws RuntimeError `declined`, `switched-off` */
  function requireMayAsk(): void {
    if (!mayRun()) throw new RuntimeError('switched-off');
    if (cardLimit.isOver()) throw new RuntimeError('declined');
  }
  return {
    requireMayAsk,
    async ask(wants: Wants, said: { message: string; url: string | null }, signal: AbortSignal) {
      requireMayAsk();
      const unbound: Omit<QuestionCard, 'binding'> = {
        ...{ kind: 'question', app: cardAppOf(app), server, tool: tool.title, fields: [], wants },
        ...said,
      };
      const card: QuestionCard = { ...unbound, binding: hashOfJson(unbound) };
      const answer = await client.ask(card, signal);
      signal.throwIfAborted();
      if (!answer.accepted || answer.binding !== card.binding) throw new RuntimeError('declined');
      if (!mayRun()) throw new RuntimeError('switched-off');
    },
  };
}

/** The result of a request that the user may decline (MCP Apps, "ui/open-link", "ui/message"). */
const orError = (work: Promise<void>): Promise<{ isError?: true }> =>
  work.then(
    () => ({}),
    (error: unknown) => {
      if (error instanceof RuntimeError) return { isError: true as const };
      throw error;
    },
  );

/** What a page may ask beside calls of tools. Nothing of it happens before the user agrees to it. */
function requestMethods(deps: PageDeps, questions: ReturnType<typeof createQuestions>): [string, Method][] {
  const { conversation } = deps.request;
  const toConversation: [string, Method][] = conversation
    ? [
        [
          'ui/message',
          method(Message, ({ content }, signal) =>
            orError(
              (async () => {
                const text = textIn(content);
                await questions.ask('message', { message: text, url: null }, signal);
                await conversation.send(text);
              })(),
            ),
          ),
        ],
        [
          'ui/update-model-context',
          method(Context, async ({ content, structuredContent: data }, signal) => {
            const said = [...content, ...(data ? [{ type: 'text', text: JSON.stringify(data) }] : [])];
            const text = textIn(said);
            if (text !== '') await questions.ask('context', { message: text, url: null }, signal);
            conversation.inform(text);
          }),
        ],
      ]
    : [];
  return [
    [
      'ui/open-link',
      method(Link, ({ url }, signal) =>
        orError((async () => questions.ask('link', { message: '', url: pageAddress(url) }, signal))()),
      ),
    ],
    ...toConversation,
  ];
}

/** Shows the page in another way, as far as the client's page does. */
function createModes(deps: PageDeps, control: PanelControl) {
  let mode: DisplayMode = 'inline';
  let changed = () => {};
  return {
    now: () => mode,
    change(to: DisplayMode) {
      mode = to;
      changed();
    },
    async request(wanted: string): Promise<{ mode: DisplayMode }> {
      if (wanted === mode || (wanted !== 'inline' && wanted !== 'fullscreen')) return { mode };
      const answered = new AbortController();
      const shown = new Promise<void>((resolve) => {
        changed = resolve;
      });
      control.show({ mode: wanted });
      await Promise.race([shown, deps.system.sleep(MODE_MS, answered.signal).catch(() => {})]);
      answered.abort();
      return { mode };
    },
  };
}

/** The tools that a page calls: those that its server offers to pages, by the names of its server, or that it has from the host around it. */
function callMethod(
  { app, tools, request }: Pick<PageDeps<PageCalls>, 'app' | 'tools' | 'request'>,
  { requireMayAsk }: Pick<ReturnType<typeof createQuestions>, 'requireMayAsk'>,
): Method {
  return method(ToolCall, async ({ name, arguments: args }, signal) => {
    requireMayAsk();
    const known = tools();
    const found = known.find(({ id }) => id === name) ?? known.find(({ id }) => modelName(app, id) === name);
    // Asked again by the call: a client may make it without saying that it is of a page.
    const refusal = found ? refusalsFor(PAGE, app)(found) : null;
    if (!found || refusal) throw refusal ?? new RuntimeError('unknown-tool');
    const result = await request.call({ tool: found.id, arguments: args, signal, caller: PAGE });
    signal.throwIfAborted();
    return resultFor(result);
  });
}

/** What the page receives about its host (MCP Apps, "Host Context"). */
const contextOf = ({ tool, request, client }: PageDeps, displayMode: DisplayMode) => ({
  theme: request.theme,
  locale: request.locale,
  displayMode,
  availableDisplayModes: ['inline', 'fullscreen'],
  containerDimensions: { maxHeight: MAX_HEIGHT },
  platform: 'desktop',
  userAgent: `${client.name}/${client.version}`,
  toolInfo: {
    tool: { name: tool.id, title: tool.title, description: tool.description, inputSchema: tool.inputSchema },
  },
});

/**
 * A page of the server of a connector (MCP Apps, revision 2026-01-26). It gets no token and no file of the user; its calls go to the
 * tools that its server offers to pages, with the same questions as those of a model; and it opens no link and tells the model nothing
 * without the user's answer to a card.
 */
export function connectorPage(deps: PageDeps, control: PanelControl): PanelKind {
  const { tool, client, request, sources } = deps;
  const questions = createQuestions(deps);
  const modes = createModes(deps, control);
  let isSent = false;
  const tell = async () => {
    if (isSent) return;
    isSent = true;
    control.notify('ui/notifications/tool-input', { arguments: request.arguments });
    control.notify('ui/notifications/tool-result', await resultFor(request.result));
  };
  const initialize = () => ({
    protocolVersion: PROTOCOL_VERSION,
    hostInfo: { name: client.name, version: client.version },
    hostCapabilities: {
      ...{ openLinks: {}, serverTools: {}, logging: {} },
      ...(request.conversation && {
        message: { text: {} },
        updateModelContext: { text: {}, structuredContent: {} },
      }),
      sandbox: { csp: { connectDomains: sources.connect, resourceDomains: sources.resources } },
    },
    hostContext: contextOf(deps, modes.now()),
  });
  return {
    panelId: tool.id,
    followsApp: false,
    methods: new Map([
      ['ping', method(NoParams, () => ({}))],
      ['ui/initialize', method(NoParams, initialize)],
      ['tools/call', callMethod(deps, questions)],
      ['ui/request-display-mode', method(Mode, ({ mode }) => modes.request(mode))],
      ...requestMethods(deps, questions),
    ]),
    notified(name, params) {
      if (name === 'ui/notifications/initialized') return tell();
      if (name === 'ui/notifications/request-teardown') return control.close('closed');
      const size = name === 'ui/notifications/size-changed' ? Size.safeParse(params).data : undefined;
      if (size) control.show({ height: Math.min(Math.ceil(size.height), MAX_HEIGHT) });
    },
    changed({ theme, locale, mode }) {
      if (mode) modes.change(mode);
      return { ...(theme && { theme }), ...(locale && { locale }), ...(mode && { displayMode: mode }) };
    },
  };
}

/** A page of a connector in another program. All that is not a call of a tool is between the page and its host. */
export function foreignPage(deps: PageDeps<ForeignPage>): PanelKind {
  return {
    panelId: deps.tool.id,
    followsApp: false,
    methods: new Map([['tools/call', callMethod(deps, createQuestions(deps))]]),
    changed: () => ({}),
  };
}
