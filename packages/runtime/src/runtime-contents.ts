import { requireChat } from './calls/calls.ts';
import type {
  CompletionOf,
  ContentRequest,
  Contents,
  ResourceLists,
  Suggestions,
} from './calls/content/contents.ts';
import type { AppPrompt, OfferedList } from './calls/content/offered-content.ts';
import type { ContentPart, FilledPrompt } from './calls/content/read-content.ts';
import type { InstalledApp } from './library/installed-app.ts';

/** The project and chat of a request, as in calls. */
export type ContentOf = { project: string; chat: string; signal?: AbortSignal };

/** The project of a list request. Lists never ask the user to sign in, and reject with `not-connected` instead. */
type ListOf = Pick<ContentOf, 'project' | 'signal'>;

/** Resources of connectors. All methods reject with a RuntimeError; `not-offered` for an app that is not a connector. */
export type RuntimeResources = {
  list(appId: string, where: ListOf): Promise<ResourceLists>;
  /** Reads a resource: a listed one, one of a template, or one that a tool linked to. */
  read(appId: string, uri: string, where: ContentOf): Promise<ContentPart[]>;
  /** Suggests values of an argument of a template. Never asks the user to sign in. */
  complete(appId: string, what: CompletionOf, where: ListOf): Promise<Suggestions>;
  /** Emits `server-resource-updated` when a resource changes, until the signal is aborted. Resolves when the server has agreed. */
  watch(appId: string, uri: string, where: ListOf & { signal: AbortSignal }): Promise<void>;
};

/** Prompts of connectors. All methods reject with a RuntimeError; `not-offered` for an app that is not a connector. */
export type RuntimePrompts = {
  list(appId: string, where: ListOf): Promise<OfferedList<AppPrompt>>;
  /** Gets a prompt from the server, with its arguments filled in. */
  get(
    appId: string,
    promptId: string,
    where: ContentOf & { arguments?: Readonly<Record<string, string>> },
  ): Promise<FilledPrompt>;
  /** Suggests values of an argument. Never asks the user to sign in. */
  complete(appId: string, what: CompletionOf, where: ListOf): Promise<Suggestions>;
};

/** Resources and prompts by app id. */
export function contentsById(
  contents: Contents,
  usable: (appId: string, where: { project: string }) => InstalledApp,
): { resources: RuntimeResources; prompts: RuntimePrompts } {
  const listing = (where: ListOf): ContentRequest => ({ ...where, chat: null, mayAsk: false });
  const asking = ({ project, chat, signal }: ContentOf): ContentRequest => ({
    project,
    chat: requireChat(chat),
    signal,
  });
  const complete = async (appId: string, what: CompletionOf, where: ListOf) =>
    contents.complete(usable(appId, where), what, listing(where));
  return {
    resources: {
      list: async (appId, where) => contents.resources(usable(appId, where), listing(where)),
      read: async (appId, uri, where) => contents.read(usable(appId, where), uri, asking(where)),
      complete,
      watch: async (appId, uri, where) => contents.watch(usable(appId, where), uri, listing(where)),
    },
    prompts: {
      complete,
      list: async (appId, where) => contents.prompts(usable(appId, where), listing(where)),
      get: async (appId, promptId, { arguments: args = {}, ...where }) =>
        contents.fill(usable(appId, where), promptId, args, asking(where)),
    },
  };
}
