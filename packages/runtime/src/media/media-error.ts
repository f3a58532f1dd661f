/** Why a file cannot be prepared, as a message for the agent. It contains nothing of the file. */
export class MediaError extends Error {}

/** Why a file cannot be compressed to a size. @param smallest the smallest possible size in bytes */
export const tooSmall = (what: 'picture' | 'recording', smallest: number): MediaError =>
  new MediaError(
    `The ${what} cannot be made that small: the smallest possible size is ${Math.ceil(smallest / 1024)} KB.`,
  );
