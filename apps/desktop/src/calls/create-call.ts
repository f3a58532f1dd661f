import { type CallRequest, type CallResult, type Runtime, RuntimeError, type System } from '@svc/runtime';
import type { PromptQueue } from '../cards/prompt-queue.ts';
import type { Desktop } from '../desktop.ts';
import type { PageEvents } from '../events/page-events.ts';
import { masked } from './masked.ts';

type Deps = {
  runtime: Pick<Runtime, 'call'>;
  desk: PromptQueue;
  events: PageEvents;
  ambient: Pick<System, 'now'>;
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
    : { outcome: 'ended', said: 'Whoever asked gave up, or the desktop failed.' };

/** Makes the one way to call a tool, whoever asks: it is what tells of calls. */
export function createCall({ runtime, desk, events, ambient }: Deps): Desktop['call'] {
  return async (asker, { appId, callId, ...request }) => {
    const begun = ambient.now();
    const onProgress: CallRequest['onProgress'] = (progress) => {
      events.tell({ type: 'call-progress', callId, progress });
      request.onProgress?.(progress);
    };
    const log = ({ outcome, said }: Ended) =>
      events.tell({
        type: 'call-log',
        at: new Date(begun).toISOString(),
        appId,
        tool: request.tool,
        asker: asker.name,
        ms: Math.max(0, Math.round(ambient.now() - begun)),
        outcome,
        detail: `${askedWith(request)} → ${masked(said)}`,
      });
    try {
      const result = await desk.as(asker, () => runtime.call(appId, { ...request, onProgress }));
      log(answeredWith(result));
      return result;
    } catch (error) {
      log(refusedWith(error));
      throw error;
    }
  };
}
