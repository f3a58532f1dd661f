/** So many bytes of script are parsed for one bundle: some hundred milliseconds. */
export const MAX_PARSED = 4 * 1024 * 1024;

/** What may still be parsed for one bundle. */
export type Budget = { bytes: number };

export const newBudget = (): Budget => ({ bytes: MAX_PARSED });
