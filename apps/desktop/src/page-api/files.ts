import { z } from 'zod';
import { AppId, type CallsOf, Id, type PageParts } from './page-call.ts';

const OneApp = z.strictObject({ appId: AppId, project: Id });
const OneFile = z.strictObject({ appId: AppId, project: Id, id: Id });

/** The stored files of apps, including those of earlier sessions. */
export function fileCalls({ desktop: { runtime }, kept }: PageParts): CallsOf<'files'> {
  return {
    'files.list': {
      input: OneApp,
      answer: async ({ appId, project }) => ({ files: await runtime.files.list(appId, { project }) }),
    },
    'files.open': {
      input: OneFile,
      async answer({ appId, project, id }, { session }) {
        const { content: _content, ...file } = await runtime.files.read(appId, id, { project });
        return { file: kept.add(session, appId, file) };
      },
    },
    'files.remove': {
      input: OneFile,
      answer: ({ appId, project, id }) => runtime.files.remove(appId, id, { project }),
    },
  };
}
