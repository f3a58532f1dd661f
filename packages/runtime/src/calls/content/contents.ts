import type { InstalledApp } from '../../library/installed-app.ts';
import { RuntimeError } from '../../platform/runtime-error.ts';
import type { Admission } from '../admission.ts';
import { accountOf, isConnector, requireEnabled } from '../declared-tool.ts';
import type { Secrets } from '../secrets.ts';
import type { ServerContent } from '../server-content.ts';
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
import { type ContentPart, type FilledPrompt, readContents, readPrompt } from './read-content.ts';

/** Time limit of one request, in milliseconds. */
const DEFAULT_MS = 60_000;

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

/** Resources and prompts of connectors. All methods reject with a RuntimeError; `not-offered` for an app that is not a connector. */
export type Contents = {
  resources(app: InstalledApp, request: ContentRequest): Promise<ResourceLists>;
  prompts(app: InstalledApp, request: ContentRequest): Promise<OfferedList<AppPrompt>>;
  read(app: InstalledApp, uri: string, request: ContentRequest): Promise<ContentPart[]>;
  fill(
    app: InstalledApp,
    promptId: string,
    args: Readonly<Record<string, string>>,
    request: ContentRequest,
  ): Promise<FilledPrompt>;
};

type Deps = UseDeps & { admission: Admission };

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
export function createContents(deps: Deps): Contents {
  function use<T>(
    app: InstalledApp,
    method: string,
    { project, chat, signal, mayAsk = true }: ContentRequest,
    work: (content: ServerContent, secrets: Secrets, timed: AbortSignal) => Promise<T>,
  ): Promise<T> {
    return deps.admission.run({ appId: app.appId, project }, signal, async (ended) => {
      requireEnabled(app);
      if (!isConnector(app)) {
        throw new RuntimeError('not-offered', 'Only connectors have resources and prompts.');
      }
      const context = { tool: method, project, chat };
      const whose = { app, accountId: accountOf(app, {}), context, signal: ended, ms: DEFAULT_MS, mayAsk };
      const secrets = deps.sessions.secretsOf(app.appId);
      return useServer(deps, whose, ({ connection }, timed) => work(connection.content, secrets, timed));
    });
  }
  return {
    resources: (app, request) =>
      use(app, 'resources/list', request, async (content, secrets, timed) => ({
        resources: offeredResources(await content.resources(timed), secrets),
        templates: offeredTemplates(await content.templates(timed), secrets),
      })),
    prompts: (app, request) =>
      use(app, 'prompts/list', request, async (content, secrets, timed) =>
        offeredPrompts(await content.prompts(timed), secrets),
      ),
    async read(app, uri, request) {
      if (!isResourceUri(uri))
        throw new RuntimeError('invalid-arguments', 'This is no address of a resource.');
      return use(app, 'resources/read', request, async (content, secrets, timed) =>
        readContents(await content.read(uri, timed), secrets),
      );
    },
    async fill(app, promptId, args, request) {
      if (!isPromptId(promptId)) throw new RuntimeError('invalid-arguments', 'This is no name of a prompt.');
      const texts = plainTexts(args);
      return use(app, 'prompts/get', request, async (content, secrets, timed) =>
        readPrompt(await content.prompt(promptId, texts, timed), secrets),
      );
    },
  };
}
