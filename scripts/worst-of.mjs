/**
 * Does jobs side by side, at most so many at a time, all to their ends, and gives the worst of their exit codes.
 * @param {readonly (() => Promise<number>)[]} jobs in the order in which they begin
 * @param {number} atOnce
 * @returns {Promise<number>}
 */
export async function worstOf(jobs, atOnce) {
  const left = [...jobs];
  const codes = [];
  const worker = async () => {
    for (let job = left.shift(); job; job = left.shift()) codes.push(await job());
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return Math.max(0, ...codes);
}
