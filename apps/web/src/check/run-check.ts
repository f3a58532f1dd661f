import { LIMITS } from '@svc/contracts';
import type { CheckRequest, Mode, Report } from './check-file.ts';

/** Time limit of a check, in milliseconds; the store has the same limit. */
const TIME_LIMIT_MS = 30_000;

/**
 * Checks a file in a web worker, so that a hostile file can neither freeze the page nor exceed the time limit.
 * @throws Error with a message for the user when the file cannot be read or the check does not finish
 */
export async function runCheck(file: File, mode: Mode): Promise<Report> {
  // A file above the limit of an unpacked bundle cannot be valid: do not read it.
  const bytes = file.size > LIMITS.bundle.inflatedBytes ? undefined : await read(file);
  // The store writes this attribute into the page, whose policy allows no requests.
  const localApps = document.documentElement.dataset.localApps !== undefined;
  return checkInWorker({ name: file.name, size: file.size, bytes, mode, localApps });
}

async function read(file: File): Promise<Uint8Array> {
  try {
    return new Uint8Array(await file.arrayBuffer());
  } catch {
    throw new Error(`${file.name} cannot be read. It may be a folder, or may have been deleted.`);
  }
}

function checkInWorker(request: CheckRequest): Promise<Report> {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
  let timer: ReturnType<typeof setTimeout> | undefined;
  return new Promise<Report>((resolve, reject) => {
    const fail = (reason: string) => reject(new Error(`${request.name}: ${reason}`));
    timer = setTimeout(() => fail('the checks took too long and were stopped.'), TIME_LIMIT_MS);
    worker.onmessage = ({ data }: MessageEvent<Report>) => resolve(data);
    worker.onerror = () => fail('the checks stopped unexpectedly. Run svc validate instead.');
    worker.onmessageerror = () => fail('the checks stopped unexpectedly. Run svc validate instead.');
    worker.postMessage(request, request.bytes ? [request.bytes.buffer as ArrayBuffer] : []);
  }).finally(() => {
    clearTimeout(timer);
    worker.terminate();
  });
}
