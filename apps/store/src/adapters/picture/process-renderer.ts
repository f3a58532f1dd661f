import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { guarded } from '@svc/contracts/guarded';
import { programFile } from '../../platform/own-package.ts';
import type { Drawing, PictureRenderer } from '../../platform/picture-renderer.ts';
import { UnavailableError } from '../../platform/unavailable-error.ts';
import type { Asked } from './draw-process.ts';

/** Maximum wall time of a drawing, even on a busy machine; the process ends itself much earlier, by its processor time. */
const MAX_WAIT_MS = 30_000;
/** Maximum processor time of a drawing, in milliseconds. */
const MAX_CPU_MS = 2_000;
/** How long an idle process stays alive. */
const IDLE_MS = 60_000;

/** The response of the process: a drawing, null for a file that is not a picture, or the limit that was exceeded. */
type Answer = { png: Uint8Array | null; look: string | null } | { over: keyof typeof LIMITS };

/** The limits of a drawing, in the words of the message to its author. */
const LIMITS = {
  time: 'it takes more than 2 seconds of processor time to draw',
  memory: 'it takes too much memory to draw',
} as const;

/** The environment variables that a program needs on every system; none are settings of the store. */
const environment = (): NodeJS.ProcessEnv => {
  const { PATH, HOME, TMPDIR, SystemRoot, NODE_COMPILE_CACHE } = process.env;
  return { PATH, HOME, TMPDIR, SystemRoot, NODE_COMPILE_CACHE, NODE_ENV: 'production' };
};

const endedEarly = (): never => {
  throw new Error('The process that draws pictures ended before it answered.');
};

function start(maxCpuMs: number): ChildProcess {
  const child = fork(programFile('draw-process'), [String(maxCpuMs)], {
    env: environment(),
    execArgv: ['--max-old-space-size=128'],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  // The exit event reports errors of the process.
  child.on(
    'error',
    guarded(() => child.kill('SIGKILL')),
  );
  return child;
}

/** Sends a request to a process, and waits for its answer. @throws when the process did not start, or ends first */
function askProcess(child: ChildProcess, asked: Asked, signal: AbortSignal): Promise<Answer> {
  child.ref();
  child.channel?.ref();
  const answer = once(child, 'message', { signal }).then(([message]) => message as Answer);
  const exit = once(child, 'exit', { signal }).then(() => endedEarly());
  // A process that did not start, for want of descriptors, has no `send`: the error is one of these promises, and none is left alone.
  const refused = new Promise<never>((_, reject) => {
    child.send(asked, (error) => error && reject(error));
  });
  return Promise.race([answer, exit, refused]);
}

/** Limits of one drawing, in milliseconds of processor time and of wall time; the latter is read at each drawing. */
export type DrawLimits = { maxCpuMs?: number; maxWaitMs?: number };

/**
 * Draws pictures in a child process, one at a time. A drawing that exceeds its limits ends the process. The caller limits the queue.
 */
export function createProcessRenderer(limits: DrawLimits = {}): PictureRenderer & { close(): Promise<void> } {
  let child: ChildProcess | null = null;
  let idle: NodeJS.Timeout | undefined;
  let last: Promise<unknown> = Promise.resolve();

  function end(): void {
    child?.kill('SIGKILL');
    child = null;
  }

  function running(): ChildProcess {
    if (child === null || child.exitCode !== null || !child.connected)
      child = start(limits.maxCpuMs ?? MAX_CPU_MS);
    clearTimeout(idle);
    return child;
  }

  /** An idle process ends soon, and does not prevent the store from stopping. */
  function rest(): void {
    child?.unref();
    child?.channel?.unref();
    idle = setTimeout(guarded(end), IDLE_MS).unref();
  }

  async function drawNow(asked: Asked): Promise<Drawing> {
    const over = new AbortController();
    const timer = setTimeout(
      guarded(() => over.abort()),
      limits.maxWaitMs ?? MAX_WAIT_MS,
    );
    try {
      const result = await askProcess(running(), asked, over.signal);
      if ('over' in result) return overLimit(LIMITS[result.over]);
      const { png, look } = result;
      return png === null ? { ok: false, why: 'it cannot be drawn' } : { ok: true, png, look };
    } catch (error) {
      end();
      throw new UnavailableError('Drawing a picture failed.', { cause: error });
    } finally {
      clearTimeout(timer);
      over.abort();
      rest();
    }
  }

  function overLimit(why: string): Drawing {
    end();
    return { ok: false, why };
  }

  function inTurn(asked: Asked): Promise<Drawing> {
    const turn = last.then(() => drawNow(asked));
    last = turn.catch(() => undefined);
    return turn;
  }

  return {
    draw: (picture, square) => inTurn({ picture, ...(square !== undefined && { square }) }),
    drawSmall: (picture, side) => inTurn({ picture, side }),
    drawPreview: (preview) => inTurn({ preview }),
    async close() {
      clearTimeout(idle);
      end();
    },
  };
}
