/** The type of the warnings of `reportFault`. */
export const FAULT = 'CallbackFault';

/** Reports a fault of the program as a warning of the process (`process.on('warning')`), which does not end it. */
export const reportFault = (error: unknown): void => {
  const { message, stack = message } = error instanceof Error ? error : new Error(String(error));
  process.emitWarning(message, { type: FAULT, detail: stack });
};

/**
 * A callback for timers and event listeners, which may outlive what they belong to: an error that it throws, or with which its promise
 * rejects, is reported. In a bare callback, either would end the process.
 * @param onFault called with the error and the arguments of the callback
 */
export const guarded =
  <A extends unknown[]>(
    work: (...args: A) => unknown,
    onFault: (error: unknown, ...args: A) => void = (error, ..._args) => reportFault(error),
  ) =>
  (...args: A): void => {
    try {
      const result = work(...args);
      if (result instanceof Promise) result.catch((error: unknown) => onFault(error, ...args));
    } catch (error) {
      onFault(error, ...args);
    }
  };

/** Lets work go on that no caller waits for: an error with which it rejects is reported. */
export const inBackground = (work: Promise<unknown>, onFault = reportFault): void => {
  work.catch(onFault);
};
