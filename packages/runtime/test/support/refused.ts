import { expect } from 'vitest';

/** A refusal of the runtime with this code. */
export const refused = (code: string) => expect.objectContaining({ name: 'RuntimeError', code });
