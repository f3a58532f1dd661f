/** Why a file cannot be prepared, in words for the agent. Nothing of the file is in them. */
export class MediaError extends Error {}
