// The first import of each entry: an older Node fails in some module of the others, with an error that says nothing of its version.

/** Why the runtime does not run in a process of these versions; null if it does. */
export function versionFault(
  { bun, deno, node = '' }: Partial<Record<string, string>>,
  hasSqlite: () => boolean,
): string | null {
  const [major = 0, minor = 0] = node.split('.').map(Number);
  const isOther = bun !== undefined || deno !== undefined;
  if (isOther ? hasSqlite() : major > 22 || (major === 22 && minor >= 19)) return null;
  const name = bun === undefined ? (deno === undefined ? `Node ${node}` : `Deno ${deno}`) : `Bun ${bun}`;
  return `@svc/runtime needs Node 22.19 or newer, or a Bun or Deno with node:sqlite; this is ${name}.`;
}

const fault = versionFault(process.versions, () => process.getBuiltinModule?.('node:sqlite') !== undefined);
if (fault !== null) throw new TypeError(fault);
