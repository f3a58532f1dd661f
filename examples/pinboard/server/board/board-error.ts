/** An expected "no", in words for the person or the agent that asked. `status` is that of HTTP. */
export class BoardError extends Error {
  readonly status: 400 | 404 | 409 | 413 | 415;

  constructor(status: BoardError['status'], message: string) {
    super(message);
    this.name = 'BoardError';
    this.status = status;
  }
}
