import { requireChat } from './calls/calls.ts';
import type { ContentRequest, Contents, ResourceLists } from './calls/content/contents.ts';
import type { AppPrompt, OfferedList } from './calls/content/offered-content.ts';
import type { ContentPart, FilledPrompt } from './calls/content/read-content.ts';
import type { InstalledApp } from './library/installed-app.ts';

/** Where something of a connector is asked for: the same opaque ids of project and chat as those of calls. */
export type ContentOf = { project: string; chat: string; signal?: AbortSignal };

/** What lists need: they never ask the user to sign in, and reject with `not-connected` instead. */
type ListOf = Pick<ContentOf, 'project' | 'signal'>;

/** Resources of connectors. All of it throws RuntimeError; `not-offered` for an app that is no connector. */
export type RuntimeResources = {
  list(appId: string, where: ListOf): Promise<ResourceLists>;
  /** Reads a resource: one that is listed, of a template, or that a tool has named. */
  read(appId: string, uri: string, where: ContentOf): Promise<ContentPart[]>;
};

/** Prompts of connectors. All of it throws RuntimeError; `not-offered` for an app that is no connector. */
export type RuntimePrompts = {
  list(appId: string, where: ListOf): Promise<OfferedList<AppPrompt>>;
  /** Has the server fill a prompt in. */
  get(
    appId: string,
    promptId: string,
    where: ContentOf & { arguments?: Readonly<Record<string, string>> },
  ): Promise<FilledPrompt>;
};

/** Resources and prompts by the ids of apps, each looked up when it is asked for. */
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
  return {
    resources: {
      list: async (appId, where) => contents.resources(usable(appId, where), listing(where)),
      read: async (appId, uri, where) => contents.read(usable(appId, where), uri, asking(where)),
    },
    prompts: {
      list: async (appId, where) => contents.prompts(usable(appId, where), listing(where)),
      get: async (appId, promptId, { arguments: args = {}, ...where }) =>
        contents.fill(usable(appId, where), promptId, args, asking(where)),
    },
  };
}
