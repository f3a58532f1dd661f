import type { MediaRequest } from '@svc/contracts';

/** What the media process does with the bytes that follow: a media operation, or the drawing of an icon. */
export type MediaTask =
  | { work: 'prepare'; type: string; request: MediaRequest }
  | { work: 'draw'; side: number };

/** The head of its answer: the type of the bytes that follow, or why there are none; and the memory that the process has, in bytes. */
export type MediaAnswer = { memory: number } & ({ type: string } | { fault: string });
