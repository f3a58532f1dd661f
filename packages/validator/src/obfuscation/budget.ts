/** Maximum number of bytes of script to parse for one bundle; takes a few hundred milliseconds. */
export const MAX_PARSED = 4 * 1024 * 1024;

/** The bytes that may still be parsed for one bundle. */
export type Budget = { bytes: number };

export const newBudget = (): Budget => ({ bytes: MAX_PARSED });
