import { once } from 'node:events';
import { Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { createFrameReader, frameOf } from '../media/frames.ts';
import { type MediaAnswer, MediaError, type MediaTask } from '../media/media-task.ts';

// The process that reads and writes pictures and recordings, one at a time. Native decoders run on files of others here, so a fault
// in one of them ends this process, and not the client. Tasks come on standard input, answers go out on descriptor 3.

/** The process id of the client, and the maximum memory of this process in bytes. */
const [client = '0', maxMemory = '0'] = process.argv.slice(2);

/** The largest task, in bytes: the maximum of a file to be prepared, and the words about it. */
const MAX_TASK = 257 * 1024 * 1024;

/** Bytes that are read at once. */
const CHUNK = 256 * 1024;

/**
 * Ends the process when it needs too much memory, or the client is gone. In a thread: a decoder may block the main thread. Signals end
 * the process at once; SIGTERM means memory. Not a file of its own, because bundlers would not find it.
 */
const WATCH = `
const { workerData: { client, maxMemory } } = require('node:worker_threads');
const isGone = () => {
  if (process.platform !== 'win32') return process.ppid !== client;
  try { process.kill(client, 0); return false; } catch { return true; }
};
setInterval(() => {
  if (process.memoryUsage.rss() > maxMemory) process.kill(process.pid, 'SIGTERM');
  if (isGone()) process.kill(process.pid, 'SIGKILL');
}, 25);
`;
const watch = new Worker(WATCH, {
  eval: true,
  workerData: { client: Number(client), maxMemory: Number(maxMemory) },
});
await once(watch, 'online');
watch.unref();

/** Images need `sharp`, an optional peer dependency. */
async function requireSharp(): Promise<void> {
  await import('sharp').catch(() => {
    throw new MediaError('Pictures cannot be converted: the package sharp is not installed.');
  });
}

async function perform(task: MediaTask, bytes: Uint8Array): Promise<{ bytes: Uint8Array; type: string }> {
  if (task.work === 'draw') {
    await requireSharp();
    const { drawPicture } = await import('../media/images.ts');
    return { bytes: await drawPicture(bytes, task.side), type: 'image/png' };
  }
  if (task.type.startsWith('image/')) {
    await requireSharp();
    const { prepareImage } = await import('../media/images.ts');
    return prepareImage(bytes, task.type, task.request);
  }
  const { prepareRecording } = await import('../media/recordings.ts');
  return prepareRecording(bytes, task.type, task.request);
}

const output = new Socket({ fd: 3 });
output.on('error', () => process.exit(1));
const answer = (head: MediaAnswer, bytes: Uint8Array = new Uint8Array()) => {
  for (const part of frameOf(head, bytes)) output.write(part);
};

async function run(task: MediaTask, given: Uint8Array): Promise<void> {
  try {
    const { bytes, type } = await perform(task, given);
    answer({ type, memory: process.memoryUsage.rss() }, bytes);
  } catch (error) {
    // The error message of a decoder may contain parts of the file.
    const fault = error instanceof MediaError ? error.message : 'The file cannot be read.';
    answer({ fault, memory: process.memoryUsage.rss() });
  }
}

const tasks = createFrameReader<MediaTask>(MAX_TASK, ({ head, bytes }) => void run(head, bytes));
// One buffer for all chunks, as large as a pipe: a new one for each would cost more than the copy.
const chunk = Buffer.alloc(CHUNK);
const callback = (bytes: number) => {
  tasks.take(chunk.subarray(0, bytes));
  return true;
};
const input = new Socket({ fd: 0, onread: { buffer: chunk, callback } });
// The client ended, or closed this process.
input.on('end', () => process.exit(0));
input.on('error', () => process.exit(1));
