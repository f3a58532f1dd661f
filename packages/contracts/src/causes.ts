/** An error, with the code that Node gives its own; that of a DOM exception is a number. */
type Cause = Error & { code?: string | number };

/** Most causes that are looked at: a chain of them may be a circle. */
const MAX_CAUSES = 8;

/** An error and its causes, the outermost first; none of what is no error. */
export function causesOf(error: unknown): Cause[] {
  const causes: Cause[] = [];
  for (let at = error; at instanceof Error && causes.length < MAX_CAUSES; at = at.cause) causes.push(at);
  return causes;
}
