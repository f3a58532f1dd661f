import { LIMITS } from '@svc/contracts';
import { guarded } from '@svc/contracts/guarded';
import { ApiError, brokenOff } from '../../platform/api-error.ts';
import type { BlobStore, StagedBlob } from '../../platform/blob-store.ts';
import { createFairShare } from '../../platform/fair-share.ts';
import { createGate, type Requester } from '../../platform/gate.ts';
import type { UploadBounds } from './bounds.ts';
import { type BundleInspector, createQueues } from './inspection-queues.ts';

type Body = AsyncIterable<Uint8Array>;

/** The refusal of an upload that exceeds the size limit, by its headers or by its body. */
export const tooLarge = (): ApiError =>
  new ApiError(
    'bundle_too_large',
    `The bundle is larger than ${LIMITS.bundle.bytes} bytes (25 MiB): make it smaller.`,
  );

const tooSlow = ({ windowMs, bytesPerSecond }: UploadBounds['pace']): ApiError =>
  new ApiError(
    'upload_too_slow',
    `Fewer than ${bytesPerSecond} bytes a second arrived for ${windowMs / 1000} seconds: upload over a faster connection.`,
  );

/**
 * Passes a body on as long as it arrives fast enough. Only the speed of the client counts: time in which the store does not read, for
 * example because of a slow disk, is excluded.
 * @throws ApiError upload_too_slow; invalid_request when the client ends the connection
 */
async function* atPace(body: Body, pace: UploadBounds['pace']): AsyncGenerator<Uint8Array> {
  const source = body[Symbol.asyncIterator]();
  let arrived = 0;
  /** How long the store waited for the client in this window, in milliseconds, and since when it is waiting. */
  let waitedMs = 0;
  let since = performance.now();
  let abort: ((refusal: ApiError) => void) | null = null;
  const stopWaiting = () => {
    waitedMs += performance.now() - since;
  };
  const beginWindow = () => {
    [arrived, waitedMs, since] = [0, 0, performance.now()];
  };
  const checkPace = () => {
    stopWaiting();
    // A window that the store mostly spent on its own work is not representative.
    const isRepresentative = waitedMs >= pace.windowMs / 2;
    if (isRepresentative && arrived < (pace.bytesPerSecond * waitedMs) / 1000) abort?.(tooSlow(pace));
    beginWindow();
  };
  const beginChecks = () => {
    beginWindow();
    timer = setInterval(guarded(checkPace), pace.windowMs);
  };
  let timer = setTimeout(guarded(beginChecks), pace.graceMs);
  try {
    for (;;) {
      const { promise, resolve, reject } = Promise.withResolvers<IteratorResult<Uint8Array>>();
      [abort, since] = [reject, performance.now()];
      source.next().then(resolve, () => reject(brokenOff()));
      const next = await promise;
      stopWaiting();
      abort = null;
      if (next.done) return;
      arrived += next.value.byteLength;
      yield next.value;
    }
  } finally {
    clearTimeout(timer);
    // Not awaited: a source that waits for its next bytes ends only when they arrive.
    source.return?.()?.catch?.(() => {});
  }
}

/** Counts the bytes of all unfinished uploads, and shares the processing fairly among accounts. */
function createSpool({ share: bounds, spoolBytes }: Pick<UploadBounds, 'share' | 'spoolBytes'>) {
  const share = createFairShare(bounds);
  let total = 0;
  return {
    /**
     * Passes a body on, and counts its bytes until `release` is called.
     * @param account the uploader
     * @throws ApiError upload_too_slow; unavailable when all uploads together exceed the disk limit
     */
    count(body: Body, pace: UploadBounds['pace'], account: string): { body: Body; release(): void } {
      let bytes = 0;
      async function* counted(): AsyncGenerator<Uint8Array> {
        for await (const chunk of atPace(body, pace)) {
          bytes += chunk.byteLength;
          total += chunk.byteLength;
          if (total > spoolBytes) {
            throw new ApiError(
              'unavailable',
              'The store is processing too many uploads: try again in 15 seconds.',
              {
                retryAfter: 15,
              },
            );
          }
          await share(account, chunk.byteLength);
          yield chunk;
        }
      }
      return {
        body: counted(),
        release() {
          total -= bytes;
          bytes = 0;
        },
      };
    },
  };
}

/** Takes the first bytes of a body, fewer when it ends before. @returns them, and the rest */
async function takeFirst(
  source: AsyncIterator<Uint8Array>,
  size: number,
): Promise<{ head: Buffer; rest: Body }> {
  const chunks: Uint8Array[] = [];
  for (let taken = 0; taken < size; ) {
    const next = await source.next();
    if (next.done) break;
    chunks.push(next.value);
    taken += next.value.byteLength;
  }
  const bytes = Buffer.concat(chunks);
  async function* rest() {
    if (bytes.length > size) yield bytes.subarray(size);
    yield* { [Symbol.asyncIterator]: () => source };
  }
  return { head: bytes.subarray(0, size), rest: rest() };
}

const emptyBody = () =>
  new ApiError('empty_body', 'The request has no body: send the bundle as application/zip.');

/**
 * Spools a body to a local file.
 * @param body null when the request has none
 * @param headBytes how many bytes of something else the body begins with
 * @returns the file, and those bytes
 * @throws ApiError bundle_too_large, empty_body
 */
async function receiveBody(
  blobs: BlobStore,
  body: Body | null,
  headBytes = 0,
): Promise<{ staged: StagedBlob; head: Buffer }> {
  const source = body?.[Symbol.asyncIterator]();
  try {
    if (!source) throw emptyBody();
    const { rest, head } = await takeFirst(source, headBytes);
    const staged = await blobs.stage(rest, LIMITS.bundle.bytes);
    if (!staged) throw tooLarge();
    if (staged.size > 0) return { staged, head };
    await staged.discard();
    throw emptyBody();
  } finally {
    // Ends the checks of the pace, also when the spool failed before it read on. Not awaited, as in `atPace`.
    source?.return?.()?.catch?.(() => {});
  }
}

export function createIntake(inspector: BundleInspector, bounds: UploadBounds) {
  const gate = createGate(bounds.bodies);
  const spool = createSpool(bounds);
  return {
    queues: createQueues(inspector, bounds),
    /**
     * Spools a body to a local file and processes it. An upload occupies a slot only while its body is read; before that, nothing of
     * the body is read.
     * @param headBytes how many bytes of something else the body begins with, which `work` gets too
     * @param body null when the request has none
     * @throws ApiError rate_limited, unavailable, upload_too_slow, bundle_too_large, empty_body
     */
    async receive<T>(
      blobs: BlobStore,
      body: AsyncIterable<Uint8Array> | null,
      requester: Requester,
      headBytes: number,
      work: (received: { staged: StagedBlob; head: Buffer }) => Promise<T>,
    ): Promise<T> {
      const spooled = body && spool.count(body, bounds.pace, requester.account);
      try {
        return await work(await gate(() => receiveBody(blobs, spooled?.body ?? null, headBytes), requester));
      } finally {
        spooled?.release();
      }
    },
  };
}

/** The limits that all uploads of a process share: reading bodies, disk space, and inspection. */
export type Intake = ReturnType<typeof createIntake>;
