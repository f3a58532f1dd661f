/** What is known of a file before it is read. */
type FileLike = Pick<File, 'name' | 'type'>;

/** Whether one entry of an `accept` attribute fits a file. */
function fits({ name, type }: FileLike, entry: string): boolean {
  if (entry.startsWith('.')) return name.toLowerCase().endsWith(entry);
  if (entry.endsWith('/*')) return type.startsWith(entry.slice(0, -1));
  return type === entry;
}

/**
 * Whether a file that was dropped or pasted is of a kind that an input of files would offer (HTML, the `accept` attribute). A file
 * whose type the system does not know passes where types are asked for: what reads the file decides.
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
