/**
 * Closes resources in reverse order: a subset of `AsyncDisposableStack`, which Node 22 lacks. All resources are closed even if some
 * fail; the errors are thrown at the end.
 */
export class CleanupStack {
  #closers: (() => unknown)[] = [];
  #disposed: Promise<void> | null = null;

  /** Closes a resource at the end. @returns it */
  adopt<T extends { close(): unknown }>(resource: T): T {
    this.defer(() => resource.close());
    return resource;
  }

  /** Registers a cleanup step. */
  defer(close: () => unknown): void {
    this.#closers.push(close);
  }

  /** Runs all steps once: a second call waits for the first. @throws the error of a step; an AggregateError for several */
  disposeAsync(): Promise<void> {
    this.#disposed ??= this.#closeAll();
    return this.#disposed;
  }

  async #closeAll(): Promise<void> {
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
