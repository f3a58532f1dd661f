import { type CallRequest, type CallResult, type Runtime, RuntimeError, type System } from '@svc/runtime';
import type { Asker, PromptQueue } from '../cards/prompt-queue.ts';
import type { Content, Desktop } from '../desktop.ts';
import type { PageEvents } from '../events/page-events.ts';
import { masked } from './masked.ts';

type Deps = {
  runtime: Pick<Runtime, 'call'>;
  desk: PromptQueue;
  events: PageEvents;
  system: Pick<System, 'now'>;
};

type Ended = { outcome: string; said: unknown };

function askedWith({ arguments: args, files = {} }: CallRequest): string {
  const handed = Object.entries(files).map(
    ([param, list]) => `${param}: ${list.map(({ name }) => masked(name)).join(', ')}`,
  );
  return [masked(args), ...handed].join(' + ');
}

const answeredWith = ({ isError, parts, structured }: CallResult): Ended => ({
  outcome: isError ? 'failed' : 'answered',
  said: structured ?? parts.map((part) => (part.type === 'text' ? part.text : part.file.name)),
});

const refusedWith = (error: unknown): Ended =>
  error instanceof RuntimeError
    ? { outcome: error.code, said: error.message }
    : { outcome: 'ended', said: 'The caller gave up, or the desktop failed.' };

type LoggedDeps = Pick<Deps, 'desk' | 'events' | 'system'>;

/** Does something of an app in the name of the caller, and logs it as one line. */
async function logged<T>(
  { desk, events, system }: LoggedDeps,
  asker: Asker,
  { appId, tool, asked }: { appId: string; tool: string; asked: string },
  { work, endedBy }: { work: () => Promise<T>; endedBy: (result: T) => Ended },
): Promise<T> {
  const begun = system.now();
  const log = ({ outcome, said }: Ended) =>
    events.tell({
      type: 'call-log',
      at: new Date(begun).toISOString(),
      ...{ appId, tool, asker: asker.name },
      ms: Math.max(0, Math.round(system.now() - begun)),
      outcome,
      detail: `${asked} → ${masked(said)}`,
    });
  try {
    const result = await desk.as(asker, work);
    log(endedBy(result));
    return result;
  } catch (error) {
    log(refusedWith(error));
    throw error;
  }
}

/** Makes the one way to call a tool, for every caller: it emits the events of calls. */
export function createCall({ runtime, ...deps }: Deps): Desktop['call'] {
  return async (asker, { appId, callId, ...request }) => {
    const onProgress: CallRequest['onProgress'] = (progress) => {
      deps.events.tell({ type: 'call-progress', callId, progress });
      request.onProgress?.(progress);
    };
    return logged(
      deps,
      asker,
      { appId, tool: request.tool, asked: askedWith(request) },
      { work: () => runtime.call(appId, { ...request, onProgress }), endedBy: answeredWith },
    );
  };
}

function textsOf(content: Content): string[] {
  const parts = 'messages' in content ? content.messages.map(({ part }) => part) : content;
  return parts.map((part) => (part.type === 'text' ? part.text : part.name));
}

/** Makes the one way to read what connectors have beside tools: it is told of like a call. */
export const createRead =
  (deps: LoggedDeps): Desktop['read'] =>
  (asker, { appId, method, asked }, work) =>
    logged(
      deps,
      asker,
      { appId, tool: method, asked: masked(asked) },
      { work, endedBy: (content) => ({ outcome: 'answered', said: textsOf(content) }) },
    );
