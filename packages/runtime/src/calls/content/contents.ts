import { once } from 'node:events';
import { accountOf, type InstalledApp, isConnector, requireEnabled } from '../../library/installed-app.ts';
import { RuntimeError } from '../../platform/runtime-error.ts';
import type { Admission } from '../admission.ts';
import type { Repairs } from '../known-tools.ts';
import type { ServerContent } from '../operations.ts';
import type { Pins } from '../pins/pins.ts';
import type { Secrets } from '../secrets.ts';
import { type UseDeps, useServer } from '../use-server.ts';
import {
  type AppPrompt,
  type AppResource,
  type AppResourceTemplate,
  isPromptId,
  isResourceUri,
  type OfferedList,
  offeredPrompts,
  offeredResources,
  offeredTemplates,
} from './offered-content.ts';
import {
  type ContentPart,
  cspOf,
  type FilledPrompt,
  readContents,
  readPage,
  readPrompt,
  type ServerPage,
} from './read-content.ts';

/** Time limit of one request, in milliseconds. */
const DEFAULT_MS = 60_000;

/** Longest subscription to a resource, in milliseconds. */
const WATCH_MS = 24 * 60 * 60_000;
/** Most suggested values (MCP, "Completion"). */
const MAX_SUGGESTED = 100;

/** Maximum number of prompt arguments, and characters of each. */
const MAX_ARGUMENTS = 50;
const MAX_CHARACTERS = 100_000;

/** The resources and resource templates of a connector. */
export type ResourceLists = {
  resources: OfferedList<AppResource>;
  templates: OfferedList<AppResourceTemplate>;
};

/** The context of a request to a connector. */
export type ContentRequest = {
  project: string;
  /** Null outside of a chat. */
  chat: string | null;
  signal?: AbortSignal | undefined;
  /** Whether the user may be asked to sign in. Default: true. */
  mayAsk?: boolean | undefined;
};

/** An argument of a prompt or a resource template that the user types, and the values of the others. */
export type CompletionOf = {
  of: { prompt: string } | { uriTemplate: string };
  argument: { name: string; value: string };
  others?: Readonly<Record<string, string>> | undefined;
};

export type Suggestions = { values: readonly string[]; total?: number | undefined; hasMore: boolean };

function plainTexts(given: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(given);
  const isFine = ([name, value]: [string, string]) =>
    isPromptId(name) && typeof value === 'string' && value.length <= MAX_CHARACTERS;
  if (entries.length > MAX_ARGUMENTS || !entries.every(isFine)) {
    throw new RuntimeError('invalid-arguments', 'The arguments of a prompt are short texts.');
  }
  return Object.fromEntries(entries);
}

/** Creates the access to resources and prompts of connectors. */
export function createContents({
  pins,
  ...deps
}: UseDeps & {
  admission: Admission;
  pins: Pick<Pins, 'settleList' | 'settlePage' | 'has'>;
  repairs: Pick<Repairs, 'add'>;
}) {
  function use<T>(
    app: InstalledApp,
    method: string,
    { project, chat, signal, mayAsk = true, ms = DEFAULT_MS }: ContentRequest & { ms?: number },
    work: (content: ServerContent, secrets: Secrets, timed: AbortSignal) => Promise<T>,
  ): Promise<T> {
    return deps.admission.run({ appId: app.appId, project, ms }, signal, async (ended) => {
      requireEnabled(app);
      if (!isConnector(app)) {
        throw new RuntimeError('not-offered', 'Only connectors have resources and prompts.');
      }
      const context = { tool: method, project, chat };
      const whose = { app, accountId: accountOf(app, {}), context, signal: ended, ms, mayAsk };
      const secrets = deps.sessions.secretsOf(app.appId);
      return useServer(deps, whose, ({ connection }, timed) => work(connection.content, secrets, timed));
    });
  }
  /** A list as the user accepted it: what its server adds or changes waits. */
  const accepted = <T extends object>(
    app: InstalledApp,
    list: 'resources' | 'templates' | 'prompts',
    { entries, isComplete }: OfferedList<T>,
  ): OfferedList<T> => {
    const note = (what: string) => deps.repairs.add(app.appId, what);
    return { entries: pins.settleList(app, list, entries, note), isComplete };
  };
  const listPrompts = (app: InstalledApp, request: ContentRequest): Promise<OfferedList<AppPrompt>> =>
    use(app, 'prompts/list', request, async (content, secrets, timed) =>
      accepted(app, 'prompts', offeredPrompts(await content.prompts(timed), secrets)),
    );
  /** @throws RuntimeError `not-offered` for a prompt that the user has not accepted */
  async function requirePrompt(app: InstalledApp, id: string, request: ContentRequest): Promise<void> {
    if (pins.has(app, 'prompts', id) === null) await listPrompts(app, request);
    if (pins.has(app, 'prompts', id) === false)
      throw new RuntimeError(
        'not-offered',
        'The server does not have this prompt, or added it later: such changes are listed under Apps.',
      );
  }
  return {
    resources: (app: InstalledApp, request: ContentRequest): Promise<ResourceLists> =>
      use(app, 'resources/list', request, async (content, secrets, timed) => ({
        resources: accepted(app, 'resources', offeredResources(await content.resources(timed), secrets)),
        templates: accepted(app, 'templates', offeredTemplates(await content.templates(timed), secrets)),
      })),
    prompts: listPrompts,
    async read(app: InstalledApp, uri: string, request: ContentRequest): Promise<ContentPart[]> {
      if (!isResourceUri(uri))
        throw new RuntimeError('invalid-arguments', 'This is no address of a resource.');
      return use(app, 'resources/read', request, async (content, secrets, timed) =>
        readContents(await content.read(uri, timed), secrets),
      );
    },
    /** Reads a page that the server shows in clients (MCP Apps). */
    page: (app: InstalledApp, uri: string, request: ContentRequest): Promise<ServerPage> =>
      use(app, 'resources/read', request, async (content, secrets, timed) => {
        const page = readPage(await content.read(uri, timed), secrets);
        // What is said of the page with its contents comes first; many servers say it in their list alone.
        const { items } =
          page.csp === null ? await content.resources(timed).catch(() => ({ items: [] })) : { items: [] };
        const listed = items.find((item) => item.uri === uri);
        const csp = page.csp ?? (listed ? cspOf(listed) : null) ?? {};
        return { ...page, csp: pins.settlePage(app, { uri, csp }).csp };
      }),
    async fill(
      app: InstalledApp,
      promptId: string,
      args: Readonly<Record<string, string>>,
      request: ContentRequest,
    ): Promise<FilledPrompt> {
      if (!isPromptId(promptId)) throw new RuntimeError('invalid-arguments', 'This is no name of a prompt.');
      const texts = plainTexts(args);
      await requirePrompt(app, promptId, request);
      return use(app, 'prompts/get', request, async (content, secrets, timed) =>
        readPrompt(await content.prompt(promptId, texts, timed), secrets),
      );
    },
    /** Suggests values of an argument, at most 100, without tokens. */
    async complete(
      app: InstalledApp,
      { of, argument, others = {} }: CompletionOf,
      request: ContentRequest,
    ): Promise<Suggestions> {
      const texts = plainTexts({ ...others, [argument.name]: argument.value });
      const { [argument.name]: value = '', ...given } = texts;
      const ref =
        'prompt' in of
          ? { type: 'ref/prompt' as const, name: of.prompt }
          : { type: 'ref/resource' as const, uri: of.uriTemplate };
      const params = { ref, argument: { name: argument.name, value }, context: { arguments: given } };
      return use(
        app,
        'completion/complete',
        { ...request, mayAsk: false },
        async (content, secrets, timed) => {
          const { values, total, hasMore } = await content.complete(params, timed);
          return secrets.strip({
            values: values.slice(0, MAX_SUGGESTED),
            ...(total !== undefined && { total }),
            hasMore: hasMore === true || values.length > MAX_SUGGESTED,
          });
        },
      );
    },
    /**
     * Subscribes to a resource until the signal of the request is aborted: the event `server-resource-updated` says when it changes.
     * Resolves when the server has agreed.
     */
    watch(app: InstalledApp, uri: string, request: ContentRequest) {
      const begun = Promise.withResolvers<void>();
      const watching = use(
        app,
        'resources/subscribe',
        { ...request, mayAsk: false, ms: WATCH_MS },
        async (content, _secrets, timed) => {
          const stop = await content.subscribe(uri, timed);
          begun.resolve();
          await once(timed, 'abort');
          await stop().catch(() => undefined);
        },
      );
      // It ends by the abort of its signal, or with the session.
      watching.catch((error: unknown) => begun.reject(error));
      return begun.promise;
    },
  };
}

/** Resources and prompts of connectors. All methods reject with a RuntimeError; `not-offered` for an app that is not a connector. */
export type Contents = ReturnType<typeof createContents>;
