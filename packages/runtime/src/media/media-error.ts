/** Why a file cannot be prepared, as a message for the agent. It contains nothing of the file. */
export class MediaError extends Error {}
