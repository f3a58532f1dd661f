import { expect } from 'vitest';

/** Matches an error of the runtime with this code. */
export const refused = (code: string) => expect.objectContaining({ name: 'RuntimeError', code });
