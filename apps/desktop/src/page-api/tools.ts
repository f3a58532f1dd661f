import { type CallResult, RuntimeError, type ToolsNow } from '@svc/runtime';
import { z } from 'zod';
import { PAGE_NAME } from '../cards/prompt-queue.ts';
import { invalid } from '../http/exchange.ts';
import type { Session } from '../sessions/sessions.ts';
import type { CallView, ToolView } from '../wire/views.ts';
import { AppId, type CallsOf, FolderPath, Id, type PageParts } from './page-call.ts';

const MAX_FILES = 20;

const Call = z.strictObject({
  callId: Id,
  appId: AppId,
  tool: Id,
  project: Id,
  arguments: z.record(z.string(), z.unknown()),
  files: z.record(Id, z.array(Id).max(MAX_FILES)),
});

const OneApp = z.strictObject({ appId: AppId, project: Id });

const PAGE = { name: PAGE_NAME };

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
export function toolCalls({ desktop, uploads, kept }: PageParts): CallsOf<'tools'> {
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
    'tools.list': {
      input: OneApp,
      async answer({ appId, project }, { signal }) {
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
      },
    },
    'tools.known': {
      input: OneApp,
      answer: ({ appId, project }) => ({ tools: viewOf(runtime.toolsNow(appId, { project })) }),
    },
    'tools.changes': {
      input: z.strictObject({}),
      answer: () => ({ waiting: runtime.toolChanges.list() }),
    },
    'tools.acceptChanges': {
      input: z.strictObject({ appId: AppId, binding: Id }),
      answer: ({ appId, binding }) => runtime.toolChanges.accept(appId, binding),
    },
    'tools.names': {
      input: z.strictObject({ project: Id }),
      answer: ({ project }) => ({
        apps: runtime.allToolsNow({ project }).map((now) => ({
          appId: now.app.appId,
          tools: viewOf(now).map(({ id, name }) => ({ id, name })),
        })),
      }),
    },
    'tools.call': {
      input: Call,
      answer: ({ callId, appId, tool, project, arguments: args, files }, { session, signal: gone }) =>
        running.run(session, callId, gone, async (signal) => {
          try {
            const handed = Object.entries(files).map(([param, ids]) => [
              param,
              ids.map((id) => uploads.get(session, id)),
            ]);
            const result = await desktop.call(PAGE, {
              ...{ appId, callId, tool, project, signal },
              arguments: args,
              files: Object.fromEntries(handed),
              chat: `desktop-${session.id}`,
            });
            return answered(session, appId, result);
          } catch (error) {
            if (!(error instanceof RuntimeError)) throw error;
            return { outcome: 'refused', code: error.code, message: error.message };
          }
        }),
    },
    'tools.stop': {
      input: z.strictObject({ callId: Id }),
      answer: ({ callId }, { session }) => running.stop(session, callId),
    },
    'tools.saveFile': {
      input: z.strictObject({ fileId: Id, appId: AppId, project: Id, path: FolderPath }),
      async answer({ fileId, appId, project, path }, { session, signal }) {
        const folder = projectFolder(project);
        const { content: bytes } = await kept.read(session, fileId, appId);
        await runtime.save(appId, { project, folder, path, bytes }, signal);
      },
    },
  };
}
