import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { guarded } from '@svc/contracts/guarded';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';
import { orAborted, withinTime } from '../platform/within-time.ts';
import { bareEnvironment, nodeOf, ownProgram, type Programs } from '../programs/own-program.ts';
import { createFrameReader, type Frame, frameOf } from './frames.ts';
import type { MediaAnswer, MediaTask } from './media-task.ts';

/** Limits of a process: its memory and the bytes of one result; and how long it stays without a task, in milliseconds. */
export type ProcessLimits = { maxMemory: number; maxOutput: number; idleMs: number };

/** Maximum size of the heap of JavaScript, in megabytes. Pixels, samples and files are outside the heap. */
const MAX_HEAP_MB = 512;
/** The share of the memory limit from which on a process is replaced after its task: allocators rarely give memory back. */
const MAX_KEPT_SHARE = 0.4;

/** A task, the bytes of its file, and its time limit in milliseconds, which begins when it is its turn. */
export type MediaJob = { task: MediaTask; bytes: Uint8Array; maxMs: number };

type Answer = Frame<MediaAnswer>;
type Running = {
  child: ChildProcess;
  input: Socket;
  output: Socket;
  /** Settles the answer to the current task. */
  settle: { resolve(answer: Answer): void; reject(error: RuntimeError): void } | null;
};

/** Why a process ended, for the user. Its watching thread ends it by SIGTERM when it needs too much memory. */
const endedBy = (signal: NodeJS.Signals | null): RuntimeError =>
  new RuntimeError(
    'media-failed',
    signal === 'SIGTERM'
      ? 'The file needs more memory than a conversion may use.'
      : 'The file cannot be read: the codec failed.',
  );

/** Starts the process: in a process group of its own, so that Ctrl-C in a terminal reaches only the client. */
function start({ maxMemory, maxOutput }: ProcessLimits, programs: Programs): Running {
  const program = ownProgram('media-process', programs);
  const words = [`--max-old-space-size=${MAX_HEAP_MB}`, program, String(process.pid), String(maxMemory)];
  const child = spawn(nodeOf(programs), words, {
    env: bareEnvironment(),
    cwd: tmpdir(),
    detached: process.platform !== 'win32',
    windowsHide: true,
    // Codecs print to standard output and error.
    stdio: ['pipe', 'ignore', 'ignore', 'pipe'],
  });
  const [input, , , output] = child.stdio as unknown as [Socket, null, null, Socket];
  const running: Running = { child, input, output, settle: null };
  const reader = createFrameReader<MediaAnswer>(maxOutput, (answer) => running.settle?.resolve(answer));
  const take = (chunk: Buffer) => {
    try {
      reader.take(chunk);
    } catch {
      running.settle?.reject(new RuntimeError('media-failed', 'The result is larger than allowed.'));
      kill(running);
    }
  };
  const ended = (signal: NodeJS.Signals | null) => running.settle?.reject(endedBy(signal));
  output.on('data', guarded(take));
  child.on(
    'error',
    guarded(() => ended(null)),
  );
  child.on(
    'exit',
    guarded((_code: number | null, signal: NodeJS.Signals | null) => ended(signal)),
  );
  // A process that ended early is reported by its exit.
  for (const pipe of [input, output]) pipe.on('error', () => undefined);
  return running;
}

const isOver = ({ child }: Running): boolean =>
  child.pid === undefined || child.exitCode !== null || child.signalCode !== null;

/** Kills the process and its process group. */
function kill(running: Running): void {
  const { pid = 0 } = running.child;
  if (isOver(running)) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {
    running.child.kill('SIGKILL');
  }
}

/** Sets whether the process keeps the client running. */
function hold({ child, input, output }: Running, isHeld: boolean): void {
  for (const one of [child, input, output]) isHeld ? one.ref() : one.unref();
}

/** Sends a task and waits for its answer. @throws the reason of the signal; RuntimeError `media-failed` when the process ends */
async function ask(running: Running, { task, bytes }: MediaJob, signal: AbortSignal): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  running.settle = { resolve, reject };
  try {
    for (const part of frameOf(task, bytes)) running.input.write(part);
    return await orAborted(signal, promise);
  } finally {
    running.settle = null;
  }
}

/** Creates the runner of a process. The first task starts it; so does the next one after a failure or an idle time. */
export function createMediaProcess(
  system: Pick<System, 'sleep'>,
  limits: ProcessLimits,
  programs: Programs = {},
) {
  let running: Running | null = null;
  let idle: NodeJS.Timeout | undefined;
  let last: Promise<unknown> = Promise.resolve();

  function end(): void {
    if (running) kill(running);
    running = null;
  }

  async function runNow(job: MediaJob, signal: AbortSignal): Promise<Answer> {
    signal.throwIfAborted();
    clearTimeout(idle);
    if (running === null || isOver(running)) running = start(limits, programs);
    const now = running;
    hold(now, true);
    try {
      const answer = await ask(now, job, signal);
      if (answer.head.memory > limits.maxMemory * MAX_KEPT_SHARE) end();
      return answer;
    } catch (error) {
      end();
      throw error;
    } finally {
      hold(now, false);
      idle = setTimeout(guarded(end), limits.idleMs).unref();
    }
  }

  return {
    /** @throws RuntimeError `media-failed` when the file cannot be prepared or ends the process, `too-slow`; the reason of the signal */
    async run(job: MediaJob, signal: AbortSignal): Promise<{ bytes: Uint8Array; type: string }> {
      const turn = last.then(() => withinTime(system, job.maxMs, signal, (timed) => runNow(job, timed)));
      last = turn.catch(() => undefined);
      const { head, bytes } = await turn;
      if ('fault' in head) throw new RuntimeError('media-failed', head.fault);
      return { bytes, type: head.type };
    },
    /** Ends the process, and waits until it is gone. */
    async close() {
      clearTimeout(idle);
      const ending = running;
      end();
      if (!ending || isOver(ending)) return;
      // Else a client that does nothing more would end before the process, with an exit code for a promise that is never settled.
      ending.child.ref();
      await once(ending.child, 'exit');
    },
  };
}
