import type { Listing, View } from './opened.ts';

/** A request to the worker that opens bundles; the reply has the same `turn`. */
export type WorkerRequest = { readonly turn: number } & (
  | { readonly kind: 'open'; readonly next: Uint8Array; readonly base: Uint8Array | null }
  | { readonly kind: 'view'; readonly path: string; readonly whole: boolean }
);

/** The reply of the worker: an answer, or an error message. */
export type WorkerReply = {
  readonly turn: number;
  readonly answer: Listing | View | null;
  readonly error?: string;
};
