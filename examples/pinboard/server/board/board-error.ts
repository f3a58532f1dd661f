/** An expected error, with a message for the user or the agent. `status` is the HTTP status. */
export class BoardError extends Error {
  readonly status: 400 | 404 | 409 | 413 | 415;

  constructor(status: BoardError['status'], message: string) {
    super(message);
    this.name = 'BoardError';
    this.status = status;
  }
}
