import { readdirSync, readFileSync } from 'node:fs';

/** Ticks of a second in `/proc`: Linux has the same on every processor. */
const TICKS = 100;

/** The name of a process and the seconds of processor time that it has used, from `/proc` (proc(5)); null when it has ended. */
function processOf(pid: string): { name: string; seconds: number } | null {
  try {
    const [, name = '', rest = ''] = /\((.*)\) (.*)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    // Without pid and name: utime and stime are the fields 14 and 15.
    const [user, system] = rest.split(' ').slice(11, 13);
    return { name, seconds: (Number(user) + Number(system)) / TICKS };
  } catch {
    return null;
  }
}

/**
 * The seconds of processor time that processes have used so far, those of Linux.
 * @param which their ids, or the name that they have
 */
export function cpuSeconds(which: readonly number[] | string): number {
  const pids = typeof which === 'string' ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : which;
  const found = pids.flatMap((pid) => processOf(String(pid)) ?? []);
  return found
    .filter(({ name }) => typeof which !== 'string' || name === which)
    .reduce((sum, { seconds }) => sum + seconds, 0);
}
