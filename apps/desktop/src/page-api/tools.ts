import { UriTemplate } from '@modelcontextprotocol/client';
import {
  asRefusal,
  type CallResult,
  type ContentPart,
  RuntimeError,
  type ToolCaller,
  type ToolsNow,
} from '@svc/runtime';
import { z } from 'zod';
import { PAGE_NAME } from '../cards/prompt-queue.ts';
import { invalid } from '../http/exchange.ts';
import type { Session } from '../sessions/sessions.ts';
import type { CallView, ContentPartView, ToolView } from '../wire/views.ts';
import { AppId, AppIn, call, FolderPath, Id, type PageParts } from './page-call.ts';

const PAGE = { name: PAGE_NAME };

/** The user runs tools on the page. */
const USER: ToolCaller = { as: 'user' };

/** Bounds the size of a request. The runtime bounds what is sent to a connector. */
const Text = z.string().max(100_000);

const partViewOf = (part: ContentPart): ContentPartView => {
  const { given: _forAgents, ...own } = part;
  if (own.type !== 'file') return own;
  const { type, name, mediaType, bytes } = own;
  return { type, name, mediaType, data: Buffer.from(bytes).toString('base64') };
};

/** A resource by its URI, or by a template and the values of its variables (RFC 6570). */
const Resource = z.union([
  AppIn.extend({ uri: Text }),
  AppIn.extend({ uriTemplate: Text, arguments: z.record(Text, Text) }),
]);

function uriOf(which: z.output<typeof Resource>): string {
  if ('uri' in which) return which.uri;
  try {
    return new UriTemplate(which.uriTemplate).expand(which.arguments);
  } catch {
    throw invalid('The URI template of the resource is not valid.');
  }
}

const Completion = AppIn.extend({
  of: z.union([z.strictObject({ prompt: Text }), z.strictObject({ uriTemplate: Text })]),
  argument: z.strictObject({ name: Text, value: Text }),
  others: z.record(Text, Text),
});

export function contentCalls({ desktop }: PageParts) {
  const { runtime } = desktop;
  const whereOf = (project: string, session: Session, signal: AbortSignal) => ({
    project,
    chat: `desktop-${session.id}`,
    signal,
  });
  return {
    'resources.list': call(AppIn, ({ appId, project }, { signal }) =>
      runtime.resources.list(appId, { project, signal }),
    ),
    'resources.read': call(Resource, async (which, { session, signal }) => {
      const { appId, project } = which;
      const uri = uriOf(which);
      const parts = await desktop.read(PAGE, { appId, method: 'resources/read', asked: uri }, () =>
        runtime.resources.read(appId, uri, whereOf(project, session, signal)),
      );
      return { parts: parts.map(partViewOf) };
    }),
    /** Values that the server suggests for an argument of a prompt or a resource template. */
    'content.complete': call(Completion, ({ appId, project, ...what }, { signal }) =>
      runtime.prompts.complete(appId, what, { project, signal }),
    ),
    'prompts.list': call(AppIn, async ({ appId, project }, { signal }) => ({
      prompts: await runtime.prompts.list(appId, { project, signal }),
    })),
    'prompts.get': call(
      AppIn.extend({ id: Text, arguments: z.record(Text, Text) }),
      async ({ appId, project, id, arguments: args }, { session, signal }) => {
        const where = { ...whereOf(project, session, signal), arguments: args };
        const { description, messages } = await desktop.read(
          PAGE,
          { appId, method: 'prompts/get', asked: id },
          () => runtime.prompts.get(appId, id, where),
        );
        return {
          description,
          messages: messages.map(({ role, part }) => ({ role, part: partViewOf(part) })),
        };
      },
    ),
  };
}

const MAX_FILES = 20;

const Call = z.strictObject({
  callId: Id,
  appId: AppId,
  tool: Id,
  project: Id,
  arguments: z.record(z.string(), z.unknown()),
  files: z.record(Id, z.array(Id).max(MAX_FILES)),
});

/** Running calls, by session and the page's own id. */
function createRunning() {
  const running = new Map<string, AbortController>();
  const keyOf = (session: Session, callId: string) => `${session.id} ${callId}`;
  return {
    stop: (session: Session, callId: string) =>
      running.get(keyOf(session, callId))?.abort(new RuntimeError('declined', 'The call was stopped.')),
    async run<T>(
      session: Session,
      callId: string,
      gone: AbortSignal,
      work: (signal: AbortSignal) => Promise<T>,
    ): Promise<T> {
      const key = keyOf(session, callId);
      if (running.has(key)) throw invalid('A call with this id is already running.');
      const stopped = new AbortController();
      running.set(key, stopped);
      try {
        return await work(AbortSignal.any([gone, session.ended, stopped.signal]));
      } finally {
        running.delete(key);
      }
    },
  };
}

const viewOf = ({ tools, listing }: ToolsNow): ToolView[] =>
  tools.map((tool) => ({ ...tool, schema: listing }));

/** The tools of apps. */
export function toolCalls({ desktop, uploads, kept }: PageParts) {
  const { runtime, settings } = desktop;
  const running = createRunning();

  const answered = (session: Session, appId: string, result: CallResult): CallView => ({
    outcome: 'answered',
    isError: result.isError,
    structured: result.structured,
    parts: result.parts.map((part) =>
      part.type === 'text' ? part : { type: 'file', file: kept.add(session, appId, part.file) },
    ),
  });

  function projectFolder(id: string): string {
    const project = settings.projects().find((project) => project.id === id);
    if (project?.folder == null) throw invalid('This project has no folder. Choose a project with a folder.');
    return project.folder;
  }

  return {
    /** Requests the tools from the server; `fault` says why that failed, and the tools are then the known ones. */
    'tools.list': call(AppIn, async ({ appId, project }, { signal }) => {
      const known = () => {
        const now = runtime.toolsNow(appId, { project });
        return { tools: viewOf(now), repairs: now.repairs };
      };
      // Throws for an app that cannot be used, which is not an error of its server.
      known();
      try {
        await runtime.tools(appId, { project, signal });
        return { ...known(), fault: null };
      } catch (error) {
        if (!(error instanceof RuntimeError) || signal.aborted) throw error;
        return { ...known(), fault: error.message };
      }
    }),
    /** The known tools of an app, without a request to its server. */
    'tools.known': call(AppIn, ({ appId, project }) => ({
      tools: viewOf(runtime.toolsNow(appId, { project })),
    })),
    /** Changes of servers' tools that wait for the user, in every project. */
    'tools.changes': call(z.strictObject({}), () => ({ waiting: runtime.toolChanges.list() })),
    /** Decides about the changes of an app that the page showed. */
    'tools.decide': call(
      z.strictObject({ appId: AppId, binding: Id, as: z.enum(['accept', 'reject']) }),
      ({ appId, binding, as }) => runtime.toolChanges[as](appId, binding),
    ),
    /** Known tool names of all apps that can be used in a project, as manifests have them. */
    'tools.names': call(z.strictObject({ project: Id }), ({ project }) => ({
      apps: runtime.allToolsNow({ project }).map((now) => ({
        appId: now.app.appId,
        tools: viewOf(now).map(({ id, title }) => ({ id, name: title })),
      })),
    })),
    /** `callId` is the page's own, for progress and `tools.stop`; files are ids of `POST /uploads`, by argument. */
    'tools.call': call(
      Call,
      ({ callId, appId, tool, project, arguments: args, files }, { session, signal: gone }) =>
        running.run<CallView>(session, callId, gone, async (signal) => {
          try {
            const handed = Object.entries(files).map(([param, ids]) => [
              param,
              ids.map((id) => uploads.get(session, id)),
            ]);
            const result = await desktop.call(PAGE, {
              ...{ appId, callId, tool, project, signal, caller: USER },
              arguments: args,
              files: Object.fromEntries(handed),
              chat: `desktop-${session.id}`,
            });
            return answered(session, appId, result);
          } catch (error) {
            const refusal = asRefusal(error);
            if (!refusal) throw error;
            return { outcome: 'refused', code: refusal.code, message: refusal.message };
          }
        }),
    ),
    'tools.stop': call(z.strictObject({ callId: Id }), ({ callId }, { session }) =>
      running.stop(session, callId),
    ),
    /** Saves a file to the project's folder, after a card. */
    'tools.saveFile': call(
      z.strictObject({ fileId: Id, appId: AppId, project: Id, path: FolderPath }),
      async ({ fileId, appId, project, path }, { session, signal }) => {
        const folder = projectFolder(project);
        const { content: bytes } = await kept.read(session, fileId, appId);
        await runtime.save(appId, { project, folder, path, bytes }, signal);
      },
    ),
  };
}
