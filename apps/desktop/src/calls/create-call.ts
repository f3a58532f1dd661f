import { type CallRequest, type CallResult, type Runtime, RuntimeError, type System } from '@svc/runtime';
import type { Asker, PromptQueue } from '../cards/prompt-queue.ts';
import type { Content, Desktop } from '../desktop.ts';
import type { PageEvents } from '../events/page-events.ts';
import { masked } from './masked.ts';

type Deps = {
  runtime: Pick<Runtime, 'call'>;
  prompts: PromptQueue;
  events: PageEvents;
  system: Pick<System, 'now'>;
};

type Outcome = { outcome: string; content: unknown };

function describeRequest({ arguments: args, files = {} }: CallRequest): string {
  const fileTexts = Object.entries(files).map(
    ([param, list]) => `${param}: ${list.map(({ name }) => masked(name)).join(', ')}`,
  );
  return [masked(args), ...fileTexts].join(' + ');
}

const outcomeOf = ({ isError, parts, structured }: CallResult): Outcome => ({
  outcome: isError ? 'failed' : 'answered',
  content: structured ?? parts.map((part) => (part.type === 'text' ? part.text : part.file.name)),
});

const errorOutcome = (error: unknown): Outcome =>
  error instanceof RuntimeError
    ? { outcome: error.code, content: error.message }
    : { outcome: 'ended', content: 'The caller gave up, or the desktop failed.' };

type LoggedDeps = Pick<Deps, 'prompts' | 'events' | 'system'>;

/** Runs work of an app for a caller, and logs it as one event. */
async function logged<T>(
  { prompts, events, system }: LoggedDeps,
  asker: Asker,
  { appId, tool, request }: { appId: string; tool: string; request: string },
  { work, outcomeOf }: { work: () => Promise<T>; outcomeOf: (result: T) => Outcome },
): Promise<T> {
  const begun = system.now();
  const log = ({ outcome, content }: Outcome) =>
    events.emit({
      type: 'call-log',
      at: new Date(begun).toISOString(),
      ...{ appId, tool, asker: asker.name },
      ms: Math.max(0, Math.round(system.now() - begun)),
      outcome,
      detail: `${request} → ${masked(content)}`,
    });
  try {
    const result = await prompts.as(asker, work);
    log(outcomeOf(result));
    return result;
  } catch (error) {
    log(errorOutcome(error));
    throw error;
  }
}

/** Creates the function that calls tools for all callers. It emits the progress and the log of each call. */
export function createCall({ runtime, ...deps }: Deps): Desktop['call'] {
  return async (asker, { appId, callId, ...request }) => {
    const onProgress: CallRequest['onProgress'] = (progress) => {
      deps.events.emit({ type: 'call-progress', callId, progress });
      request.onProgress?.(progress);
    };
    return logged(
      deps,
      asker,
      { appId, tool: request.tool, request: describeRequest(request) },
      { work: () => runtime.call(appId, { ...request, onProgress }), outcomeOf },
    );
  };
}

function textsOf(content: Content): string[] {
  const parts = 'messages' in content ? content.messages.map(({ part }) => part) : content;
  return parts.map((part) => (part.type === 'text' ? part.text : part.name));
}

/** Creates the function that reads resources and prompts of connectors. Reads are logged like calls. */
export const createRead =
  (deps: LoggedDeps): Desktop['read'] =>
  (asker, { appId, method, asked }, work) =>
    logged(
      deps,
      asker,
      { appId, tool: method, request: masked(asked) },
      { work, outcomeOf: (content) => ({ outcome: 'answered', content: textsOf(content) }) },
    );
