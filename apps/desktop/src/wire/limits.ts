/** Most files of one message. */
export const MAX_MESSAGE_FILES = 20;

/** Largest file that a page uploads, in bytes: four times that of a call, because a tool's `prepare` rule may shrink it. */
export const MAX_UPLOAD_BYTES = 80 * 1024 * 1024;

/** Longest text of a message or an attached file that is sent to a model, in characters. */
export const MAX_TEXT = 400_000;

/** With more tools than this, the model searches them. */
export const MAX_LISTED_TOOLS = 40;

/** The ids of temporary conversations, and of their files, begin with this. */
export const TEMPORARY = 'temporary-';
