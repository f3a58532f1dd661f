import { LIMITS } from '@svc/contracts';
import { ApiError } from '../platform/api-error.ts';
import type { BlobStore, StagedBlob } from '../platform/blob-store.ts';
import { createTurns } from '../platform/turns.ts';
import type { UploadBounds } from './bounds.ts';

type Body = AsyncIterable<Uint8Array>;

/** The refusal of an upload that is over the limit, whether it says so itself or turns out to be. */
export const tooLarge = (): ApiError =>
  new ApiError(
    'bundle_too_large',
    `The bundle is over ${LIMITS.bundle.bytes} bytes (25 MiB): make it smaller.`,
  );

const tooSlow = ({ windowMs, bytesPerSecond }: UploadBounds['pace']): ApiError =>
  new ApiError(
    'upload_too_slow',
    `Fewer than ${bytesPerSecond} bytes a second arrived for ${windowMs / 1000} seconds: upload over a faster connection.`,
  );

/**
 * Passes a body on for as long as it arrives fast enough. Only its sender is judged: time in which nothing is asked of it,
 * because our own disk is slow, does not count.
 * @throws ApiError upload_too_slow
 */
async function* atPace(body: Body, pace: UploadBounds['pace']): AsyncGenerator<Uint8Array> {
  const source = body[Symbol.asyncIterator]();
  let arrived = 0;
  /** How long we waited for the sender in this window, in milliseconds, and since when we do. */
  let waitedMs = 0;
  let since = performance.now();
  let cut: ((refusal: ApiError) => void) | null = null;
  const stopWaiting = () => {
    if (cut) waitedMs += performance.now() - since;
  };
  const beginWindow = () => {
    [arrived, waitedMs, since] = [0, 0, performance.now()];
  };
  const judge = () => {
    stopWaiting();
    // A window that we spent on our own work says nothing.
    const isTold = waitedMs >= pace.windowMs / 2;
    if (isTold && arrived < (pace.bytesPerSecond * waitedMs) / 1000) cut?.(tooSlow(pace));
    beginWindow();
  };
  let timer = setTimeout(() => {
    beginWindow();
    timer = setInterval(judge, pace.windowMs);
  }, pace.graceMs);
  try {
    for (;;) {
      const { promise, resolve, reject } = Promise.withResolvers<IteratorResult<Uint8Array>>();
      [cut, since] = [reject, performance.now()];
      source.next().then(resolve, reject);
      const next = await promise;
      stopWaiting();
      cut = null;
      if (next.done) return;
      arrived += next.value.byteLength;
      yield next.value;
    }
  } finally {
    clearTimeout(timer);
    // Not waited for: a source that waits for its next bytes ends only when they come.
    source.return?.()?.catch?.(() => {});
  }
}

/** Counts the bytes of all uploads that are not answered yet, and shares the work on them among accounts. */
export function createSpool({ turns: bounds, spoolBytes }: Pick<UploadBounds, 'turns' | 'spoolBytes'>) {
  const turns = createTurns(bounds);
  let held = 0;
  return {
    /**
     * Passes a body on at its pace, and counts it until `release` is called.
     * @param account whose body it is
     * @throws ApiError upload_too_slow; unavailable when all uploads together take too much of the disk
     */
    count(body: Body, pace: UploadBounds['pace'], account: string): { body: Body; release(): void } {
      let bytes = 0;
      async function* counted(): AsyncGenerator<Uint8Array> {
        for await (const chunk of atPace(body, pace)) {
          bytes += chunk.byteLength;
          held += chunk.byteLength;
          if (held > spoolBytes) {
            throw new ApiError('unavailable', 'The store holds too many uploads: try again in 15 seconds.', {
              retryAfter: 15,
            });
          }
          await turns(account, chunk.byteLength);
          yield chunk;
        }
      }
      return {
        body: counted(),
        release() {
          held -= bytes;
          bytes = 0;
        },
      };
    },
  };
}

/**
 * Reads a body into a local file, not into memory.
 * @param body null when the request has none
 * @throws ApiError bundle_too_large, empty_body
 */
export async function receiveBody(blobs: BlobStore, body: Body | null): Promise<StagedBlob> {
  const staged = body && (await blobs.stage(body, LIMITS.bundle.bytes));
  if (body && !staged) throw tooLarge();
  if (!staged || staged.size === 0) {
    await staged?.discard();
    throw new ApiError(
      'empty_body',
      'There is no bundle in the body: send the zip itself as application/zip.',
    );
  }
  return staged;
}
