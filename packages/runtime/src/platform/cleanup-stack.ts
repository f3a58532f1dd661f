/**
 * Closes what was opened, newest first: the part of `AsyncDisposableStack` that is used here, for Node 22, which has none.
 * Everything is closed, also when closing something fails; the errors come together at the end.
 */
export class CleanupStack {
  #closers: (() => unknown)[] = [];

  /** Keeps a resource to close, and gives it back. */
  adopt<T>(resource: T, close: (resource: T) => unknown): T {
    this.defer(() => close(resource));
    return resource;
  }

  /** Keeps a step for when everything is closed. */
  defer(close: () => unknown): void {
    this.#closers.push(close);
  }

  /** Runs every step that was kept, once. @throws what a step threw; an AggregateError for several */
  async disposeAsync(): Promise<void> {
    const errors: unknown[] = [];
    for (let close = this.#closers.pop(); close; close = this.#closers.pop()) {
      try {
        await close();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 1) throw new AggregateError(errors, 'Several parts could not be closed.');
    if (errors.length === 1) throw errors[0];
  }
}
