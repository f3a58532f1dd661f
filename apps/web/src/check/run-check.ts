import { LIMITS } from '@svc/contracts';
import type { Mode, Question, Report } from './check-file.ts';

/** How long a check may take, in milliseconds; the store gives up after the same time. */
const TIME_LIMIT_MS = 30_000;

/**
 * Checks a file in a thread of its own, so that a hostile one can neither freeze the page nor outlast its time.
 * @throws Error with a sentence for the user when the file cannot be read or the check does not come to an end
 */
export async function runCheck(file: File, mode: Mode): Promise<Report> {
  // No bundle may be so large even when it is unpacked.
  const bytes = file.size > LIMITS.bundle.inflatedBytes ? undefined : await read(file);
  // The store writes it there: this page has nobody to ask.
  const localApps = document.documentElement.dataset.localApps !== undefined;
  return askWorker({ name: file.name, size: file.size, bytes, mode, localApps });
}

async function read(file: File): Promise<Uint8Array> {
  try {
    return new Uint8Array(await file.arrayBuffer());
  } catch {
    throw new Error(`${file.name} cannot be read: is it a folder, or gone?`);
  }
}

function askWorker(question: Question): Promise<Report> {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
  let timer: ReturnType<typeof setTimeout> | undefined;
  return new Promise<Report>((resolve, reject) => {
    const give = (why: string) => reject(new Error(`${question.name}: ${why}`));
    timer = setTimeout(() => give('the checks took too long and were stopped.'), TIME_LIMIT_MS);
    worker.onmessage = ({ data }: MessageEvent<Report>) => resolve(data);
    worker.onerror = () => give('the checks stopped unexpectedly. Try svc validate.');
    worker.onmessageerror = () => give('the checks stopped unexpectedly. Try svc validate.');
    worker.postMessage(question, question.bytes ? [question.bytes.buffer as ArrayBuffer] : []);
  }).finally(() => {
    clearTimeout(timer);
    worker.terminate();
  });
}
