import { cleanLine } from '@svc/text';
import { z } from 'zod';
import { namedLike } from '../activity/named-like.ts';
import { findFiles } from '../folders/private-folder.ts';
import { sendJson } from '../http/answer.ts';
import { type Exchange, invalid, notFound, readJson } from '../http/exchange.ts';
import { ACTIVITY_KINDS } from '../wire/views.ts';
import { agentCalls } from './agents.ts';
import { accountCalls, appCalls } from './apps.ts';
import { chatCalls } from './chats.ts';
import { clientCalls } from './client.ts';
import { modelCalls } from './models.ts';
import {
  AppId,
  AppIn,
  type Caller,
  call,
  FolderPath,
  Id,
  Nothing,
  OneFolder,
  type PageParts,
} from './page-call.ts';
import { panelCalls } from './panels.ts';
import { permissionCalls } from './permissions.ts';
import { previewCalls } from './previews.ts';
import { sourceCalls, storeCalls } from './store.ts';
import { contentCalls, toolCalls } from './tools.ts';

const MAX_NAME = 80;

/** Projects, and the folders that agents may pass files from. */
function projectCalls({ desktop: { settings } }: PageParts) {
  const allowed = () => ({ folders: settings.allowedFolders() });
  return {
    'projects.add': call(
      z.strictObject({ name: z.string().max(1_000), folder: FolderPath.nullable() }),
      async ({ name, folder }) => {
        const plain = cleanLine(name, MAX_NAME);
        if (plain === '') throw invalid('A project needs a name.');
        return { project: await settings.addProject(plain, folder) };
      },
    ),
    'projects.remove': call(z.strictObject({ project: Id }), ({ project }) =>
      settings.removeProject(project),
    ),
    /** Files of the folder of a project and the allowed ones, by a part of their path. `GET /project-files` has their bytes. */
    'projects.findFiles': call(
      z.strictObject({ project: Id, q: z.string().max(200) }),
      async ({ project, q }, { signal }) => {
        const { project: own, allowed } = settings.sharedFolders(project);
        return { files: await findFiles([...(own === null ? [] : [own]), ...allowed], q, signal) };
      },
    ),
    /** Folders, in addition to those of projects, that agents may pass files from. */
    'projects.allowed': call(Nothing, allowed),
    'projects.allow': call(OneFolder, async ({ folder }) => {
      await settings.allowFolder(folder);
      return allowed();
    }),
    'projects.disallow': call(OneFolder, async ({ folder }) => {
      await settings.disallowFolder(folder);
      return allowed();
    }),
  };
}

const OneFile = AppIn.extend({ id: Id });

/** The stored files of apps, including those of earlier sessions. */
function fileCalls({ desktop: { runtime }, kept }: PageParts) {
  return {
    /** The files of an app in a project, including those of earlier sessions. */
    'files.list': call(AppIn, async ({ appId, project }) => ({
      files: await runtime.files.list(appId, { project }),
    })),
    /** Opens a stored file for this page, to be downloaded with `GET /files/<id>`. */
    'files.open': call(OneFile, async ({ appId, project, id }, { session }) => {
      const { content: _content, ...file } = await runtime.files.read(appId, id, { project });
      return { file: kept.add(session, appId, file) };
    }),
    'files.remove': call(OneFile, ({ appId, project, id }) => runtime.files.remove(appId, id, { project })),
  };
}

/** The activity log. */
function activityCalls({ activity, desktop: { runtime } }: PageParts) {
  return {
    /** The activity of apps and agents; `before` returns entries older than that one. */
    'activity.list': call(
      z.strictObject({
        appId: z.exactOptional(AppId),
        kind: z.exactOptional(z.enum(ACTIVITY_KINDS)),
        outcome: z.exactOptional(z.string().max(200)),
        asker: z.exactOptional(z.string().max(200)),
        chat: z.exactOptional(Id),
        from: z.exactOptional(z.iso.datetime()),
        to: z.exactOptional(z.iso.datetime()),
        text: z.exactOptional(z.string().min(1).max(200)),
        before: z.exactOptional(z.int().positive()),
      }),
      (wanted) =>
        activity.list(
          wanted,
          wanted.text === undefined ? undefined : namedLike(runtime.library.list(), wanted.text),
        ),
    ),
    /** Clears everything if no app is given. */
    'activity.clear': call(z.strictObject({ appId: z.exactOptional(AppId) }), ({ appId }) =>
      activity.clear(appId),
    ),
  };
}

/** Largest request, in bytes: messages of panels are the longest. */
const MAX_BYTES = 8 * 1024 * 1024;

/** All calls except the one that opens a session: a closed table, with one function for each feature. */
const callsOf = (parts: PageParts) => ({
  ...clientCalls(parts),
  ...storeCalls(parts),
  ...appCalls(parts),
  ...accountCalls(parts),
  ...toolCalls(parts),
  ...fileCalls(parts),
  ...panelCalls(parts),
  ...permissionCalls(parts),
  ...sourceCalls(parts),
  ...contentCalls(parts),
  ...projectCalls(parts),
  ...agentCalls(parts),
  ...activityCalls(parts),
  ...chatCalls(parts),
  ...modelCalls(parts),
  ...previewCalls(parts),
});

/** The calls of the page, with the input and the output of each. */
export type PageCalls = ReturnType<typeof callsOf>;

/** Any call, with its input validated by its own schema. */
type AnyCall = { input: z.ZodType; answer(input: unknown, caller: Caller): unknown };

/** Describes an invalid input, without repeating it: a rule of ours in its own words. */
function faultOf(error: z.ZodError): string {
  const [issue] = error.issues;
  if (issue?.code === 'custom') return issue.message;
  const where = issue?.path.join('.') || 'the request';
  return `${where}: ${issue?.code === 'unrecognized_keys' ? 'has unknown fields' : 'is not valid'}.`;
}

/** Creates the handler of page calls. */
export function serveCalls(parts: PageParts) {
  const byName = new Map(Object.entries(callsOf(parts)) as [string, AnyCall][]);
  return async (
    { request, response, signal }: Exchange,
    name: string,
    { session }: Pick<Caller, 'session'>,
  ) => {
    const call = byName.get(name);
    if (!call) throw notFound('Unknown call.');
    const input = call.input.safeParse(await readJson(request, MAX_BYTES));
    if (!input.success) throw invalid(faultOf(input.error));
    sendJson(response, (await call.answer(input.data, { session, signal })) ?? {});
  };
}
