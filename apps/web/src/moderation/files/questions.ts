import type { Listing, View } from './opened.ts';

/** What the thread that opens bundles is asked; `turn` comes back with the answer. */
export type Question = { readonly turn: number } & (
  | { readonly ask: 'open'; readonly next: Uint8Array; readonly base: Uint8Array | null }
  | { readonly ask: 'view'; readonly path: string; readonly whole: boolean }
);

/** What it answers, or what is wrong. */
export type Reply = {
  readonly turn: number;
  readonly answer: Listing | View | null;
  readonly fault?: string;
};
