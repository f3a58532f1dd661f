import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { programFile } from '../../platform/own-package.ts';
import type { Drawing, PictureRenderer } from '../../platform/picture-renderer.ts';
import { UnavailableError } from '../../platform/unavailable-error.ts';
import type { Asked } from './draw-process.ts';

/** How long a drawing may take by the clock, on however busy a machine; the process itself ends long before by processor time. */
const MAX_WAIT_MS = 30_000;
/** Processor time that a drawing may take, in milliseconds. */
const MAX_CPU_MS = 2_000;
/** How long a process without work stays. */
const IDLE_MS = 60_000;

/** What the process answers: a drawing, null for what is no picture, or what it took too much of. */
type Answer = { png: Uint8Array | null } | { over: keyof typeof LIMITS };

/** What a drawing can be over, as its author is told. */
const LIMITS = {
  time: 'it takes more than 2 seconds of processor time to draw',
  memory: 'it takes too much memory to draw',
} as const;

/** The variables a program needs to start anywhere; none of the store's settings are among them. */
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
  // What goes wrong in it is told by its end.
  child.on('error', () => child.kill('SIGKILL'));
  return child;
}

/** Limits of one drawing, in milliseconds of processor time and of the clock; the latter is read at each drawing. */
export type DrawLimits = { maxCpuMs?: number; maxWaitMs?: number };

/**
 * Draws pictures in a process of its own, one at a time, that is ended with the drawing that is over its limits. Who asks
 * bounds how many wait.
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

  /** An idle process keeps neither memory for long nor the store from ending. */
  function rest(): void {
    child?.unref();
    child?.channel?.unref();
    idle = setTimeout(end, IDLE_MS).unref();
  }

  async function drawNow(asked: Asked): Promise<Drawing> {
    const process_ = running();
    process_.ref();
    process_.channel?.ref();
    const over = new AbortController();
    const { signal } = over;
    const timer = setTimeout(() => over.abort(), limits.maxWaitMs ?? MAX_WAIT_MS);
    try {
      const answer = once(process_, 'message', { signal }).then(([message]) => message as Answer);
      const exit = once(process_, 'exit', { signal }).then(() => endedEarly());
      process_.send(asked);
      const result = await Promise.race([answer, exit]);
      if ('over' in result) return overLimit(LIMITS[result.over]);
      return result.png === null ? { ok: false, why: 'it cannot be drawn' } : { ok: true, png: result.png };
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
    draw: (picture) => inTurn({ picture }),
    drawPreview: (preview) => inTurn({ preview }),
    async close() {
      clearTimeout(idle);
      end();
    },
  };
}
