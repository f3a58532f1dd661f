import { readFileSync } from 'node:fs';

/** Clock ticks per second on Linux (proc(5), `USER_HZ`). */
const TICKS = 100;

/** Indices of user and system time after the program name in /proc/PID/stat (proc(5)). */
const [USER, SYSTEM] = [11, 12];

/** CPU time of a process with all threads in milliseconds, independent of the load of the machine. */
export function cpuOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[USER]) + Number(fields[SYSTEM])) * 1000) / TICKS;
}
