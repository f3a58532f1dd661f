import type { ContentPart } from '@svc/runtime';
import { z } from 'zod';
import { PAGE_NAME } from '../cards/prompt-queue.ts';
import type { Session } from '../sessions/sessions.ts';
import type { ContentPartView } from '../wire/views.ts';
import { AppId, type CallsOf, Id, type PageParts } from './page-call.ts';

const PAGE = { name: PAGE_NAME };

const OneApp = z.strictObject({ appId: AppId, project: Id });

/** Bounds the size of a request. The runtime bounds what is sent to a connector. */
const Text = z.string().max(100_000);

const viewOf = (part: ContentPart): ContentPartView => {
  const { given: _forAgents, ...own } = part;
  if (own.type !== 'file') return own;
  const { type, name, mediaType, bytes } = own;
  return { type, name, mediaType, data: Buffer.from(bytes).toString('base64') };
};

export function contentCalls({ desktop }: PageParts): CallsOf<'resources' | 'prompts'> {
  const { runtime } = desktop;
  const whereOf = (project: string, session: Session, signal: AbortSignal) => ({
    project,
    chat: `desktop-${session.id}`,
    signal,
  });
  return {
    'resources.list': {
      input: OneApp,
      answer: ({ appId, project }, { signal }) => runtime.resources.list(appId, { project, signal }),
    },
    'resources.read': {
      input: OneApp.extend({ uri: Text }),
      async answer({ appId, project, uri }, { session, signal }) {
        const parts = await desktop.read(PAGE, { appId, method: 'resources/read', asked: uri }, () =>
          runtime.resources.read(appId, uri, whereOf(project, session, signal)),
        );
        return { parts: parts.map(viewOf) };
      },
    },
    'prompts.list': {
      input: OneApp,
      answer: async ({ appId, project }, { signal }) => ({
        prompts: await runtime.prompts.list(appId, { project, signal }),
      }),
    },
    'prompts.get': {
      input: OneApp.extend({ id: Text, arguments: z.record(Text, Text) }),
      async answer({ appId, project, id, arguments: args }, { session, signal }) {
        const where = { ...whereOf(project, session, signal), arguments: args };
        const { description, messages } = await desktop.read(
          PAGE,
          { appId, method: 'prompts/get', asked: id },
          () => runtime.prompts.get(appId, id, where),
        );
        return { description, messages: messages.map(({ role, part }) => ({ role, part: viewOf(part) })) };
      },
    },
  };
}
