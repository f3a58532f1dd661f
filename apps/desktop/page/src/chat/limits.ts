/** Limits of the desktop's own `src/wire/limits.ts`, said on adding instead of on sending. A test compares them. */
export const MAX_MESSAGE_FILES = 20;
export const MAX_UPLOAD_BYTES = 80 * 1024 * 1024;
export const MAX_TEXT = 400_000;
export const MAX_LISTED_TOOLS = 40;
export const TEMPORARY = 'temporary-';
