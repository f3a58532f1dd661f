type FileLike = Pick<File, 'name' | 'type'>;

/** Whether a file matches one entry of an `accept` attribute. */
function fits({ name, type }: FileLike, entry: string): boolean {
  if (entry.startsWith('.')) return name.toLowerCase().endsWith(entry);
  if (entry.endsWith('/*')) return type.startsWith(entry.slice(0, -1));
  return type === entry;
}

/**
 * Whether a dropped or pasted file matches the `accept` attribute of a file input (HTML). A file of unknown type passes if types are
 * listed: the reader of the file checks it.
 */
export function accepts(file: FileLike, accept: string): boolean {
  const entries = accept
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => entry !== '');
  if (entries.length === 0) return true;
  const type = file.type.toLowerCase();
  if (type === '' && entries.some((entry) => !entry.startsWith('.'))) return true;
  return entries.some((entry) => fits({ name: file.name, type }, entry));
}
