import { readFileSync } from 'node:fs';

/** Clock ticks a second, as Linux counts for programs (proc(5), `USER_HZ`). */
const TICKS = 100;

/** Where user and system time stand in what follows the name of the program in /proc/PID/stat (proc(5)). */
const [USER, SYSTEM] = [11, 12];

/** Processor time that a process has taken with all its threads, in milliseconds: the same on an idle machine and a busy one. */
export function cpuOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[USER]) + Number(fields[SYSTEM])) * 1000) / TICKS;
}
