import type { MediaRequest } from '@svc/contracts';

/** Why a file cannot be prepared, as a message for the agent. It contains nothing of the file. */
export class MediaError extends Error {}

/** Why a file cannot be compressed to a size. @param smallest the smallest possible size in bytes */
export const tooSmall = (what: 'picture' | 'recording', smallest: number): MediaError =>
  new MediaError(
    `The ${what} cannot be made that small: the smallest possible size is ${Math.ceil(smallest / 1024)} KB.`,
  );

/** What the media process does with the bytes that follow: a media operation, or the drawing of an icon. */
export type MediaTask =
  | { work: 'prepare'; type: string; request: MediaRequest }
  | { work: 'draw'; side: number };

/** The head of its answer: the type of the bytes that follow, or why there are none; and the memory that the process has, in bytes. */
export type MediaAnswer = { memory: number } & ({ type: string } | { fault: string });
