import type { BlobStore, StagedBlob } from '../../platform/blob-store.ts';
import { createGate, type Requester } from '../../platform/gate.ts';
import type { UploadBounds } from './bounds.ts';
import { type BundleInspector, createQueues } from './inspection-queues.ts';
import { createSpool, receiveBody } from './receive-body.ts';

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
