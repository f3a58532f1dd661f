/** Processor time that this process has used, in milliseconds; independent of the load of the machine. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
