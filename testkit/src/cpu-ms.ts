/** Processor time that this process has used, in milliseconds: what a busy machine does not stretch. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
