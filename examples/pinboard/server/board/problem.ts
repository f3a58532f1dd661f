/** An expected "no", in words for the person or the agent that asked. `status` is that of HTTP. */
export class Problem extends Error {
  readonly status: 400 | 404 | 409 | 413 | 415;

  constructor(status: Problem['status'], message: string) {
    super(message);
    this.name = 'Problem';
    this.status = status;
  }
}
